"""What every client has to see of the firmware `waits`: the same as of its application on the host, but one tool runs at a time."""

import checks
import methods_checks
import wire
from checks import equal, error, text

PART = "waits"
# Slots of the firmware for calls: of the one that runs, and of those that wait. So many fit into its input.
SLOTS = 4
BUSY = (-32603, "Server busy")

for known in methods_checks.CHECKS:
    if known.run != methods_checks.asynchronous_at_once:
        checks.check(known.eras, known.revisions, known.clients, PART, known.lacks)(known.run)


@checks.check(part=PART)
async def one_after_another(session):
    answers = await session.ok("calls", calls=[["count", {"to": 5}]] * 3 * SLOTS)
    for number, answer in enumerate(answers):
        if number < SLOTS or "ok" in answer:
            equal(text(answer["ok"]), "counted to 5")
        else:
            error(answer, *BUSY)


wire.CHECKS[PART] = [wire.answers, wire.cancellation, wire.progress, wire.closing]
