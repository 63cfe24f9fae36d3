"""Help and completion must not wait for libgit2, a database or a terminal library, and must never open a folder."""

import subprocess
import sys

import pytest

HEAVY = ("pygit2", "peewee", "rich", "psutil", "msgspec", "backtrail.host.host")
PROBE = "import sys; {}; print([name for name in {!r} if name in sys.modules])"


@pytest.mark.parametrize("begin", ["import backtrail.cli.main", "from backtrail.cli.main import run; run(['--help'])"])
def test_the_program_starts_without_what_is_heavy(begin: str) -> None:
    probe = PROBE.format(begin, HEAVY)
    said = subprocess.run([sys.executable, "-c", probe], capture_output=True, check=True, text=True).stdout
    assert said.splitlines()[-1] == "[]"


def test_a_command_that_prints_no_table_on_a_terminal_never_loads_rich(tmp_path: object) -> None:
    probe = PROBE.format(f"from backtrail.cli.main import run; run(['--home', {str(tmp_path)!r}, 'status'])", ("rich",))
    said = subprocess.run([sys.executable, "-c", probe], capture_output=True, check=True, text=True).stdout
    assert said.splitlines()[-1] == "[]"
