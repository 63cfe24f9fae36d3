"""Looking at a folder from a process of its own: `python -m core.other_process HOME ROOT` prints what came of it.

For what only a new process can show: another environment, another HOME, or a user who may not read everything.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
_UNPRIVILEGED = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search")
"""Root without the two capabilities that let it read everything is a user like any other, and still owns tmp_path."""


def keep_elsewhere(
    home: Path, root: Path, environment: dict[str, str] | None = None, *, privileged: bool = True
) -> dict[str, object]:
    """Look once, in a process with this environment; return the facts that it printed."""
    command = [sys.executable, "-m", "core.other_process", str(home), str(root)]
    if not privileged:
        command = [*as_an_ordinary_user(), *command]
    all_of_it = os.environ | {"PYTHONPATH": str(TESTS)} | (environment or {})
    done = subprocess.run(command, env=all_of_it, capture_output=True, check=True, text=True, timeout=60)
    told: dict[str, object] = json.loads(done.stdout)
    return told


def as_an_ordinary_user() -> tuple[str, ...]:
    """Return what begins a command that may not read everything."""
    return _UNPRIVILEGED if os.geteuid() == 0 else ()


def main() -> None:
    from backtrail.model.errors import BacktrailError  # noqa: PLC0415 - the parent imports none of this
    from core.keeping import Keeping  # noqa: PLC0415

    try:
        with Keeping(Path(sys.argv[1]), Path(sys.argv[2])).opened() as work:
            observed = work.scan()
    except BacktrailError as error:
        told: dict[str, object] = {"error": error.code, "why": error.facts().get("why")}
    else:
        coverage = observed.look.state.coverage
        told = {
            "checkpoint": observed.checkpoint.id if observed.checkpoint else None,
            "failure": observed.failure.code if observed.failure else None,
            "protection": observed.protection.state,
            "left_out": [[os.fsdecode(item.path), item.reason] for item in coverage.left_out],
            "ignored": coverage.ignored_count,
            "lost": [os.fsdecode(item.path) for item in observed.checkpoint.lost] if observed.checkpoint else [],
        }
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main()
