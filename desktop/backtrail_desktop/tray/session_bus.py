"""Notifications with a button over the session's bus, and who comes to that bus.

Owns one connection and the thread that alone touches it: a daemon that never answers holds nobody up (it would hold a
window up for five seconds). While a bubble about a folder is not answered, later ones about it wait, and only the
newest of them is sent then. Bubbles are told as plain text.
"""

import html
import logging
import os
import queue
import select
import threading
from collections.abc import Iterator

from jeepney import DBusAddress, HeaderFields, MatchRule, Message, MessageType, message_bus, new_method_call
from jeepney.io.blocking import DBusConnection, open_dbus_connection
from jeepney.wrappers import DBusErrorResponse
from PySide6.QtCore import QObject, Signal

from backtrail_desktop.shell.plain_text import plain_text
from backtrail_desktop.tray.bubbles import Bubble

_log = logging.getLogger(__name__)
_NOTIFICATIONS = "org.freedesktop.Notifications"
_TRAY_HOST = "org.kde.StatusNotifierWatcher"
_ADDRESS = DBusAddress("/org/freedesktop/Notifications", _NOTIFICATIONS, _NOTIFICATIONS)
_BUS = DBusAddress("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus")
_MARKUP = "body-markup"
_PRESSED = "default"
"""What a click on the body asks for, where a daemon takes one; the labelled button asks for the same."""
_BUTTON = "open"
_CLOSE_S = 1.0
_TIME_OF_THE_DAEMON = -1


