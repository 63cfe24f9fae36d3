"""watchdog's inotify reader: one descriptor and one thread for all memories.

Owns opening and closing it, and telling which limit was met. Of watchdog 7.1 only `InotifyFD` is used, the part that
reads and parses; its observers and emitters are not, because of their traps: a tree of 4,500 folders that loops for
ever, an overflow or a lack of watches that nobody hears of, a KeyError after an exchange of two folders. `InotifyFD` is
no promised interface, hence the pin. Linux only.
"""

import errno
import itertools
import threading
from collections.abc import Callable
from pathlib import Path

from watchdog.observers.inotify_c import CallbackId, InotifyConstants, InotifyFD, Mask, WatchCallback, WatchDescriptor

from backtrail.model.watching import Shortage

WRITES = Mask(
    InotifyConstants.IN_MODIFY
    | InotifyConstants.IN_ATTRIB
    | InotifyConstants.IN_CLOSE_WRITE
    | InotifyConstants.IN_MOVED_FROM
    | InotifyConstants.IN_MOVED_TO
    | InotifyConstants.IN_CREATE
    | InotifyConstants.IN_DELETE
    | InotifyConstants.IN_ONLYDIR
    | InotifyConstants.IN_DONT_FOLLOW
    | InotifyConstants.IN_EXCL_UNLINK
)
"""Never opens and reads: a walk of our own would fill the queue. One mask for all, since memories may share a folder
and the kernel keeps one mask for each."""

_SETTINGS = {  # the second of each rules inside a container
    errno.ENOSPC: ("fs.inotify.max_user_watches", "user.max_inotify_watches"),
    errno.EMFILE: ("fs.inotify.max_user_instances", "user.max_inotify_instances"),
}


class Inotify:
    """The reader, opened at first need, and opened anew if its thread ended. Used by several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._reader: InotifyFD | None = None
        self._ids = itertools.count(1)

    def reader(self) -> InotifyFD:
        """Return the running reader. Raises OSError (EMFILE) if there is none to be had."""
        with self._lock:
            if self._reader is None or not is_running(self._reader):
                self._reader = InotifyFD()
                self._reader.start()
            return self._reader

    def watch(self, reader: InotifyFD, path: bytes, listener: WatchCallback) -> tuple[WatchDescriptor, CallbackId]:
        """Watch one folder. Raises OSError: ENOSPC when the limit is met, EACCES, ENOENT, ENOTDIR and others."""
        callback_id = CallbackId(next(self._ids))  # an id used twice for one folder would only make watchdog warn
        descriptor = reader.add_callback(path, WRITES, listener, callback_id)
        if descriptor == -1:  # watchdog is silent about EACCES and books a watch "-1"
            reader.remove_callbacks([(descriptor, callback_id)])
            raise PermissionError(errno.EACCES, "no permission to watch", path)
        return descriptor, callback_id

    def close(self, timeout: float) -> None:
        """Give all watches back and end the thread."""
        with self._lock:
            reader, self._reader = self._reader, None
        if reader is not None:
            reader.stop()
            reader.join(timeout)


def is_running(reader: InotifyFD) -> bool:
    """Tell whether a reader hears what happens; one that is about to end has given its watches back already."""
    return reader.is_alive() and bool(reader.should_keep_running())


def shortage(error: OSError, count: Callable[[], int]) -> Shortage | None:
    """Return which limit refused with `error`, None if none did. count: tells how many folders would be watched."""
    settings = _SETTINGS.get(error.errno or 0)
    if settings is None:
        return None
    folders = count()
    known = [(limit, setting) for setting in settings if (limit := present_limit(setting)) is not None]
    if not known:
        return Shortage(settings[0], None, folders, None)
    limit, setting = min(known)
    return Shortage(setting, limit, folders, limit * 2 if error.errno == errno.EMFILE else limit + max(limit, folders))


def present_limit(setting: str) -> int | None:
    """Return the value of a sysctl now, None if it cannot be read."""
    try:
        return int((Path("/proc/sys") / setting.replace(".", "/")).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
