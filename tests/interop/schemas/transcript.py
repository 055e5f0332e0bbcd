"""A session as lines: `> ` from the client, `< ` from the server, anything else is no message."""

import json

from definitions import LATEST_LEGACY, MODERN

PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion"
CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
INVALID_REQUEST = -32600
SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId"


class Session:
    """What the lines so far say of the next one: who asked, and in which revision."""

    def __init__(self):
        self.negotiated = LATEST_LEGACY
        # By id, the oldest first: an id may come again while its first request still waits, and is refused then.
        self.waiting = {}
        self.tokens = {}
        self.last = LATEST_LEGACY

    def from_client(self, text):
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            return
        for one in message if isinstance(message, list) else [message]:
            if not isinstance(one, dict) or not isinstance(one.get("method"), str):
                continue
            if "id" in one:
                self.asked(one)
            elif one["method"] == "notifications/cancelled" and isinstance(one.get("params"), dict):
                # What is cancelled waits no more: its id may come again.
                del self.waiting.get(key(one["params"].get("requestId")), [])[:1]

    def asked(self, request):
        params = request.get("params")
        meta = params.get("_meta") if isinstance(params, dict) else None
        meta = meta if isinstance(meta, dict) else {}
        modern = PROTOCOL_VERSION in meta or CLIENT_CAPABILITIES in meta
        revision = MODERN if modern else self.negotiated
        self.last = revision
        self.waiting.setdefault(key(request["id"]), []).append((request["method"], revision))
        if "progressToken" in meta:
            self.tokens[key(meta["progressToken"])] = revision

    def answered(self, message):
        """Method and revision of the request that this answers, if one does."""
        waiting = self.waiting.get(key(message.get("id")))
        if not waiting:
            return None, self.negotiated
        refused = "error" in message and message["error"].get("code") == INVALID_REQUEST
        method, revision = waiting.pop(-1 if refused else 0)
        if method == "initialize" and "result" in message:
            revision = self.negotiated = message["result"].get("protocolVersion", self.negotiated)
        return method, revision

    def revision_of(self, notification):
        """The revision that a notification belongs to."""
        params = notification.get("params") or {}
        if SUBSCRIPTION_ID in (params.get("_meta") or {}):
            return MODERN
        if "progressToken" in params:
            return self.tokens.get(key(params["progressToken"]), self.negotiated)
        # A log message says nothing of its request: it is the one asked last.
        return self.last if notification["method"] == "notifications/message" else self.negotiated


def key(json_value):
    """Ids and tokens differ by type: `7` is not `"7"`."""
    return json.dumps(json_value)


def lines(path):
    """Mark and text of each line; bytes that are not UTF-8 stand for themselves as half surrogates."""
    with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        for number, line in enumerate(file, 1):
            yield number, line[:2], line[2:].rstrip("\n")
