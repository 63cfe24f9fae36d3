"""A session's bus of the test's own, and who is on it: a daemon for notifications, and a host for tray icons.

Both are small and real: they talk over the bus as those of a desktop do. Each runs on a thread of its own.
"""

import os
import select
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import pytest
from jeepney import (
    DBusAddress,
    HeaderFields,
    Message,
    MessageType,
    Properties,
    message_bus,
    new_error,
    new_method_call,
    new_method_return,
    new_signal,
)
from jeepney.io.blocking import DBusConnection, open_dbus_connection

PATIENCE_S = 20.0
NOTIFICATIONS = DBusAddress(
    "/org/freedesktop/Notifications", "org.freedesktop.Notifications", "org.freedesktop.Notifications"
)
WATCHER = DBusAddress("/StatusNotifierWatcher", "org.kde.StatusNotifierWatcher", "org.kde.StatusNotifierWatcher")
_CONFIG = """<busconfig><type>session</type><listen>unix:path={place}/bus</listen><policy context="default">
<allow send_destination="*"/><allow own="*"/><allow receive_sender="*"/></policy></busconfig>"""
"""Nobody is started by this bus: who is on it is there because the test wants it."""


@contextmanager
def session_bus() -> Iterator[str]:
    """Run a bus; yield its address, which is also in this process's environment meanwhile."""
    need_program("dbus-daemon", "dbus-daemon")
    with tempfile.TemporaryDirectory(prefix="bus") as place:
        config = Path(place, "bus.conf")
        config.write_text(_CONFIG.format(place=place))
        with _running(config) as address:
            yield address


@contextmanager
def _running(config: Path) -> Iterator[str]:
    command = ("dbus-daemon", f"--config-file={config}", "--nofork", "--nopidfile", "--print-address=1")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as bus, pytest.MonkeyPatch.context() as patch:
        assert bus.stdout is not None
        address = bus.stdout.readline().strip()
        patch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        try:
            yield address
        finally:
            bus.terminate()


def need_program(name: str, package: str) -> None:
    """Skip where a program of the desktop is missing; fail where CI is set, so that nobody is fooled."""
    if shutil.which(name) is None:
        told = f"no desktop to test on: {name} (apt: {package})"
        if os.environ.get("CI"):
            pytest.fail(told, pytrace=False)
        pytest.skip(told)


def wait_until(holds: Callable[[], object], patience_s: float = PATIENCE_S) -> None:
    """Wait until something holds."""
    until = time.monotonic() + patience_s
    while not holds():
        assert time.monotonic() < until, "it never came true"
        time.sleep(0.01)


class OnTheBus(threading.Thread):
    """Owns a name on the bus and answers calls, from `with` to its end."""

    name_on_bus = ""

    def __init__(self, address: str) -> None:
        super().__init__(daemon=True)
        self._address = address
        self._ready = threading.Event()
        self._woken, self._wake = os.pipe()
        self._to_send: list[Message] = []

    def __enter__(self) -> Self:
        self.start()
        assert self._ready.wait(PATIENCE_S)
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._wake)
        self.join(PATIENCE_S)
        os.close(self._woken)

    def send(self, message: Message) -> None:
        self._to_send.append(message)
        os.write(self._wake, b".")

    def run(self) -> None:
        with open_dbus_connection(self._address) as bus:
            bus.send_and_get_reply(message_bus.RequestName(self.name_on_bus))
            self.listen(bus)
            self._ready.set()
            while True:
                ready, _, _ = select.select([bus.sock, self._woken], [], [])
                if self._woken in ready and not os.read(self._woken, 1):
                    return
                while self._to_send:
                    bus.send(self._to_send.pop(0))
                self._take(bus)

    def _take(self, bus: DBusConnection) -> None:
        while True:
            try:
                message = bus.receive(timeout=0)
            except TimeoutError:
                return
            if message.header.message_type is MessageType.method_call:
                answer = self.answer(str(message.header.fields[HeaderFields.member]), message)
                if answer is not None:
                    bus.send(answer)
            else:
                self.hear(message)

    def listen(self, bus: DBusConnection) -> None:
        """Ask the bus for signals, if any are wanted."""

    def hear(self, message: Message) -> None:
        """Take a message that is no call."""

    def answer(self, member: str, message: Message) -> Message | None:
        """Answer a call, or leave it unanswered."""
        raise NotImplementedError


