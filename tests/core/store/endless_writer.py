"""A process that writes transactions until it is killed: `python -m core.store.endless_writer DATABASE`.

It prints `in N` in the middle of the N-th transaction and `done N` after it.
"""

import pathlib
import sys

import msgspec
from backtrail.model.checkpoint import OBSERVED
from backtrail.model.ids import CheckpointId, new_id
from backtrail.store.database import Database
from core.store import facts


def main() -> None:
    with Database.open(pathlib.Path(sys.argv[1])) as database:
        if database.memories.get(facts.NOTES) is None:
            database.memories.add(facts.memory(), None)
        while True:
            begun = database.checkpoints.begin(facts.NOTES, CheckpointId(new_id()), OBSERVED, facts.NOW)
            with database.transaction():
                database.checkpoints.record(msgspec.structs.replace(facts.checkpoint(begun.seq), id=begun.id))
                say("in", begun.seq)
                database.inbox.admit(facts.event(begun.seq), facts.admission(begun.seq))
                database.observations.put(facts.observation(begun.id))
            say("done", begun.seq)


def say(word: str, number: int) -> None:
    sys.stdout.write(f"{word} {number}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
