"""Where the rooms of the window stand: folders | timeline and graph over details, or archives.

Owns splitters, their sizes and how they are remembered. Knows no room by what it does. A notice stands above
everything that it may be about.
"""

from PySide6.QtCore import QByteArray, QSettings, Qt
from PySide6.QtWidgets import QFrame, QSplitter, QVBoxLayout, QWidget

NARROW = 900
_FOLDERS, _FOLDERS_NARROW = 208, 184
_STATE = "window/{}"


class Layout(QWidget):
    """Holds top bar, folders once there are some, pages below a notice, and the state line."""

    def __init__(self, top: QWidget, notice: QWidget, pages: QWidget, state: QWidget) -> None:
        super().__init__()
        self._narrow: bool | None = None
        self._folders: QWidget | None = None
        right = QWidget()
        right.setProperty("role", "page")
        right.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._around = QVBoxLayout()
        self._around.addWidget(notice)
        self.show_notice(shown=False)
        beside = QVBoxLayout(right)
        beside.setContentsMargins(0, 0, 0, 0)
        beside.setSpacing(0)
        beside.addLayout(self._around)
        beside.addWidget(pages, 1)
        self.across = _splitter(Qt.Orientation.Horizontal)
        self.across.addWidget(right)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (top, _line(), self.across, _line(), state):
            column.addWidget(widget, 1 if widget is self.across else 0)

    def put_beside(self, folders: QWidget) -> None:
        """Put the list of folders beside the pages."""
        self._folders, self._narrow = folders, None
        self.across.insertWidget(0, folders)
        self.across.setStretchFactor(0, 0)
        self.across.setStretchFactor(1, 1)
        self.fit(self.width())

    def fit(self, width: int) -> None:
        """Make the folders narrower in a narrow window, and wider again in a wide one."""
        narrow = width < NARROW
        if self._folders is not None and narrow is not self._narrow:
            self._narrow = narrow
            first = _FOLDERS_NARROW if narrow else _FOLDERS
            self.across.setSizes([first, max(1, width - first)])

    def show_notice(self, *, shown: bool) -> None:
        """Take no room where there is no notice."""
        self._around.setContentsMargins(12, 10 if shown else 0, 12, 4 if shown else 0)


class Story(QWidget):
    """Holds the story of one folder: the timeline, and maybe the graph beside it, over details of what is chosen.

    What is lost is told above all of it, over the whole width.
    """

    def __init__(self, loss: QWidget, timeline: QWidget, details: QWidget) -> None:
        super().__init__()
        self.upper = _splitter(Qt.Orientation.Horizontal)
        self.upper.addWidget(timeline)
        above = QWidget()
        told = QVBoxLayout(above)
        told.setContentsMargins(0, 0, 0, 0)
        told.setSpacing(0)
        told.addWidget(loss)
        told.addWidget(self.upper, 1)
        self.over = _splitter(Qt.Orientation.Vertical)
        self.over.addWidget(above)
        self.over.addWidget(details)
        self.over.setSizes([540, 460])
        self.over.setStretchFactor(0, 1)
        self.over.setStretchFactor(1, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.over)

    def put_beside(self, graph: QWidget) -> None:
        """Put the graph beside the timeline."""
        self.upper.addWidget(graph)
        self.upper.setSizes([580, 420])
        self.upper.setStretchFactor(0, 1)
        self.upper.setStretchFactor(1, 1)


def remember(settings: QSettings, window: QWidget) -> None:
    """Write down how large the window is, and where."""
    settings.setValue(_STATE.format("geometry"), window.saveGeometry())


def remember_splitters(settings: QSettings, splitters: dict[str, QSplitter]) -> None:
    """Write down where everything is parted."""
    for name, splitter in splitters.items():
        settings.setValue(_STATE.format(name), splitter.saveState())


def recall(settings: QSettings, window: QWidget) -> None:
    """Make a window as large as it was, where that is remembered."""
    geometry = settings.value(_STATE.format("geometry"))
    if isinstance(geometry, QByteArray):
        window.restoreGeometry(geometry)


def recall_splitters(settings: QSettings, splitters: dict[str, QSplitter]) -> None:
    """Part everything where it was parted."""
    for name, splitter in splitters.items():
        state = settings.value(_STATE.format(name))
        if isinstance(state, QByteArray):
            splitter.restoreState(state)


def _splitter(orientation: Qt.Orientation) -> QSplitter:
    splitter = QSplitter(orientation)
    splitter.setChildrenCollapsible(False)
    splitter.setHandleWidth(1)
    return splitter


def _line() -> QFrame:
    line = QFrame()
    line.setFrameShape(QFrame.Shape.HLine)
    line.setProperty("role", "line")
    return line
