"""Whether a window can be opened here, found out before Qt is asked: where it cannot, Qt ends the process.

Owns the look at the display and at the system libraries that Qt's own plugin needs. A platform that the person chose by
QT_QPA_PLATFORM is taken as it is.
"""

import ctypes
import os
from collections.abc import Mapping

from backtrail.model.errors.desktop import Lacking, NoDesktop

_X11 = ("libxcb.so.1", "libxcb-cursor.so.0", "libxcb-icccm.so.4", "libxcb-keysyms.so.1", "libxcb-shape.so.0")
_X11_KEYS = ("libxkbcommon-x11.so.0",)
_WAYLAND = ("libwayland-client.so.0", "libwayland-cursor.so.0", "libwayland-egl.so.1")


def check_screen(environment: Mapping[str, str] = os.environ) -> None:
    """Raise NoDesktop if no window can be opened."""
    if environment.get("QT_QPA_PLATFORM"):
        return
    x11, wayland = environment.get("DISPLAY"), environment.get("WAYLAND_DISPLAY")
    if wayland and not _missing(_WAYLAND):
        return
    if not x11:
        if wayland:
            raise NoDesktop(Lacking.LIBRARY, _missing(_WAYLAND))
        raise NoDesktop(Lacking.DISPLAY, "neither DISPLAY nor WAYLAND_DISPLAY is set")
    if missing := _missing((*_X11, *_X11_KEYS)):
        raise NoDesktop(Lacking.LIBRARY, missing)
    if not _answers(x11):
        raise NoDesktop(Lacking.DISPLAY, f"nothing answers at DISPLAY={x11}")


def _missing(libraries: tuple[str, ...]) -> str:
    """Return the name of the first library that is not there, empty if all are."""
    for name in libraries:
        try:
            ctypes.CDLL(name)
        except OSError:
            return name
    return ""


def _answers(display: str) -> bool:
    xcb = ctypes.CDLL(_X11[0])
    xcb.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(xcb.xcb_connect(os.fsencode(display), None))
    try:
        return not xcb.xcb_connection_has_error(connection)
    finally:
        xcb.xcb_disconnect(connection)
