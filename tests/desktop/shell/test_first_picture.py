"""The first picture comes soon: nothing is imported for it that it does not show."""

import subprocess
import sys
from pathlib import Path

PAINTED = """
import pathlib, sys
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
from backtrail_desktop.client.host_client import HostClient
from backtrail_desktop.client.reader_client import ReaderClient
from backtrail_desktop.shell.window import MainWindow
app = QApplication([])
home = pathlib.Path(sys.argv[1])
settings = QSettings(str(home / "s.ini"), QSettings.Format.IniFormat)
window = MainWindow(HostClient(home), ReaderClient(), settings=settings)
window.show()
app.processEvents()
print("\\n".join(sys.modules))
"""
LATE = (
    "backtrail_desktop.restore",
    "backtrail_desktop.archives",
    "backtrail_desktop.details",
    "backtrail_desktop.timeline.panel",
    "backtrail_desktop.folders.panel",
    "backtrail_desktop.shell.first_minute",
    "backtrail.wording.errors",
    "PySide6.QtNetwork",
    "difflib",
    "asyncio",
    "pygit2",
    "peewee",
)


def test_the_first_picture_waits_for_no_room_that_it_does_not_show(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", PAINTED, str(tmp_path)], capture_output=True, check=True, text=True)
    imported = done.stdout.split()
    assert "backtrail_desktop.shell.window" in imported
    assert [name for name in imported if name.startswith(LATE)] == []
