"""The desktop around the window, for tests: keeps what it is asked, and lets the test choose a folder."""

from collections.abc import Callable

from backtrail_desktop.shell.dialogs import GoingOn
from PySide6.QtWidgets import QWidget


class DesktopAround:
    """Fills `Dialogs`."""

    def __init__(self) -> None:
        self.opened: list[bytes] = []
        self.copied: list[str] = []
        self.opens = True
        self.suggested = ""
        self.asked: GoingOn | None = None
        self.answer: Callable[[bool | None], None] | None = None
        self._on_chosen: Callable[[bytes], None] | None = None
        self._on_place: Callable[[bytes, bool], None] | None = None

    def choose_folder(self, parent: QWidget, on_chosen: Callable[[bytes], None]) -> None:
        del parent
        self._on_chosen = on_chosen

    def choose(self, path: bytes) -> None:
        assert self._on_chosen is not None, "nobody asks for a folder"
        self._on_chosen(path)

    def choose_file(self, parent: QWidget, name: str, on_chosen: Callable[[bytes, bool], None]) -> None:
        del parent
        self.suggested, self._on_place = name, on_chosen

    def choose_place(self, path: bytes, *, over: bool = False) -> None:
        assert self._on_place is not None, "nobody asks for a place"
        self._on_place(path, over)

    def ask_going_on(
        self, parent: QWidget, asked: GoingOn, on_answer: Callable[[bool | None], None]
    ) -> Callable[[], None]:
        del parent
        self.asked, self.answer = asked, on_answer
        return lambda: on_answer(None)

    def open_folder(self, path: bytes, on_nothing: Callable[[], None]) -> None:
        self.opened.append(path)
        if not self.opens:
            on_nothing()

    def copy(self, text: str) -> None:
        self.copied.append(text)
