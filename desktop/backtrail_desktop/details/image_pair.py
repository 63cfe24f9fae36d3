"""One picture beside the other: as it was, and as it is in the state.

Owns which contents are taken for pictures, and how large one may be that is shown: what takes long to decode holds the
window up, and is named instead. A picture is made smaller to fit, never larger.
"""

import os

from backtrail.model.changes import Contents
from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSize, Qt
from PySide6.QtGui import QImage, QImageReader, QPixmap, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QScrollArea, QWidget

from backtrail_desktop.details import words

LIMIT = 4 << 20
"""The most bytes of a picture that is shown."""
_NAMES = frozenset({b".png", b".jpg", b".jpeg", b".gif", b".bmp", b".webp"})
_FORMATS = frozenset({b"png", b"jpeg", b"gif", b"bmp", b"webp"})
_MOST_PIXELS, _MOST_OF_JPEG = 4 << 20, 48 << 20  # a JPEG is decoded small at once
_SIDE = 900
_MARGIN = 14


def may_be_picture(path: bytes) -> bool:
    """Tell whether a file is named as a picture is."""
    return os.path.splitext(path)[1].lower() in _NAMES


def picture_of(content: bytes) -> QImage | None:
    """Return the picture in a content; None where there is none, or it would take long."""
    buffer = QBuffer()
    buffer.setData(QByteArray(content))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    kind, size = bytes(reader.format().data()), reader.size()
    most = _MOST_OF_JPEG if kind == b"jpeg" else _MOST_PIXELS
    if kind not in _FORMATS or not size.isValid() or size.width() * size.height() > most:
        return None
    if max(size.width(), size.height()) > _SIDE:
        reader.setScaledSize(size.scaled(_SIDE, _SIDE, Qt.AspectRatioMode.KeepAspectRatio))
    image = reader.read()
    return None if image.isNull() else image


class ImagePair(QScrollArea):
    """Shows two pictures, or the one that there is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setAccessibleName("Pictures")
        self.sides = (_Side(words.IMAGE_OTHER), _Side(words.IMAGE_HERE))
        inside = QWidget()
        inside.setProperty("role", "page")
        grid = QGridLayout(inside)
        grid.setContentsMargins(_MARGIN, 8, _MARGIN, 8)
        grid.setHorizontalSpacing(_MARGIN)
        for column, side in enumerate(self.sides):
            grid.addWidget(side.caption, 0, column)
            grid.addWidget(side, 1, column)
            grid.setColumnStretch(column, 1)
        grid.setRowStretch(1, 1)
        self.setWidget(inside)

    def show_contents(self, contents: Contents) -> bool:
        """Show pictures; False where there is none in these contents, and nothing is shown."""
        images = [picture_of(one) if one is not None else None for one in (contents.old, contents.new)]
        for side, image in zip(self.sides, images, strict=True):
            side.show_image(image)
        return any(image is not None for image in images)


class _Side(QLabel):
    """One picture, as large as there is room for."""

    def __init__(self, heading: str) -> None:
        super().__init__()
        self._heading = heading
        self._pixmap: QPixmap | None = None
        self.caption = QLabel()
        self.caption.setProperty("role", "quiet")
        self.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.setMinimumSize(1, 1)

    def show_image(self, image: QImage | None) -> None:
        """Show a picture, or that there is none on this side."""
        self._pixmap = None if image is None else QPixmap.fromImage(image)
        self.caption.setText(self._heading if image is not None else words.no_image(self._heading))
        self._fit(self.size())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Fit the picture to the room."""
        super().resizeEvent(event)
        self._fit(event.size())

    def _fit(self, room: QSize) -> None:
        if self._pixmap is None:
            self.clear()
            return
        size = self._pixmap.size()
        if size.width() > room.width() or size.height() > room.height():
            size = size.scaled(room, Qt.AspectRatioMode.KeepAspectRatio)
        smooth = Qt.TransformationMode.SmoothTransformation
        self.setPixmap(self._pixmap.scaled(size, Qt.AspectRatioMode.KeepAspectRatio, smooth))
