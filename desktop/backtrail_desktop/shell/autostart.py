"""The entry that starts Backtrail with the session: a file of the Desktop Application Autostart Specification.

Owns that file: whether it says to start, making it, and taking it away. What another program or a person wrote into it
stays, but for the line that decides. Raises OSError where the file cannot be read or written. Does not handle an entry
for all users below /etc.
"""

import os
import pathlib
import re
import tempfile
from collections.abc import Mapping, Sequence

NAME = "backtrail.desktop"
_OURS = b"X-Backtrail-Made=true"
_GROUP = b"[Desktop Entry]"
_DECIDES = re.compile(rb"(Hidden|X-GNOME-Autostart-enabled)[ \t]*=[ \t]*(.*?)[ \t]*")
_EXEC = re.compile(rb"Exec[ \t]*=[ \t]*[^ \t].*")
_RESERVED = re.compile(rb'(["`$\\])')


def autostart_folder(environment: Mapping[str, str] = os.environ) -> pathlib.Path:
    """Return where the entries of this person lie."""
    configured = environment.get("XDG_CONFIG_HOME", "")
    base = pathlib.Path(configured) if os.path.isabs(configured) else pathlib.Path.home() / ".config"
    return base / "autostart"


class Autostart:
    """The entry. command: what it starts, word by word."""

    def __init__(self, folder: pathlib.Path, command: Sequence[str]) -> None:
        self.path = folder / NAME
        self._command = [os.fsencode(word) for word in command]

    def is_on(self) -> bool:
        """Tell whether the session starts Backtrail, as the disk says now."""
        lines = self._lines()
        return any(_EXEC.fullmatch(line) for line in lines) and not any(_puts_off(line) for line in lines)

    def put_on(self) -> None:
        """Have the session start Backtrail: this program, unless the entry is of another's making."""
        lines = self._lines()
        if _OURS not in lines and any(_EXEC.fullmatch(line) for line in lines):
            self._write([line for line in lines if not _puts_off(line)])
        else:
            start = b"Exec=" + exec_value(self._command)
            self._write([_GROUP, b"Type=Application", b"Name=Backtrail", start, b"Terminal=false", _OURS])

    def put_off(self) -> None:
        """Have the session start it no more: an entry of another's making stays, and is hidden."""
        lines = self._lines()
        if _OURS in lines:
            self.path.unlink(missing_ok=True)
        elif _GROUP in lines:
            after = lines.index(_GROUP) + 1
            kept = [line for line in lines[after:] if not _DECIDES.fullmatch(line)]
            self._write([*lines[:after], b"Hidden=true", *kept])

    def _lines(self) -> list[bytes]:
        try:
            return self.path.read_bytes().split(b"\n")
        except FileNotFoundError:
            return []

    def _write(self, lines: Sequence[bytes]) -> None:
        """Put a whole new file in place of the old one; one that is a link stays a link."""
        place = pathlib.Path(os.path.realpath(self.path))
        place.parent.mkdir(parents=True, exist_ok=True)
        number, name = tempfile.mkstemp(prefix=f".{NAME}.", dir=place.parent)
        try:
            with os.fdopen(number, "wb") as made:
                made.write(b"\n".join(lines).rstrip(b"\n") + b"\n")
                made.flush()
                os.fsync(made.fileno())
                os.fchmod(made.fileno(), 0o644)
            os.replace(name, place)
        except BaseException:
            os.unlink(name)
            raise


def exec_value(command: Sequence[bytes]) -> bytes:
    """Return the value of `Exec` for a command, quoted by the Desktop Entry Specification.

    Each word stands in quotes with its reserved characters escaped and % doubled; then the value as a whole is escaped
    like any string of such a file.
    """
    words = [b'"' + _RESERVED.sub(rb"\\\1", word).replace(b"%", b"%%") + b'"' for word in command]
    value = b" ".join(words).replace(b"\\", b"\\\\")
    return value.replace(b"\n", b"\\n").replace(b"\t", b"\\t").replace(b"\r", b"\\r")


def _puts_off(line: bytes) -> bool:
    """Tell whether a line keeps the entry from being started."""
    found = _DECIDES.fullmatch(line)
    return found is not None and found[2] == (b"true" if found[1] == b"Hidden" else b"false")
