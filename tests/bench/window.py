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
import time

from make_tree import make_tree

_RUNS = 7
_FILES = 50_000
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

_GAPS = """
import os, pathlib, subprocess, sys, time
sys.path.insert(0, sys.argv[1])
from PySide6.QtCore import QEventLoop, QSettings, Qt, QTimer
from PySide6.QtWidgets import QApplication
from backtrail_desktop.shell.application import Running
from backtrail_desktop.shell.collecting import Collecting
from backtrail_desktop.timeline.wish import Wanted, Wish
home, tree = pathlib.Path(sys.argv[2], "data"), os.path.join(sys.argv[2], "tree")
QSettings.setPath(QSettings.Format.NativeFormat, QSettings.Scope.UserScope, sys.argv[2])
app = QApplication([])
app.setStyle("Fusion")
Collecting(app)
running = Running(app, home, tree)
window, loop, timer = running.window, QEventLoop(), QTimer()
gaps, last, wanted, told = [], [time.perf_counter(), time.thread_time()], [], []
def tick():
    now = [time.perf_counter(), time.thread_time()]
    gaps.append((now[0] - last[0], now[1] - last[1]))
    last[:] = now
    if wanted and wanted[0]():
        loop.quit()
timer.setTimerType(Qt.TimerType.PreciseTimer)
timer.timeout.connect(tick)
timer.start(1)
def give_up():
    print("nothing came of:", step, file=sys.stderr, flush=True)
    os._exit(1)
deadline = QTimer()
deadline.timeout.connect(give_up)
def until(what, condition):
    global step
    step = what
    deadline.start(120_000)
    wanted[:] = [condition]
    loop.exec()
def states():
    return window.rooms.folder_page.timeline.model.pages.loaded if window.rooms.memory else []
def files():
    return window.rooms.folder_page.details.files_model.rowCount()
window.deeds.told.connect(told.append)
running.begin()
until("the first state", lambda: told and states())
git = subprocess.Popen(["git", "-C", tree, "rm", "-r", "-q", "."])
until("git rm", lambda: git.poll() is not None)
told.clear()
window.deeds.look(window.rooms.memory)
until("the state without files", lambda: told and len(states()) > 1)
window.rooms.folder_page.timeline.stand_on(states()[0].id)
until("its files", lambda: files() > 1000)
window.acting.open_guide(Wish(states()[-1].id, Wanted.FILES))
until("the guide's files", lambda: window.guiding.guide.plan_page.files.model.rowCount() > 1000)
window.guiding.guide.reject()
until("the guide's end", lambda: window.guiding.guide is None)
until("one more turn", lambda: True)
deadline.stop()
timer.stop()
window.close()
running.end()
while running.starter.pid:  # it brings what it does to its end
    time.sleep(0.05)
print(max(gap for gap, _ in gaps) * 1000, max(work for _, work in gaps) * 1000)
"""


class Scripts:
    """Runs scripts, each in a process of its own, on code that is compiled already, as an installed window's is."""

    def __init__(self, home: str) -> None:
        self.home = home
        self._environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        self._environment |= {"QT_QPA_PLATFORM": "offscreen", "PYTHONPYCACHEPREFIX": os.path.join(home, "compiled")}
        self._environment["XDG_RUNTIME_DIR"] = home

    def run(self, script: str) -> tuple[float, str]:
        """Return a script's seconds and what it printed."""
        words = [sys.executable, "-c", script, str(_TESTS), self.home]
        before = time.perf_counter()
        done = subprocess.run(words, env=self._environment, stdout=subprocess.PIPE, check=True, text=True)
        return time.perf_counter() - before, done.stdout.strip()


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
    make_tree(os.path.join(scripts.home, "tree"), _FILES, 50)
    longest, work = (float(word) for word in scripts.run(_GAPS)[1].split())
    told = "no gap of the UI thread > 50 ms, 50,000 files"
    print(f"{told:58} {work:8.1f} ms of its own work at most; {longest:.1f} ms with what else ran  wanted at most 50")


if __name__ == "__main__":
    main()
