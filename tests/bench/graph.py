"""Print what the Git graph costs, against `git rev-list --topo-order --parents` on the same repository in the same run.

usage: graph.py [REPOSITORY]

Without REPOSITORY on a history of 203,352 commits and one of a million. The window's part runs offscreen in a process
of its own; another one scrolls all the while: its longest gap is that of the thread that paints.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from typing import IO

from make_history import make_history

_MILLION = 1_000_000
_TESTS = pathlib.Path(__file__).parents[1]
_PANEL = """
import json, os, sys, time
sys.path.insert(0, sys.argv[1])
if sys.argv[3] == "reader":
    import shutil
    shutil.which = lambda name, *more: None
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from backtrail_desktop.client.reader_client import ReaderClient
from backtrail_desktop.graph.panel import GraphPanel
from backtrail_desktop.shell.collecting import Collecting
from desktop.answering_port import AnsweringPort
from desktop.values import memory

app = QApplication([])
app.setStyle("Fusion")
Collecting(app)
reader = ReaderClient()
reader.start()
panel = GraphPanel(AnsweringPort(), reader)
panel.resize(420, 500)
panel.show()
begin = last = time.perf_counter()
told = {"gap": 0.0}
while time.perf_counter() < begin + 1.0:
    app.processEvents()
    time.sleep(0.005)
first, done = [], []
def used_mb():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
def shown():
    if not first and panel.model.rowCount() > 1:
        first.append(time.perf_counter())
panel.model.modelReset.connect(shown)
panel.loading.finished.connect(lambda: done.append(time.perf_counter()))
before, paths = used_mb(), time.perf_counter()
panel.show_memory(memory(path=os.fsencode(sys.argv[2])))
last, at = time.perf_counter(), 0
def tick():
    global last, at
    now = time.perf_counter()
    told["gap"] = max(told["gap"], now - last)
    last = now
    bar = panel.table.verticalScrollBar()
    at += 3 * panel.table.rowHeight(0)
    bar.setValue(at % max(1, bar.maximum()))
timer = QTimer()
timer.setInterval(10)
timer.timeout.connect(tick)
if sys.argv[4] == "scroll":
    timer.start()
panel.loading.finished.connect(app.quit)
app.exec()
told |= {"first": first[0] - paths, "all": done[0] - paths, "rows": panel.model.rowCount()}
told["memory"] = used_mb() - before
timer.stop()
panel.close_processes()
reader.close()
print(json.dumps(told))
"""


def main() -> None:
    """Print the lines."""
    if sys.argv[1:]:
        measure(pathlib.Path(sys.argv[1]))
        return
    with tempfile.TemporaryDirectory() as top:
        real, long = pathlib.Path(top, "real"), pathlib.Path(top, "million")
        make_history(str(real))
        measure(real)
        make_million(long)
        measure(long)


def measure(root: pathlib.Path) -> None:
    """Print the lines of one repository."""
    begin = time.perf_counter()
    command = ["git", "-C", str(root), "rev-list", "--topo-order", "--parents", "HEAD"]
    with tempfile.TemporaryFile() as rows:
        subprocess.run([*command, "--branches", "--remotes", "--tags"], stdout=rows, check=True)
    git = time.perf_counter() - begin
    for printer in ("git", "reader"):
        told = _told(root, printer)
        print(f"{told['rows']:,} rows by {printer}: git rev-list {git:.2f} s in the same run")
        print(f"  first rows     {told['first'] * 1000:6.0f} ms   (wanted: 100)")
        print(f"  all rows       {told['all']:6.2f} s    {told['all'] / git:4.2f} times that  (wanted: 2)")
        print(f"  longest gap    {told['gap'] * 1000:6.0f} ms   (wanted: 50, scrolling all the while)")
        print(f"  memory         {told['memory']:6.0f} MB   (wanted: 150 for a million)", flush=True)


def _told(root: pathlib.Path, printer: str) -> dict[str, float]:
    """Load once for the times, and once scrolling for the gap."""
    return _run(root, printer, "rest") | {"gap": _run(root, printer, "scroll")["gap"]}


def _run(root: pathlib.Path, printer: str, how: str) -> dict[str, float]:
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-c", _PANEL, str(_TESTS), str(root), printer, how]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    answer: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return answer


def make_million(root: pathlib.Path) -> None:
    """Make a repository of a million commits: one line, from which every tenth commit forks and comes back."""
    subprocess.run(["git", "init", "-q", "-b", "main", str(root)], check=True)
    feeding = subprocess.Popen(["git", "-C", str(root), "fast-import", "--quiet"], stdin=subprocess.PIPE)
    feed = feeding.stdin
    assert feed is not None
    for number in range(1, _MILLION + 1):
        _commit(feed, number)
    feed.close()
    if feeding.wait():
        raise SystemExit("git fast-import failed")


def _commit(feed: IO[bytes], number: int) -> None:
    branch, parents = b"main", b""
    if number % 10 == 5:
        branch, parents = b"side", b"from :%d\n" % (number - 1)
    elif number % 10 == 6 and number > 6:
        parents = b"from :%d\n" % (number - 2)
    elif number % 10 == 9:
        parents = b"from :%d\nmerge :%d\n" % (number - 1, number - 4)
    stamp = b"Writer <w@example.invalid> %d +0000" % (1_000_000_000 + 60 * number)
    head = b"commit refs/heads/%b\nmark :%d\ncommitter %b\n" % (branch, number, stamp)
    feed.write(head + b"data 7\ncommit\n" + parents + b"\n")


if __name__ == "__main__":
    main()