class NotificationDaemon(OnTheBus):
    """Shows notifications: keeps what it was asked. mute: it takes calls and never answers."""

    name_on_bus = NOTIFICATIONS.bus_name

    def __init__(self, address: str, *, mute: bool = False, markup: bool = True, refuses: bool = False) -> None:
        super().__init__(address)
        self.mute, self.markup, self.refuses = mute, markup, refuses
        self.calls: list[dict[str, Any]] = []
        self._numbers = iter(range(1, 1_000_000))

    @property
    def shown(self) -> dict[int, dict[str, Any]]:
        """What stands on the screen, by its number."""
        return {call["number"]: call for call in self.calls}

    def press(self, number: int, key: str = "open") -> None:
        """Press a button of one."""
        self.send(new_signal(NOTIFICATIONS, "ActionInvoked", "us", (number, key)))

    def put_away(self, number: int) -> None:
        """Close one."""
        self.send(new_signal(NOTIFICATIONS, "NotificationClosed", "uu", (number, 2)))

    def answer(self, member: str, message: Message) -> Message | None:
        if member == "GetCapabilities":
            capabilities = ["body", "actions", *(["body-markup"] if self.markup else [])]
            return None if self.mute else new_method_return(message, "as", (capabilities,))
        assert member == "Notify", member
        application, replaces, _, title, body, actions, hints, timeout = message.body
        number = replaces or next(self._numbers)
        buttons = dict(zip(actions[::2], actions[1::2], strict=True))
        self.calls.append(
            {"number": number, "application": application, "replaces": replaces, "title": title, "body": body,
             "buttons": buttons, "hints": hints, "timeout": timeout}
        )  # fmt: skip
        if self.mute:
            return None
        if self.refuses:
            return new_error(message, "org.freedesktop.Notifications.Error.ExcessNotificationGeneration")
        return new_method_return(message, "u", (number,))


class TrayHost(OnTheBus):
    """A place for tray icons by the StatusNotifier protocol: keeps who registered, and asks icons what they are."""

    name_on_bus = WATCHER.bus_name

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.icons: list[str] = []

    def answer(self, member: str, message: Message) -> Message | None:
        if member == "RegisterStatusNotifierItem":
            self.icons.append(message.body[0])
            return new_method_return(message)
        if member == "RegisterStatusNotifierHost":
            return new_method_return(message)
        values = {
            "IsStatusNotifierHostRegistered": ("b", True),
            "ProtocolVersion": ("i", 0),
            "RegisteredStatusNotifierItems": ("as", list(self.icons)),
        }
        if member == "Get":
            return new_method_return(message, "v", (values[message.body[1]],))
        if member == "GetAll":
            return new_method_return(message, "a{sv}", (values,))
        return new_error(message, "org.freedesktop.DBus.Error.UnknownMethod")


class Icon:
    """A tray icon as its host sees it."""

    def __init__(self, address: str, owner: str) -> None:
        self._address, self._owner = address, owner

    def _ask(self, path: str, interface: str, member: str, signature: str, body: tuple[object, ...]) -> Any:  # noqa: ANN401
        where = DBusAddress(path, self._owner, interface)
        with open_dbus_connection(self._address) as bus:
            reply = bus.send_and_get_reply(new_method_call(where, member, signature, body), timeout=PATIENCE_S)
        assert reply.header.message_type is MessageType.method_return, reply.body
        return reply.body

    def tip(self) -> str:
        """Return what is shown where the mouse rests on it."""
        where = DBusAddress("/StatusNotifierItem", self._owner, "org.kde.StatusNotifierItem")
        with open_dbus_connection(self._address) as bus:
            reply = bus.send_and_get_reply(Properties(where).get("ToolTip"), timeout=PATIENCE_S)
        _, _, title, _ = reply.body[0][1]
        return str(title)

    def entries(self) -> dict[str, int]:
        """Return the entries of its menu with the numbers they are pressed by, those of menus in it included."""
        self._ask("/MenuBar", "com.canonical.dbusmenu", "AboutToShow", "i", (0,))
        _, layout = self._ask("/MenuBar", "com.canonical.dbusmenu", "GetLayout", "iias", (0, -1, []))
        return dict(_entries(layout))

    def press(self, entry: str) -> None:
        """Choose an entry of its menu."""
        number = self.entries()[entry]
        self._ask("/MenuBar", "com.canonical.dbusmenu", "Event", "isvu", (number, "clicked", ("s", ""), 0))

    def click(self) -> None:
        """Click on it."""
        self._ask("/StatusNotifierItem", "org.kde.StatusNotifierItem", "Activate", "ii", (0, 0))


def _entries(layout: Any) -> Iterator[tuple[str, int]]:  # noqa: ANN401 - what the bus tells
    number, properties, below = layout
    if "label" in properties:
        yield properties["label"][1], number
    for _, child in below:
        yield from _entries(child)