class SessionBus(QObject):
    """Fills `Notifier`. Nothing is connected before `start`."""

    pressed = Signal(object)
    refused = Signal(object)
    tray_came = Signal()

    def __init__(self, application: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._talking = _Talking(application, self)

    def start(self) -> None:
        """Connect, on a thread of its own."""
        self._talking.start()

    def show(self, bubble: Bubble) -> None:
        """Have it shown."""
        self._talking.put(bubble)

    def close(self) -> None:
        """End the connection."""
        self._talking.end()


class _Talking(threading.Thread):
    """Talks with the bus. Everything but `put` and `end` runs on it."""

    def __init__(self, application: str, tells: SessionBus) -> None:
        super().__init__(name="session bus", daemon=True)
        self._application, self._tells = application, tells
        self._asked: queue.SimpleQueue[Bubble | None] = queue.SimpleQueue()
        self._woken, self._wake = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._over = False
        self._markup = True  # until the daemon has said otherwise: written out is better than interpreted
        self._sent: dict[int, Bubble] = {}
        self._waiting: dict[str, Bubble] = {}
        self._shown: dict[str, int] = {}
        self._bubbles: dict[int, Bubble] = {}
        self._capabilities = 0

    def put(self, bubble: Bubble | None) -> None:
        """Have a bubble sent; None ends the thread. May be called from any thread."""
        self._asked.put(bubble)
        os.write(self._wake, b".")

    def end(self) -> None:
        """End the thread, if it does so within a moment: the bus may hang."""
        self._over = True
        if self.is_alive():
            self.put(None)
            self.join(_CLOSE_S)
        if not self.is_alive():
            os.close(self._woken)
            os.close(self._wake)

    def run(self) -> None:
        """Talk until the end. Without a bus every bubble is refused."""
        try:
            with open_dbus_connection("SESSION") as bus:
                self._listen(bus)
                self._talk(bus)
        except (OSError, EOFError, KeyError, ValueError, RuntimeError, DBusErrorResponse) as error:
            _log.info("no session bus: %s", error)
        for bubble in (*self._sent.values(), *self._waiting.values()):
            self._refuse(bubble)
        while not self._over:
            if (late := self._asked.get()) is not None:
                self._refuse(late)

    def _listen(self, bus: DBusConnection) -> None:
        owner = MatchRule(type="signal", interface=_BUS.interface, member="NameOwnerChanged", path=_BUS.object_path)
        for name in (_TRAY_HOST, _NOTIFICATIONS):
            owner.add_arg_condition(0, name)
            bus.send(message_bus.AddMatch(owner))
        bus.send(message_bus.AddMatch(MatchRule(type="signal", interface=_NOTIFICATIONS, path=_ADDRESS.object_path)))
        self._capabilities = self._send(bus, new_method_call(_ADDRESS, "GetCapabilities"))

    def _talk(self, bus: DBusConnection) -> None:
        while not self._over:
            ready, _, _ = select.select([bus.sock, self._woken], [], [])
            if self._woken in ready:
                os.read(self._woken, 4096)
                while not self._asked.empty():
                    bubble = self._asked.get()
                    if bubble is not None:
                        self._ask(bus, bubble)
            for message in _received(bus):
                self._take(bus, message)

    def _ask(self, bus: DBusConnection, bubble: Bubble) -> None:
        if any(one.about == bubble.about for one in self._sent.values()):
            self._waiting[bubble.about] = bubble
            return
        body = plain_text(bubble.body)
        call = new_method_call(
            _ADDRESS,
            "Notify",
            "susssasa{sv}i",
            (
                self._application,
                self._shown.get(bubble.about, 0),
                "",
                plain_text(bubble.title),
                html.escape(body, quote=False) if self._markup else body,
                [_PRESSED, bubble.button, _BUTTON, bubble.button],
                {"desktop-entry": ("s", self._application.lower())},
                _TIME_OF_THE_DAEMON,
            ),
        )
        self._sent[self._send(bus, call)] = bubble

    def _send(self, bus: DBusConnection, message: Message) -> int:
        serial: int = next(bus.outgoing_serial)
        bus.send(message, serial=serial)
        return serial

    def _take(self, bus: DBusConnection, message: Message) -> None:
        kind, fields = message.header.message_type, message.header.fields
        if kind in {MessageType.method_return, MessageType.error}:
            self._answered(bus, fields.get(HeaderFields.reply_serial), message, fine=kind is MessageType.method_return)
            return
        match fields.get(HeaderFields.member), message.body:
            case "ActionInvoked", (int() as number, str()) if number in self._bubbles:
                self._tells.pressed.emit(self._bubbles[number])
            case "NotificationClosed", (int() as number, *_):
                if (bubble := self._bubbles.pop(number, None)) and self._shown.get(bubble.about) == number:
                    del self._shown[bubble.about]
            case "NameOwnerChanged", (str() as name, str(), str() as owner):
                self._came_or_went(bus, name, came=bool(owner))
            case _:
                pass

    def _answered(self, bus: DBusConnection, serial: object, message: Message, *, fine: bool) -> None:
        if serial == self._capabilities:
            self._markup = not (fine and isinstance(message.body[0], list)) or _MARKUP in message.body[0]
            return
        bubble = self._sent.pop(serial, None) if isinstance(serial, int) else None
        if bubble is None:
            return  # of a rule to listen
        match message.body:
            case (int() as number,) if fine:
                self._shown[bubble.about] = number
                self._bubbles[number] = bubble
            case _:
                self._refuse(bubble)
        self._send_waiting(bus, bubble.about)

    def _send_waiting(self, bus: DBusConnection, about: str) -> None:
        if (next_one := self._waiting.pop(about, None)) is not None:
            self._ask(bus, next_one)

    def _came_or_went(self, bus: DBusConnection, name: str, *, came: bool) -> None:
        if name == _TRAY_HOST and came:
            self._tells.tray_came.emit()
        elif name == _NOTIFICATIONS:
            self._shown.clear()
            self._bubbles.clear()
            if came:
                self._capabilities = self._send(bus, new_method_call(_ADDRESS, "GetCapabilities"))

    def _refuse(self, bubble: Bubble) -> None:
        self._tells.refused.emit(bubble)


def _received(bus: DBusConnection) -> Iterator[Message]:
    while True:
        try:
            yield bus.receive(timeout=0)
        except TimeoutError:
            return
