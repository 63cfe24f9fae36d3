"""Every action of the window, once: name, words, tip, shortcut, and when it makes sense.

Owns the registry that menus, buttons and tests share. Knows nothing of how an action is done: the window connects each
one. An action that makes no sense now is disabled, never hidden.
"""

import enum
from collections.abc import Callable

import msgspec
from backtrail.model.memory import MemoryState
from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget


class Name(enum.Enum):
    """The actions."""

    ADD_FOLDER = "add-folder"
    SAVE_NOW = "save-now"
    LOOK_NOW = "look-now"
    OPEN_FOLDER = "open-folder"
    PAUSE = "pause"
    RESUME = "resume"
    STOP_KEEPING = "stop-keeping"
    KEEP_AGAIN = "keep-again"
    GO_BACK = "go-back"
    GET_FILES = "get-files"
    FIND = "find"
    LOSSES = "losses"
    TIMELINE = "timeline"
    GRAPH = "graph"
    FIND_COMMIT = "find-commit"
    ARCHIVES = "archives"
    NEXT_FOLDER = "next-folder"
    PREVIOUS_FOLDER = "previous-folder"
    AUTOSTART = "autostart"
    GO_ON = "go-on"
    QUIT = "quit"
    END = "end"


class Situation(msgspec.Struct, frozen=True, kw_only=True):
    """What decides whether an action makes sense. state: of the folder that is shown, None where there is none.

    paused: that folder is.
    """

    answering: bool = False
    state: MemoryState | None = None
    paused: bool = False
    can_go_back: bool = False
    can_get_files: bool = False
    folders: int = 0
    archives: bool = False


When = Callable[[Situation], bool]


def _always(_: Situation) -> bool:
    return True


def _answering(now: Situation) -> bool:
    return now.answering


def _watched(now: Situation) -> bool:
    return now.answering and now.state is MemoryState.ATTACHED


def _can_pause(now: Situation) -> bool:
    return _watched(now) and not now.paused


def _can_resume(now: Situation) -> bool:
    return _watched(now) and now.paused


def _put_aside(now: Situation) -> bool:
    return now.answering and now.state in {MemoryState.DETACHED, MemoryState.ARCHIVED}


def _shown(now: Situation) -> bool:
    return now.state is not None


def _can_go_back(now: Situation) -> bool:
    return now.answering and now.can_go_back


def _can_get_files(now: Situation) -> bool:
    return now.answering and now.can_get_files


def _archived(now: Situation) -> bool:
    return now.state is not None and now.archives


def _several(now: Situation) -> bool:
    return now.folders > 1


class Spec(msgspec.Struct, frozen=True):
    """One action as it is registered."""

    text: str
    tip: str
    shortcut: str
    when: When


REGISTRY: dict[Name, Spec] = {
    Name.ADD_FOLDER: Spec("Add a folder…", "Keep the work in another folder", "Ctrl+O", _answering),
    Name.SAVE_NOW: Spec("Save now", "Keep this folder as it is at this moment", "Ctrl+S", _watched),
    Name.LOOK_NOW: Spec("Look now", "Look at this folder again", "F5", _watched),
    Name.OPEN_FOLDER: Spec("Open folder", "Open this folder in the file manager", "Ctrl+Shift+O", _shown),
    Name.PAUSE: Spec("Pause for an hour", "Look at this folder no more for an hour", "Ctrl+P", _can_pause),
    Name.RESUME: Spec("Resume", "Look at this folder again from now on", "Ctrl+Shift+P", _can_resume),
    Name.STOP_KEEPING: Spec("Stop keeping this folder", "Nothing is deleted, and you can take it back", "", _watched),
    Name.KEEP_AGAIN: Spec("Keep it again", "Watch this folder again", "", _put_aside),
    Name.GO_BACK: Spec("Go back to this…", "See what going back would do", "Ctrl+B", _can_go_back),
    Name.GET_FILES: Spec("Get files back…", "Choose files of this state", "Ctrl+G", _can_get_files),
    Name.FIND: Spec("Find in the timeline", "Find text, a path or a branch", "Ctrl+F", _shown),
    Name.LOSSES: Spec("Only losses", "Show only where work disappeared", "Ctrl+L", _shown),
    Name.TIMELINE: Spec("Timeline", "What happened in this folder", "Ctrl+1", _shown),
    Name.GRAPH: Spec("Git graph", "The commits of this folder", "Ctrl+3", _shown),
    Name.FIND_COMMIT: Spec("Find a commit", "Find text, an author or an id", "Ctrl+Shift+F", _shown),
    Name.ARCHIVES: Spec("Archives", "Folders that were switched out", "Ctrl+2", _archived),
    Name.NEXT_FOLDER: Spec("Next folder", "Show the next folder", "Ctrl+PgDown", _several),
    Name.PREVIOUS_FOLDER: Spec("Previous folder", "Show the folder before", "Ctrl+PgUp", _several),
    Name.AUTOSTART: Spec("Start with the session", "Your work is kept from the moment you log in", "", _always),
    Name.GO_ON: Spec("Go on keeping when closed", "Your work is kept while no window is open", "", _always),
    Name.QUIT: Spec("Close the window", "Close this window", "Ctrl+W", _always),
    Name.END: Spec("Quit Backtrail", "Close the window and its icon", "Ctrl+Q", _always),
}
FOLDER_MENU = (
    Name.SAVE_NOW,
    Name.LOOK_NOW,
    Name.OPEN_FOLDER,
    None,
    Name.PAUSE,
    Name.RESUME,
    None,
    Name.STOP_KEEPING,
    Name.KEEP_AGAIN,
)
STATE_MENU = (Name.GO_BACK, Name.GET_FILES)
WINDOW_MENU = (
    Name.ADD_FOLDER,
    None,
    *FOLDER_MENU,
    None,
    *STATE_MENU,
    None,
    Name.FIND,
    Name.LOSSES,
    Name.TIMELINE,
    Name.GRAPH,
    Name.FIND_COMMIT,
    Name.ARCHIVES,
    Name.NEXT_FOLDER,
    Name.PREVIOUS_FOLDER,
    None,
    Name.AUTOSTART,
    Name.GO_ON,
    Name.QUIT,
    Name.END,
)


class Actions(QObject):
    """The registry as Qt's actions of one window."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._made = {name: self._make(window, name, spec) for name, spec in REGISTRY.items()}

    def __getitem__(self, name: Name) -> QAction:
        return self._made[name]

    def update(self, now: Situation) -> None:
        """Enable what makes sense now, and nothing else."""
        for name, action in self._made.items():
            action.setEnabled(REGISTRY[name].when(now))

    def menu(self, names: tuple[Name | None, ...], parent: QWidget) -> QMenu:
        """Return a menu of actions; None stands for a line between them."""
        menu = QMenu(parent)
        menu.setToolTipsVisible(True)
        for name in names:
            if name is None:
                menu.addSeparator()
            else:
                menu.addAction(self._made[name])
        return menu

    def listed(self, names: tuple[Name | None, ...]) -> list[QAction]:
        """Return actions by name."""
        return [self._made[name] for name in names if name is not None]

    def _make(self, window: QWidget, name: Name, spec: Spec) -> QAction:
        action = QAction(spec.text, self)
        action.setObjectName(name.value)
        action.setToolTip(f"{spec.tip} ({spec.shortcut})" if spec.shortcut else spec.tip)
        if spec.shortcut:
            action.setShortcut(QKeySequence(spec.shortcut))
            action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        window.addAction(action)
        return action
