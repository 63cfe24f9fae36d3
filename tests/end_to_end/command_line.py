"""The program as other programs call it: a process of its own, its exit code, and its one JSON object."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

PROGRAM = (sys.executable, "-m", "backtrail.cli.main")


class CommandLine:
    """`backtrail` with a data folder of its own and nobody's configuration."""

    def __init__(self, home: Path) -> None:
        nobody = home.parent / "nobody"
        nobody.mkdir(parents=True, exist_ok=True)
        self.home = home
        self.environment = {n: v for n, v in os.environ.items() if not n.startswith(("GIT_", "XDG_", "BACKTRAIL_"))}
        self.environment |= {"BACKTRAIL_HOME": str(home), "HOME": str(nobody), "COLUMNS": "120"}

    def run(
        self, *arguments: str | bytes | Path, code: int = 0, cwd: Path | None = None, given: bytes = b""
    ) -> subprocess.CompletedProcess[bytes]:
        """Run one command as a person would; check its exit code."""
        done = subprocess.run(
            [*PROGRAM, *arguments], env=self.environment, cwd=cwd, input=given, capture_output=True, check=False
        )
        assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
        return done

    def ask(self, *arguments: str | bytes | Path, code: int = 0, cwd: Path | None = None) -> dict[str, Any]:
        """Run one command with `--json`; return its one object, which must be all that stdout holds."""
        done = self.run("--json", *arguments, code=code, cwd=cwd)
        told: dict[str, Any] = json.loads(done.stdout)
        assert done.stdout.count(b"\n") == 1
        assert done.stdout.endswith(b"\n")
        return told

    def refused(self, *arguments: str | bytes | Path, cwd: Path | None = None) -> str:
        """Run one command that must be refused; return the code."""
        error = self.ask(*arguments, code=1, cwd=cwd)["error"]
        assert error["message"]
        assert error["remedy"]
        assert isinstance(error["data"], dict)
        return str(error["code"])

    def text(self, *arguments: str | bytes | Path, cwd: Path | None = None) -> str:
        """Run one command as a person would; return what it printed."""
        return self.run(*arguments, cwd=cwd).stdout.decode()
