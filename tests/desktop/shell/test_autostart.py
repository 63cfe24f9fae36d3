"""The entry that starts Backtrail with the session: it starts this program, and nobody else's entry is lost."""

import os
import stat
import subprocess
from pathlib import Path

import pytest
from backtrail_desktop.shell.autostart import Autostart, autostart_folder, exec_value
from backtrail_desktop.shell.notice import Notice
from backtrail_desktop.shell.session_start import NOT_CHANGED, SessionStart
from PySide6.QtGui import QAction
from pytestqt.qtbot import QtBot

COMMAND = ('/opt/my $HOME/`a` "b" 100% c\\d/python', "-m", "x;y", "desktop", "--background")
FOREIGN = b"[Desktop Entry]\nType=Application\nExec=/usr/local/bin/mine\nComment[de]=Meins\n"


@pytest.fixture
def autostart(tmp_path: Path) -> Autostart:
    return Autostart(tmp_path / "config" / "autostart", COMMAND)


def test_the_entry_starts_this_program_whatever_its_path_holds(autostart: Autostart) -> None:
    assert not autostart.is_on()
    autostart.put_on()
    assert autostart.is_on()
    line = autostart.path.read_bytes().split(b"Exec=")[1].split(b"\n")[0].replace(b"\\\\", b"\\").replace(b"%%", b"%")
    said = subprocess.run([b"sh", b"-c", b"printf '%s\\n' " + line], capture_output=True, check=True).stdout
    assert said.decode().split("\n")[:-1] == list(COMMAND)


def test_bytes_that_are_no_text_survive() -> None:
    assert exec_value([b"/a\xff", b"b\nc"]) == b'"/a\xff" "b\\nc"'


def test_taken_away_nothing_is_left(autostart: Autostart) -> None:
    autostart.put_on()
    assert os.listdir(autostart.path.parent) == ["backtrail.desktop"]
    assert stat.S_IMODE(autostart.path.stat().st_mode) == 0o644
    autostart.put_off()
    assert not autostart.is_on()
    assert os.listdir(autostart.path.parent) == []


@pytest.mark.parametrize("line", [b"Hidden=true\n", b"X-GNOME-Autostart-enabled=false\n", b"Hidden = true\n"])
def test_an_entry_that_a_person_switched_off_is_off(autostart: Autostart, line: bytes) -> None:
    autostart.put_on()
    autostart.path.write_bytes(autostart.path.read_bytes() + line)
    assert not autostart.is_on()
    autostart.put_on()
    assert autostart.is_on()


def test_an_entry_of_another_making_is_never_lost(autostart: Autostart) -> None:
    autostart.path.parent.mkdir(parents=True)
    autostart.path.write_bytes(FOREIGN)
    assert autostart.is_on()
    autostart.put_on()
    assert autostart.path.read_bytes() == FOREIGN
    autostart.put_off()
    assert not autostart.is_on()
    assert autostart.path.read_bytes() == FOREIGN.replace(b"\n", b"\nHidden=true\n", 1)
    autostart.put_on()
    assert autostart.path.read_bytes() == FOREIGN


def test_an_entry_that_is_a_link_stays_one(autostart: Autostart, tmp_path: Path) -> None:
    autostart.path.parent.mkdir(parents=True)
    (tmp_path / "dotfiles").write_bytes(FOREIGN)
    autostart.path.symlink_to(tmp_path / "dotfiles")
    autostart.put_off()
    assert autostart.path.is_symlink()
    assert b"Hidden=true" in (tmp_path / "dotfiles").read_bytes()


def test_the_folder_is_the_one_of_the_configuration(tmp_path: Path) -> None:
    assert autostart_folder({"XDG_CONFIG_HOME": str(tmp_path)}) == tmp_path / "autostart"
    assert autostart_folder({"XDG_CONFIG_HOME": "relative"}) == Path.home() / ".config" / "autostart"


def test_the_tick_is_what_the_disk_says(qtbot: QtBot, autostart: Autostart) -> None:
    del qtbot
    action = QAction()
    start = SessionStart(action, autostart)
    action.trigger()
    assert action.isChecked()
    assert autostart.is_on()
    autostart.path.unlink()
    start.read()
    assert not action.isChecked()


def test_a_folder_that_takes_no_entry_is_told_and_the_tick_stays_off(qtbot: QtBot, tmp_path: Path) -> None:
    del qtbot
    (tmp_path / "in-the-way").write_text("")
    action = QAction()
    start = SessionStart(action, Autostart(tmp_path / "in-the-way" / "autostart", COMMAND))
    told: list[Notice] = []
    start.told.connect(told.append)
    action.trigger()
    assert [notice.what for notice in told] == [NOT_CHANGED]
    assert "Not a directory" in told[0].remedy
    assert not action.isChecked()
