"""Stands between a client and the server that it starts, and records both directions.

    record.py LOG COMMAND ARG...

Bytes pass unchanged and at once. LOG.PID.txt gets the lines, `> ` from the client and `< ` from the server, as
tests/transcripts has them, and a last comment with the exit status, the seconds from the end of input to the exit,
and the bytes on standard error. Parameters come as arguments since the clients start servers with few variables.
"""

import os
import signal
import subprocess
import sys
import threading
import time

# How long the server may take to exit once its input has ended.
EXIT_LIMIT = 15


class Log:
    """A file of whole lines. The signal handler may come in between, so its lock can be taken twice."""

    def __init__(self, path):
        self.file = open(path, "wb")
        self.lock = threading.RLock()

    def write(self, mark, line):
        with self.lock:
            self.file.write(mark + line + b"\n")
            self.file.flush()


def pump(source, sink, log, mark):
    """Copies a stream until it ends; goes on recording when the other side has gone."""
    pending = []
    while chunk := os.read(source, 1 << 16):
        *whole, rest = chunk.split(b"\n")
        for line in whole:
            log.write(mark, b"".join(pending) + line)
            pending = []
        pending.append(rest)
        try:
            view = memoryview(chunk if sink is not None else b"")
            while view:
                view = view[os.write(sink, view):]
        except BrokenPipeError:
            sink = None
    rest = b"".join(pending)
    if rest:
        log.write(mark, rest)
        log.write(b"# ", b"the last line has no newline")


def main():
    path, command = sys.argv[1], sys.argv[2:]
    log = Log(f"{path}.{os.getpid()}.txt")
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    ended = []
    noise = []

    def stop(number, _frame):
        server.kill()
        log.write(b"# ", b"stopped by signal %d" % number)
        os._exit(128 + number)

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)

    def feed():
        pump(0, server.stdin.fileno(), log, b"> ")
        ended.append(time.monotonic())
        try:
            server.stdin.close()
        except BrokenPipeError:
            pass

    def answer():
        pump(server.stdout.fileno(), 1, log, b"< ")

    def complain():
        while chunk := os.read(server.stderr.fileno(), 1 << 16):
            noise.append(len(chunk))
            os.write(2, chunk)

    threading.Thread(target=feed, daemon=True).start()
    readers = [threading.Thread(target=complain, daemon=True), threading.Thread(target=answer, daemon=True)]
    for reader in readers:
        reader.start()
    try:
        # Short waits, so that the limit counts from the end of the input.
        while True:
            try:
                status = server.wait(timeout=0.5)
                break
            except subprocess.TimeoutExpired:
                if ended and time.monotonic() - ended[0] > EXIT_LIMIT:
                    log.write(b"# ", b"killed: it did not exit")
                    server.kill()
        seconds = time.monotonic() - ended[0] if ended else -1.0
        for reader in readers:
            reader.join(timeout=2)
        log.write(b"# ", b"exit %d, %.3f s after the end of input, %d bytes on standard error" % (status, seconds, sum(noise)))
    finally:
        server.kill()
    os._exit(status if status >= 0 else 128 - status)


main()
