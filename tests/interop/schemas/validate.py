"""Holds every line that a server wrote against the official schema of its revision.

    validate.py SCHEMAS FILE...

Prints one line of JSON for each file: {"file", "lines", "faults": [text]}.
"""

import json
import sys

from definitions import ERRORS, LATEST_LEGACY, LEGACY, MODERN, NOTIFICATIONS, RESULT_TYPES, RESULTS, Schemas
from transcript import Session, lines

RELATED_TASK = "io.modelcontextprotocol/related-task"


def faults_of(schemas, session, message):
    if not isinstance(message, dict):
        return ["not one message"]
    if "method" in message:
        return asked_by_server(schemas, session, message)
    method, revision = session.answered(message)
    if revision not in [*LEGACY, MODERN]:
        return [f"there is no revision {revision}"]
    if message.get("id", 0) is None:
        del message["id"]
        # 2024-11-05 to 2025-06-18 have no shape for an answer to an unreadable id.
        revision = revision if revision == MODERN else LATEST_LEGACY
    faults = schemas.faults(revision, "JSONRPCMessage", message)
    if "result" in message:
        faults += result_faults(schemas, method, revision, message["result"])
    elif name := ERRORS.get((revision, message["error"]["code"])):
        faults += schemas.faults(revision, name, message)
    return faults


def result_faults(schemas, method, revision, result):
    if method is None:
        return ["answers no request"]
    if method not in RESULTS:
        return [f"there is no definition for a result of {method}"]
    if method == "tools/call" and "task" in result:
        return schemas.faults(revision, "CreateTaskResult", result)
    if method == "tasks/result":
        # It is what the call would have been answered with.
        return task_result_faults(schemas, revision, result)
    kind = result.get("resultType") if revision == MODERN else None
    return schemas.faults(revision, RESULT_TYPES.get(kind, RESULTS[method]), result)


def task_result_faults(schemas, revision, result):
    faults = schemas.faults(revision, "GetTaskPayloadResult", result)
    faults += schemas.faults(revision, "CallToolResult", result)
    related = (result.get("_meta") or {}).get(RELATED_TASK)
    return faults if related else [*faults, f"{RELATED_TASK} is missing"]


def asked_by_server(schemas, session, message):
    revision = session.revision_of(message)
    faults = schemas.faults(revision, "JSONRPCMessage", message)
    if "id" in message:
        # Only sessions with a handshake have requests in this direction.
        name = "ServerRequest"
    elif message["method"] in NOTIFICATIONS:
        name = NOTIFICATIONS[message["method"]]
    else:
        return [*faults, f"there is no definition for {message['method']}"]
    if revision in LEGACY[:-1]:
        # These definitions leave the envelope out.
        message = {member: value for member, value in message.items() if member not in ("jsonrpc", "id")}
    return faults + schemas.faults(revision, name, message)


def validate(schemas, path):
    session = Session()
    faults, count = [], 0
    for number, mark, text in lines(path):
        if mark == "! " and text == "reset":
            session = Session()
        elif mark == "> ":
            session.from_client(text)
        elif mark == "< ":
            count += 1
            try:
                found = faults_of(schemas, session, json.loads(text))
            except (ValueError, TypeError, KeyError) as error:
                found = [f"unreadable: {error!r}"]
            faults += [f"{path}:{number}: {fault}" for fault in found]
    return {"file": path, "lines": count, "faults": faults}


def main():
    folder, *paths = sys.argv[1:]
    schemas = Schemas(folder)
    for path in paths:
        print(json.dumps(validate(schemas, path)), flush=True)


main()
