"""The official schemas, and which definition of them a message is held against.

Two readings of each: as published, where every object is open, and closed, where an object has only the members that
its revision names. The closed one finds members of a later revision in an earlier one.

The tasks extension of 2026-07-28 has no schema among the official ones: its definitions here are written after its
text.
"""

import json
from pathlib import Path

import jsonschema

LEGACY = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
MODERN = "2026-07-28"
LATEST_LEGACY = LEGACY[-1]

RESULTS = {
    "initialize": "InitializeResult",
    "ping": "EmptyResult",
    "server/discover": "DiscoverResult",
    "tools/list": "ListToolsResult",
    "tools/call": "CallToolResult",
    "resources/list": "ListResourcesResult",
    "resources/templates/list": "ListResourceTemplatesResult",
    "resources/read": "ReadResourceResult",
    "resources/subscribe": "EmptyResult",
    "resources/unsubscribe": "EmptyResult",
    "subscriptions/listen": "SubscriptionsListenResult",
    "prompts/list": "ListPromptsResult",
    "prompts/get": "GetPromptResult",
    "completion/complete": "CompleteResult",
    "logging/setLevel": "EmptyResult",
    "tasks/get": "GetTaskResult",
    "tasks/result": "GetTaskPayloadResult",
    "tasks/cancel": "CancelTaskResult",
    "tasks/list": "ListTasksResult",
    "tasks/update": "EmptyResult",
}

# What is another result with a type of its own.
RESULT_TYPES = {"input_required": "InputRequiredResult", "task": "CreateTaskResult"}

NOTIFICATIONS = {
    "notifications/cancelled": "CancelledNotification",
    "notifications/progress": "ProgressNotification",
    "notifications/message": "LoggingMessageNotification",
    "notifications/tools/list_changed": "ToolListChangedNotification",
    "notifications/prompts/list_changed": "PromptListChangedNotification",
    "notifications/resources/list_changed": "ResourceListChangedNotification",
    "notifications/resources/updated": "ResourceUpdatedNotification",
    "notifications/elicitation/complete": "ElicitationCompleteNotification",
    "notifications/tasks/status": "TaskStatusNotification",
    "notifications/tasks": "TaskNotification",
    "notifications/subscriptions/acknowledged": "SubscriptionsAcknowledgedNotification",
}

# Errors that have a definition of the whole message.
ERRORS = {
    (LATEST_LEGACY, -32042): "URLElicitationRequiredError",
    (MODERN, -32021): "MissingRequiredClientCapabilityError",
    (MODERN, -32022): "UnsupportedProtocolVersionError",
}

# Members that hold schemas, and so any keyword.
FREE_MEMBERS = {"inputSchema", "outputSchema", "requestedSchema"}

TASK = {
    "taskId": {"type": "string", "minLength": 1},
    "status": {"enum": ["working", "input_required", "completed", "failed", "cancelled"]},
    "statusMessage": {"type": "string"},
    "createdAt": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$"},
    "lastUpdatedAt": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$"},
    "ttlMs": {"type": ["integer", "null"], "minimum": 0},
    "pollIntervalMs": {"type": "integer", "minimum": 0},
}
TASK_REQUIRED = ["taskId", "status", "createdAt", "lastUpdatedAt", "ttlMs"]
# By the status, what else there is.
OUTCOMES = {
    "input_required": {"inputRequests": {"$ref": "#/$defs/InputRequests"}},
    "completed": {"result": {"$ref": "#/$defs/TaskPayload"}},
    "failed": {"error": {"$ref": "#/$defs/Error"}},
}


def task_members(members, status=None, optional=()):
    """An object with the members of a task, and these."""
    properties = {**TASK, **members}
    if status:
        properties["status"] = {"const": status}
    required = [*TASK_REQUIRED, *(member for member in members if member not in optional)]
    return {"type": "object", "properties": properties, "required": required}


def detailed_task(members, optional=()):
    """A task, with what it has come to."""
    outcomes = {"working": {}, "cancelled": {}, **OUTCOMES}
    return {"anyOf": [task_members({**members, **outcome}, status, optional) for status, outcome in outcomes.items()]}


