"""Starting the Host in the background, as a process of its own that outlives the window.

Owns the process that it started, and the pipe over which that says it is ready; nobody waits for either. A Host that
serves already is used instead. Ends only the process that it started, when it is told to, and only where no other
window uses it.
"""

import contextlib
import os
import pathlib
import subprocess
import sys

from PySide6.QtCore import QObject, QSocketNotifier, Signal

from backtrail_desktop.client.host_client import HostClient
from backtrail_desktop.client.port import Link, LinkState
from backtrail_desktop.client.windows import SharedByWindows

NO_REASON = "It ended before it was ready."
_PATIENCE_S = 3.0
_AT_ONCE = 1 << 16
_PRIVATE = 0o700


class HostStarter(QObject):
    """Starts a Host whenever the client finds none. failed(str): it could not be started, and why."""

    failed = Signal(str)

    def __init__(self, client: HostClient, home: pathlib.Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._client, self._home = client, home
        self._started: list[subprocess.Popen[bytes]] = []
        self._ready = -1
        self._told = b""
        self._notifier: QSocketNotifier | None = None
        self._shared = SharedByWindows(home)
        client.missing.connect(self._start)
        client.link_changed.connect(self._link_changed)

    @property
    def pid(self) -> int | None:
        """The process that was started and runs."""
        self._reap()
        return self._started[-1].pid if self._started else None

    def is_alone(self) -> bool:
        """Tell whether a Host runs that was started here, and no other window uses it."""
        return self.pid is not None and not self._shared.has_others()

    def leave(self) -> None:
        """Let the Host that was started here go on by itself."""
        self._forget_pipe()
        self._shared.leave()
        self._started.clear()

    def stop(self) -> None:
        """Have the Host that was started here end; what it is doing comes to its end first."""
        self._forget_pipe()
        self._reap()
        last = self._shared.is_last()
        self._shared.leave()
        if not last:
            return
        for process in self._started:
            process.terminate()
        for process in self._started:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_PATIENCE_S)
        self._reap()

    def _link_changed(self, state: LinkState) -> None:
        if state.link is Link.READY:
            self._shared.take()
        self._reap()

    def _start(self) -> None:
        if self._notifier is not None:
            return  # one is on its way
        try:
            self._home.mkdir(parents=True, exist_ok=True, mode=_PRIVATE)
            self._shared.take()
            self._launch()
        except OSError as error:
            self._give_up(error.strerror or str(error))

    def _launch(self) -> None:
        program = (sys.executable, "-P", "-m", "backtrail.cli.main", "--home", str(self._home), "watch", "--ready-fd")
        self._ready, there = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            with self._log.open("wb") as log:
                process = subprocess.Popen(
                    (*program, str(there)),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=log,
                    pass_fds=(there,),
                    start_new_session=True,
                    cwd="/",
                )
                self._started.append(process)
        except OSError:
            self._forget_pipe()
            raise
        finally:
            os.close(there)
        self._told = b""
        self._notifier = QSocketNotifier(self._ready, QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._read)

    @property
    def _log(self) -> pathlib.Path:
        return self._home / "watch.log"

    def _read(self) -> None:
        with contextlib.suppress(BlockingIOError):
            data = os.read(self._ready, _AT_ONCE)
            self._told += data
            if not data:
                self._forget_pipe()
                self._said()

    def _said(self) -> None:
        if self._told:
            self._client.start()
        else:
            self._give_up(self._reason())

    def _reason(self) -> str:
        """Return the last that the process said."""
        with contextlib.suppress(OSError):
            said = self._log.read_text("utf-8", "replace").splitlines()
            return " ".join(line.removeprefix("backtrail: ").strip() for line in said[-2:]) or NO_REASON
        return NO_REASON

    def _give_up(self, reason: str) -> None:
        self._client.give_up()
        self.failed.emit(reason)

    def _reap(self) -> None:
        """Take note of who has ended."""
        self._started = [process for process in self._started if process.poll() is None]

    def _forget_pipe(self) -> None:
        if self._notifier is not None:
            self._notifier.setEnabled(False)
            self._notifier.deleteLater()
            self._notifier = None
        if self._ready >= 0:
            os.close(self._ready)
            self._ready = -1
