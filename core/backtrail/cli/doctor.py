"""`backtrail doctor`: check everything that a promise rests on, and say what to do.

Owns the answer. A Host that cannot be opened is an answer here, not a failure: the check of it is not ok.
"""

from collections.abc import Iterator, Sequence

import click

from backtrail.cli.call import REFUSED, Call, Json
from backtrail.cli.opening import opened
from backtrail.cli.printing import Block
from backtrail.cli.progress_bar import progress_bar
from backtrail.cli.verb import Verb
from backtrail.host.examining import Examining
from backtrail.model.checks import Check, CheckName
from backtrail.model.errors import BacktrailError
from backtrail.model.errors.host import DataFolderUnusable, HostBusy
from backtrail.wording.checks import check_sentence


@click.command(
    "doctor",
    cls=Verb,
    example="backtrail doctor\nbacktrail doctor --rebuild   # a new database from what lies in your folders",
)
@click.option("--repair", is_flag=True, help="Take damaged checkpoints back whose objects are there again.")
@click.option("--rebuild", is_flag=True, help="Put the database aside and make a new one from your folders.")
@click.option("--leaks", is_flag=True, help="Ask every remote, over the network, whether it has your checkpoints.")
@click.pass_obj
def doctor(call: Call, *, repair: bool, rebuild: bool, leaks: bool) -> None:
    """Check data folder, database and every folder. Exit 1 where something is not as it should be."""
    try:
        with opened(call) as host, progress_bar(call) as progress:
            if rebuild:
                host.rebuild()
            checks = list(Examining(host, repair=repair, leaks=leaks, progress=progress).checks())
    except BacktrailError as error:
        name = CheckName.DATA_FOLDER if isinstance(error, DataFolderUnusable | HostBusy) else CheckName.DATABASE
        checks = [Check(name=name, ok=False, error=error)]
    ok = all(check.ok for check in checks)
    call.exit_code = 0 if ok else REFUSED
    call.answer({"ok": ok, "checks": [_json(check) for check in checks]}, _lines(checks))


def _json(check: Check) -> Json:
    said = check_sentence(check)
    told: Json = {"name": check.name, "ok": check.ok, "message": said.message, "remedy": said.remedy}
    return told | {"memory": check.memory or None}


def _lines(checks: Sequence[Check]) -> Iterator[Block]:
    about = None
    for check in checks:
        if check.memory != about:
            about = check.memory
            if about:
                yield f"{about}:"
        said = check_sentence(check)
        yield f"  {'ok    ' if check.ok else 'NOT OK'}  {said.message}"
        if said.remedy and not check.ok:
            yield f"          {said.remedy}"
    bad = sum(not check.ok for check in checks)
    yield "Everything is in order." if not bad else f"{bad} of {len(checks)} checks are not ok."