def tasks_extension(core):
    """What the extension adds to the core's definitions."""

    def result(kind):
        return {"resultType": {"const": kind}, "_meta": {"$ref": "#/$defs/ResultMetaObject"}}

    envelope = {"jsonrpc": {"const": "2.0"}, "method": {"const": "notifications/tasks"}}
    params = detailed_task({"_meta": {"type": "object", "required": ["io.modelcontextprotocol/subscriptionId"]}})
    call, watched = core["CallToolResult"], core["SubscriptionFilter"]
    return {
        # What stands in a task is no answer to a request, and has no type.
        "TaskPayload": {**call, "required": [member for member in call["required"] if member != "resultType"]},
        "SubscriptionFilter": {
            **watched,
            "properties": {**watched["properties"], "taskIds": {"type": "array", "items": {"type": "string"}}},
        },
        "CreateTaskResult": task_members(result("task"), optional=["_meta"]),
        "GetTaskResult": detailed_task(result("complete"), optional=["_meta"]),
        "CancelTaskResult": {"$ref": "#/$defs/EmptyResult"},
        "TaskNotification": {
            "type": "object",
            "properties": {**envelope, "params": params},
            "required": ["jsonrpc", "method", "params"],
        },
    }


class Schemas:
    def __init__(self, folder):
        self.roots = {revision: load(Path(folder) / revision / "schema.json") for revision in [*LEGACY, MODERN]}
        self.closed = {revision: closed(root) for revision, root in self.roots.items()}
        self.validators = {}

    def has(self, revision, name):
        return name in definitions(self.roots[revision])

    def faults(self, revision, name, value):
        """What is wrong with `value`, as texts."""
        if not self.has(revision, name):
            return [f"{revision} has no {name}"]
        root = self.roots[revision]
        faults = self.check(root, revision, name, value)
        # `allOf` joins open objects: their closed forms exclude one another.
        if not faults and not joins(definitions(root)[name], definitions(root)):
            faults = self.check(self.closed[revision], f"{revision}, closed", name, value)
        return faults

    def check(self, root, label, name, value):
        validator = self.validators.get((label, name))
        if validator is None:
            kind = jsonschema.validators.validator_for(root)
            place = "definitions" if "definitions" in root else "$defs"
            schema = {"$ref": f"#/{place}/{name}", place: root[place], "$schema": root["$schema"]}
            validator = self.validators[label, name] = kind(schema)
        return [f"{name} of {label}: {explain(error)}" for error in validator.iter_errors(value)]


def load(path):
    root = json.loads(path.read_text())
    # The generator left null and fractions out of the type that means any JSON.
    if "JSONValue" in definitions(root):
        definitions(root)["JSONValue"] = {}
    if "InputRequests" in definitions(root):
        definitions(root).update(tasks_extension(definitions(root)))
    return root


def definitions(root):
    return root["definitions"] if "definitions" in root else root["$defs"]


def closed(root):
    """The schema with every object closed whose members are named and that does not say it is open."""

    def close(schema):
        if isinstance(schema, list):
            return [close(part) for part in schema]
        if not isinstance(schema, dict):
            return schema
        changed = {key: part if key == "allOf" else close(part) for key, part in schema.items()}
        members = schema.get("properties")
        if isinstance(members, dict) and members:
            changed["properties"] |= {member: members[member] for member in FREE_MEMBERS & members.keys()}
            changed.setdefault("additionalProperties", False)
        return changed

    all_definitions = definitions(root)
    kept = {name: schema if name.endswith("MetaObject") else close(schema) for name, schema in all_definitions.items()}
    # Any result is one of these, and the empty one is nothing more.
    kept["EmptyResult"] = {**all_definitions["Result"], "additionalProperties": False}
    return {**root, "definitions" if "definitions" in root else "$defs": kept}


def joins(schema, all_definitions, seen=()):
    """Whether `allOf` occurs in what `schema` refers to."""
    if isinstance(schema, list):
        return any(joins(part, all_definitions, seen) for part in schema)
    if not isinstance(schema, dict):
        return False
    if isinstance(schema.get("allOf"), list):
        return True
    target = schema.get("$ref", "").rsplit("/", 1)[-1]
    if target and target not in seen and joins(all_definitions[target], all_definitions, (*seen, target)):
        return True
    return any(joins(part, all_definitions, seen) for part in schema.values())


def explain(error):
    """The innermost reason: an `anyOf` hides it in its context."""
    while error.context:
        error = max(error.context, key=lambda inner: len(inner.absolute_path))
    place = "/".join(str(part) for part in error.absolute_path)
    return f"at /{place}: {error.message[:300]}"
