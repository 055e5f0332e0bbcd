"""A firmware in the emulator, or the same server on the host, as what is at the other end of a serial line."""

import json
import os
import signal
import subprocess
import threading
from itertools import count

LIMIT = 60
# Ends the emulator: no input has it.
END = b"\x04"


class Line:
    """A server at the other end of a serial line."""

    def __init__(self, command):
        command = [str(part) for part in command]
        pipe = subprocess.PIPE
        # A group of its own, so that the emulator ends with the script that started it.
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, start_new_session=True)
        self.guard = threading.Timer(LIMIT, self.kill)
        self.guard.start()
        self.numbers = count(1)
        # The notifications that came.
        self.told = []

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.guard.cancel()
        if kind is not None:
            self.kill()
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        rest = self.process.stdout.read()
        status = self.process.wait(timeout=10)
        if kind is None:
            assert rest == b"", f"it also said {rest[:200]}"
            assert status == 0, f"exit status {status}"

    def kill(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def send(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def receive(self):
        line = self.process.stdout.readline()
        assert line.endswith(b"\n"), f"no answer but {line[:200]}"
        return json.loads(line)

    def ask(self, method, **params):
        """The answer to a request, which is the next line but for notifications."""
        number = next(self.numbers)
        self.send(request(number, method, params))
        answer = self.receive()
        while "method" in answer:
            self.told.append(answer)
            answer = self.receive()
        assert answer["id"] == number, answer
        return answer

    def result(self, method, **params):
        answer = self.ask(method, **params)
        assert "result" in answer, answer
        return answer["result"]

    def error(self, method, **params):
        answer = self.ask(method, **params)
        assert "error" in answer, answer
        return answer["error"]["code"], answer["error"]["message"]

    def ping(self):
        assert self.result("ping") == {}

    def exchange(self, data):
        """All that it says to these bytes and the end of the input. Reads and writes at a time."""
        writer = threading.Thread(target=self.finish, args=[data])
        writer.start()
        answers = self.process.stdout.read()
        writer.join()
        return answers

    def finish(self, data):
        try:
            self.send(data)
            self.process.stdin.close()
        except BrokenPipeError:
            # What is missing then is missing from the answers too.
            pass


def request(identity, method, params):
    message = {"jsonrpc": "2.0", "id": identity, "method": method, "params": params}
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
