"""What the window asks of the desktop around it: choosing a folder or a place for a file, opening one, the clipboard.

Owns the seam, and the Qt side of it. No dialog is waited for: the answer comes by a callback. Paths are bytes.
"""

import os
import shutil
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

import msgspec
from PySide6.QtCore import QObject, QProcess, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication, QIcon
from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMessageBox

CHOOSE = "Choose a folder to keep"
SAVE = "Save a copy"
_OPENER = "xdg-open"


class GoingOn(msgspec.Struct, frozen=True):
    """A question with two answers. go_on is the one that Enter gives; Esc gives none."""

    title: str
    question: str
    remark: str
    go_on: str
    stop: str


class Dialogs(Protocol):
    """The desktop around the window."""

    def choose_folder(self, parent: QWidget, on_chosen: Callable[[bytes], None]) -> None:
        """Let a person choose a folder; nothing is called if they give up."""

    def choose_file(self, parent: QWidget, name: str, on_chosen: Callable[[bytes, bool], None]) -> None:
        """Let a person choose where to write a file; True: they agreed to write over what is there."""

    def open_folder(self, path: bytes, on_nothing: Callable[[], None]) -> None:
        """Open a folder in the file manager; `on_nothing` is called where nothing on this desktop does."""

    def ask_going_on(
        self, parent: QWidget, asked: GoingOn, on_answer: Callable[[bool | None], None]
    ) -> Callable[[], None]:
        """Ask whether to go on: True, False, or None where there is no answer. Return what takes the question back."""

    def copy(self, text: str) -> None:
        """Put text on the clipboard."""


class QtDialogs:
    """The desktop by Qt's means."""

    def choose_folder(self, parent: QWidget, on_chosen: Callable[[bytes], None]) -> None:
        """Open the system's dialog over the window."""
        from PySide6.QtWidgets import QFileDialog  # noqa: PLC0415 - Qt makes much ready for it

        dialog = QFileDialog(parent, CHOOSE)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        chosen = _Chosen(on_chosen, dialog)
        dialog.fileSelected.connect(chosen.tell)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def choose_file(self, parent: QWidget, name: str, on_chosen: Callable[[bytes, bool], None]) -> None:
        """Open the system's dialog over the window; it asks by itself before something is written over."""
        from PySide6.QtWidgets import QFileDialog  # noqa: PLC0415 - as above

        dialog = QFileDialog(parent, SAVE)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setFileMode(QFileDialog.FileMode.AnyFile)
        dialog.selectFile(name)
        chosen = _Place(on_chosen, dialog)
        dialog.fileSelected.connect(chosen.tell)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def open_folder(self, path: bytes, on_nothing: Callable[[], None]) -> None:
        """Hand it to the system. Where that is `xdg-open`, it alone knows whether something took it."""
        if shutil.which(_OPENER):
            _Opening(path, on_nothing, QGuiApplication.instance())
        elif not QDesktopServices.openUrl(QUrl.fromLocalFile(os.fsdecode(path))):
            on_nothing()

    def ask_going_on(
        self, parent: QWidget, asked: GoingOn, on_answer: Callable[[bool | None], None]
    ) -> Callable[[], None]:
        """Ask in a sheet over the window."""
        from PySide6.QtWidgets import QMessageBox  # noqa: PLC0415 - as above

        box = QMessageBox(parent)
        box.setWindowTitle(asked.title)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(asked.question)
        box.setInformativeText(asked.remark)
        go_on = box.addButton(asked.go_on, QMessageBox.ButtonRole.AcceptRole)
        stop = box.addButton(asked.stop, QMessageBox.ButtonRole.DestructiveRole)
        box.addButton(QMessageBox.StandardButton.Cancel).setIcon(QIcon())
        box.setDefaultButton(go_on)
        answers = _Answer({id(go_on): True, id(stop): False}, box, on_answer)
        box.finished.connect(answers.tell)
        box.open()
        return box.reject

    def copy(self, text: str) -> None:
        """Put it on the clipboard."""
        QGuiApplication.clipboard().setText(text)


class _Answer(QObject):
    """Tells which button of a box was pressed."""

    def __init__(self, answers: dict[int, bool], box: "QMessageBox", on_answer: Callable[[bool | None], None]) -> None:
        super().__init__(box)
        self._answers, self._box, self._on_answer = answers, box, on_answer

    def tell(self) -> None:
        """Tell it, and let the box go."""
        pressed = self._box.clickedButton()
        self._box.deleteLater()
        self._on_answer(self._answers.get(id(pressed)) if pressed is not None else None)


class _Opening(QProcess):
    """`xdg-open`, until it has ended."""

    def __init__(self, path: bytes, on_nothing: Callable[[], None], parent: QObject | None) -> None:
        super().__init__(parent)
        self._on_nothing = on_nothing
        self.setStandardOutputFile(QProcess.nullDevice())
        self.setStandardErrorFile(QProcess.nullDevice())
        self.finished.connect(self._ended)
        self.start(_OPENER, [os.fsdecode(path)])

    def _ended(self, code: int) -> None:
        if code:
            self._on_nothing()
        self.deleteLater()


class _Chosen(QObject):
    """Turns Qt's text of a path into bytes."""

    def __init__(self, on_chosen: Callable[[bytes], None], parent: QObject) -> None:
        super().__init__(parent)
        self._on_chosen = on_chosen

    def tell(self, path: str) -> None:
        """Tell the folder."""
        self._on_chosen(os.fsencode(path))


class _Place(QObject):
    """Turns Qt's text of a path into bytes, and tells whether the person was asked about what stands there."""

    def __init__(self, on_chosen: Callable[[bytes, bool], None], parent: QObject) -> None:
        super().__init__(parent)
        self._on_chosen = on_chosen

    def tell(self, path: str) -> None:
        """Tell the place."""
        target = os.fsencode(path)
        self._on_chosen(target, os.path.lexists(target))
