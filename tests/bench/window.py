"""Print what the window costs: each process by itself, offscreen, against an empty PySide6 window in the same run.

usage: window.py

The lines are those of the desktop's budgets that exist so far. What needs a Git graph comes with it.
"""

import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

_RUNS = 7
_TESTS = pathlib.Path(__file__).parents[1]

_EMPTY = """
from PySide6.QtWidgets import QApplication, QMainWindow
app = QApplication([])
window = QMainWindow()
window.show()
app.processEvents()
"""

_OURS = """
import pathlib, sys
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
from backtrail_desktop.client.host_client import HostClient
from backtrail_desktop.client.reader_client import ReaderClient
from backtrail_desktop.shell.window import MainWindow
app = QApplication([])
app.setStyle("Fusion")
home = pathlib.Path(sys.argv[2])
settings = QSettings(str(home / "s.ini"), QSettings.Format.IniFormat)
window = MainWindow(HostClient(home), ReaderClient(), settings=settings)
window.show()
app.processEvents()
"""

_TIMELINE = """
import pathlib, sys, time
sys.path.insert(0, sys.argv[1])
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
from backtrail.model.commands import CheckpointPage
from backtrail_desktop.timeline.panel import TimelinePanel
from desktop.answering_port import AnsweringPort
from desktop import values
app = QApplication([])
app.setStyle("Fusion")
host = AnsweringPort()
memory = values.memory()
page = tuple(values.checkpoint(10_000 - number) for number in range(500))
home = pathlib.Path(sys.argv[2])
panel = TimelinePanel(host, QSettings(str(home / "s.ini"), QSettings.Format.IniFormat))
panel.resize(1000, 700)
panel.show()
app.processEvents()
begin = time.perf_counter()
panel.show_memory(memory)
app.processEvents()
host.questions[-1].answer(CheckpointPage(page, True, 10_000))
app.processEvents()
print((time.perf_counter() - begin) * 1000)
"""


class Scripts:
    """Runs scripts, each in a process of its own, on code that is compiled already, as an installed window's is."""

    def __init__(self, home: str) -> None:
        self._home = home
        self._environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        self._environment |= {"QT_QPA_PLATFORM": "offscreen", "PYTHONPYCACHEPREFIX": os.path.join(home, "compiled")}

    def run(self, script: str) -> tuple[float, str]:
        """Return a script's seconds and what it printed."""
        words = [sys.executable, "-c", script, str(_TESTS), self._home]
        before = os.times()
        done = subprocess.run(words, env=self._environment, stdout=subprocess.PIPE, check=True, text=True)
        return os.times().elapsed - before.elapsed, done.stdout.strip()


def main() -> None:
    """Print every line."""
    with tempfile.TemporaryDirectory() as home:
        measure(Scripts(home))


def measure(scripts: Scripts) -> None:
    """Print every line, with these scripts."""
    for script in (_EMPTY, _OURS):
        scripts.run(script)
    times = [(scripts.run(_EMPTY)[0], scripts.run(_OURS)[0]) for _ in range(_RUNS)]
    empty, ours = (statistics.median(column) for column in zip(*times, strict=True))
    ratio = statistics.median(one / other for other, one in times)
    print(
        f"{'window painted, whole process':58} {ours:8.3f} s  {ratio:6.2f} x an empty window ({empty:.3f} s)  wanted 2"
    )
    opened = statistics.median(float(scripts.run(_TIMELINE)[1]) for _ in range(_RUNS))
    print(f"{'timeline with 10,000 states open':58} {opened:8.1f} ms  wanted at most 150")


if __name__ == "__main__":
    main()
