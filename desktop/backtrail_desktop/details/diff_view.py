"""One file's difference, line by line, with the changes within lines marked.

Owns the text and its backgrounds. The text goes in at once and only visible lines are painted over, so that ten
thousand lines show without a pause. Every character from the repository is shown escaped; very long lines are cut, and
say so. Colour is never the only sign: each line keeps its plus or minus.
"""

from backtrail.model.changes import DiffLine, FileDiff, LineKind, Shown
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QTextBlock, QTextOption
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from backtrail_desktop.details import words
from backtrail_desktop.details.inline import Range, changed_ranges, partner_of
from backtrail_desktop.shell.palette import Colours, colours_of
from backtrail_desktop.shell.plain_text import plain_text
from backtrail_desktop.timeline.fonts import fixed

_SIGNS = {LineKind.SAME: " ", LineKind.ADDED: "+", LineKind.REMOVED: "-", LineKind.HUNK: ""}
_LONGEST = 2000
_TAB = 4


class DiffView(QPlainTextEdit):
    """Shows a `FileDiff`, or a sentence instead."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines: tuple[DiffLine, ...] = ()
        self._shown: list[str] = []
        self._ranges: dict[int, list[Range]] = {}
        self.setAccessibleName("Difference")
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setWordWrapMode(QTextOption.WrapMode.NoWrap)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.document().setDocumentMargin(6)
        self.setFont(fixed(self.font()))

    def say(self, sentence: str) -> None:
        """Show a sentence and no lines."""
        self._set((), [plain_text(sentence)])

    def show_diff(self, diff: FileDiff) -> None:
        """Show a difference, or why it is not shown."""
        why = words.not_shown(diff)
        if why or diff.shown is not Shown.TEXT:
            self.say(why)
        elif not diff.lines:
            self.say(words.ONLY_ENDS)
        else:
            texts = [_text(line) for line in diff.lines]
            self._set(diff.lines, [*texts, words.CUT] if diff.cut else texts)

    def marked(self, at: int) -> list[Range]:
        """Return the parts of a line that differ from its partner, in characters of what is shown."""
        if at not in self._ranges:
            self._ranges[at] = self._find_ranges(at)
        return self._ranges[at]

    # Qt's overrides

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paint backgrounds below the text, for the lines that are seen."""
        painter = QPainter(self.viewport())
        colours = colours_of(self)
        block = self.firstVisibleBlock()
        while block.isValid():
            place = self.blockBoundingGeometry(block).translated(self.contentOffset())
            if place.top() > event.rect().bottom():
                break
            self._paint_line(painter, block, place, colours)
            block = block.next()
        painter.end()
        super().paintEvent(event)

    def _paint_line(self, painter: QPainter, block: QTextBlock, place: QRectF, colours: Colours) -> None:
        at = block.blockNumber()
        if at >= len(self._lines):
            return
        kind = self._lines[at].kind
        grounds = {LineKind.ADDED: (colours.added_ground, colours.added_mark),
                   LineKind.REMOVED: (colours.removed_ground, colours.removed_mark)}  # fmt: skip
        if kind is LineKind.HUNK:
            painter.fillRect(QRectF(0, place.top(), self.viewport().width(), place.height()), colours.hunk_ground)
        if kind not in grounds:
            return
        ground, mark = grounds[kind]
        painter.fillRect(QRectF(0, place.top(), self.viewport().width(), place.height()), ground)
        self._paint_marks(painter, block, place, self.marked(at), mark)

    def _paint_marks(
        self, painter: QPainter, block: QTextBlock, place: QRectF, ranges: list[Range], mark: QColor
    ) -> None:
        line = block.layout().lineAt(0)
        if not line.isValid():
            return
        for begin, end in ranges:
            left, right = (_x(line.cursorToX(at)) for at in (begin, end))
            painter.fillRect(QRectF(place.left() + left, place.top(), right - left, place.height()), mark)

    def _find_ranges(self, at: int) -> list[Range]:
        other = partner_of(self._lines, at)
        if other is None:
            return []
        old, new = (other, at) if self._lines[at].kind is LineKind.ADDED else (at, other)
        removed, added = changed_ranges(self._shown[old][1:], self._shown[new][1:])
        return [(begin + 1, end + 1) for begin, end in (added if at == new else removed)]

    def _set(self, lines: tuple[DiffLine, ...], texts: list[str]) -> None:
        self._lines, self._shown, self._ranges = lines, texts, {}
        self.setPlainText("\n".join(texts))


def _text(line: DiffLine) -> str:
    text = plain_text(line.text[:_LONGEST].replace("\t", " " * _TAB))
    if len(line.text) > _LONGEST:
        text = f"{text} … ({len(line.text) - _LONGEST} more characters)"
    return f"{_SIGNS[line.kind]}{text}"


def _x(found: object) -> float:
    """`cursorToX` answers a place, or in some versions the place with the cursor."""
    return float(found[0]) if isinstance(found, tuple) else float(found)  # type: ignore[arg-type]
