"""Drives the firmware in QEMU: by the official clients, and with what no client sends.

    device.py TARGET FIRMWARE WORK FUZZ SCHEMAS [--since TIME] [--lacks CLIENT=REASON]... [--broken CLIENT=REASON]...

TARGET is cargo's directory with the firmware built, FIRMWARE the folder of its source, FUZZ that of the fuzz targets.
"""

import argparse
import asyncio
import sys
import time
from pathlib import Path

import device_call
import device_checks
import device_client
import device_raw
import device_waits
import drive
from checks import MODERN

# A session that hangs leaves no emulator behind.
LIMIT = "90"


class Way(drive.Way):
    """`server` is a board with the firmware `serve`, or the firmware `waits`. Only the latter asks its client."""

    def __init__(self, revision, mode, server):
        super().__init__(revision, mode, server)
        self.server = server
        self.declares = "all" if server == device_waits.PART else "nothing"
        self.name = f"{revision} {mode} {server}"


def ways(*settings):
    return [Way(revision, mode, board) for board in device_checks.BOARDS for revision, mode in settings]


def waits(client):
    """All ways by which it comes to the same application on the host."""
    return [Way(way.revision, way.mode, device_waits.PART) for way in drive.WAYS[client] if way.part == "methods"]


LEGACY = ("2025-11-25", "handshake")
CLIENTS = {
    "typescript 1.x": ways(LEGACY),
    "typescript 2.x": ways(LEGACY, (MODERN, "auto"), (MODERN, "pin")),
    "python 1.x": ways(("2024-11-05", "handshake"), LEGACY),
    "python 2.x": ways(LEGACY, (MODERN, "auto"), (MODERN, "pin")),
    "rmcp": [],
}
for client, known in CLIENTS.items():
    known += waits(client)


def recorded(work):
    """What sessions on a device have left."""
    servers = [*device_checks.BOARDS, device_waits.PART]
    return sorted(path for board in servers for path in (work / "records").glob(f"*_{board}.*"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("target", type=Path)
    parser.add_argument("firmware", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("fuzz", type=Path)
    parser.add_argument("schemas")
    parser.add_argument("--since", type=float, default=time.time())
    parser.add_argument("--lacks", action="append", default=[])
    parser.add_argument("--broken", action="append", default=[])
    options = parser.parse_args()

    def elf(board, name):
        triple = {"arm": "thumbv7em-none-eabi", "riscv": "riscv32imc-unknown-none-elf"}[board]
        return options.target / triple / "release" / f"{name}-{board}"

    def emulated(board, name, script="emulate"):
        return ["timeout", "-k", "2", LIMIT, options.firmware / script, board, elf(board, name)]

    servers = {board: emulated(board, "serve") for board in device_checks.BOARDS}
    host = [options.target / "release/serve-host"]
    variants = {name: emulated("arm", name) for name in ["interrupt", "async", "log", "small", "waits"]}
    direct = {name: emulated("arm", name, "emulator") for name in ["interrupt", "async"]}
    barewire, script = options.target / "debug/barewire", options.firmware / "run"
    client = emulated("arm", "client", "emulator")
    more = {"client arm": device_client.checks(client, barewire, servers["arm"])}
    for board, server in servers.items():
        more[f"call {board}"] = device_call.checks(barewire, server, script, board)
    outcomes = device_raw.run(servers, variants, direct, host, script, options.fuzz, more)
    (options.work / "records").mkdir(exist_ok=True)
    for old in recorded(options.work):
        old.unlink()
    lacking, broken = drive.pairs(options.lacks), drive.pairs(options.broken)
    outcomes += device_raw.with_sdks(client, options.work, lacking, broken)
    servers[device_waits.PART] = variants["waits"]
    sessions = asyncio.run(drive.run_sessions(options.work, servers, lacking, broken, CLIENTS))
    print(f"\n{drive.table(sessions, CLIENTS)}\n")
    records = [("schema: records", [str(path) for path in recorded(options.work) if path.suffix == ".txt"])]
    outcomes += sessions + drive.validate(options.work, options.schemas, records, lacking, broken)
    sys.exit(drive.conclude(outcomes, options.since))


main()
