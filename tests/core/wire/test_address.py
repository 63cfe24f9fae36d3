import os
import pathlib
import socket

import pytest
from backtrail.wire.address import LONGEST_PATH, places, socket_name, socket_to_serve, sockets_of
from backtrail.wire.errors import SocketFolderUnsafe

NOBODY = 65534
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")


@pytest.fixture
def home(tmp_path: pathlib.Path) -> pathlib.Path:
    return tmp_path / "home"


@pytest.fixture
def base(tmp_path: pathlib.Path) -> pathlib.Path:
    made = tmp_path / "run"
    made.mkdir(mode=0o700)
    return made


def why(home: pathlib.Path, folder: pathlib.Path) -> str:
    with pytest.raises(SocketFolderUnsafe) as refused:
        socket_to_serve(home, [folder])
    return refused.value.tried[str(folder)]


def test_the_runtime_folder_comes_first_and_the_temporary_one_is_per_user() -> None:
    uid = os.geteuid()
    found = places({"XDG_RUNTIME_DIR": "/run/mine", "TMPDIR": "/var/tmp"})  # noqa: S108 - nothing is made there
    assert found[0] == pathlib.Path("/run/mine/backtrail")
    assert found[1:] == tuple(
        pathlib.Path(one)
        for one in (f"/run/user/{uid}/backtrail", f"/tmp/backtrail-{uid}", f"/var/tmp/backtrail-{uid}")  # noqa: S108
    )


@pytest.mark.parametrize("value", ["", "run", "./run"])
def test_a_runtime_folder_that_is_not_absolute_is_no_place(value: str) -> None:
    assert pathlib.Path(value, "backtrail") not in places({"XDG_RUNTIME_DIR": value, "TMPDIR": value})


def test_a_hook_without_the_runtime_variable_finds_the_host_of_the_shell(
    home: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        folder.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(socket_to_serve(home, [two, one])))
        assert sockets_of(home, [one, two]) == [two / socket_name(home)]


def test_the_folder_is_made_for_this_user_alone(home: pathlib.Path, base: pathlib.Path) -> None:
    umask = os.umask(0)
    try:
        path = socket_to_serve(home, [base / "backtrail"])
    finally:
        os.umask(umask)
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert socket_to_serve(home, [base / "backtrail"]) == path


def test_every_way_to_write_the_data_folder_leads_to_one_name(home: pathlib.Path, tmp_path: pathlib.Path) -> None:
    home.mkdir()
    (tmp_path / "link").symlink_to(home)
    assert socket_name(tmp_path / "link") == socket_name(home) == socket_name(home / ".." / "home")
    assert socket_name(home) != socket_name(tmp_path / "other")
    assert len(socket_name(tmp_path / ("long" * 50))) == 16


@pytest.mark.parametrize("mode", [0o701, 0o710, 0o770, 0o755, 0o777])
def test_a_folder_that_others_may_enter_is_refused(home: pathlib.Path, base: pathlib.Path, mode: int) -> None:
    folder = base / "backtrail"
    folder.mkdir()
    folder.chmod(mode)
    assert why(home, folder) == "other-mode"
    assert folder.stat().st_mode & 0o777 == mode


@needs_root
def test_a_folder_that_another_user_made_first_is_refused(home: pathlib.Path, base: pathlib.Path) -> None:
    folder = base / "backtrail"
    folder.mkdir(mode=0o700)
    os.chown(folder, NOBODY, NOBODY)
    assert why(home, folder) == "other-owner"


def test_a_link_to_a_good_folder_is_refused(home: pathlib.Path, base: pathlib.Path) -> None:
    (base / "real").mkdir(mode=0o700)
    (base / "backtrail").symlink_to(base / "real")
    assert why(home, base / "backtrail") == "not-a-folder"


def test_a_file_in_the_place_of_the_folder_is_refused(home: pathlib.Path, base: pathlib.Path) -> None:
    (base / "backtrail").touch()
    assert why(home, base / "backtrail") == "not-a-folder"


def test_a_place_where_others_may_rename_our_folder_is_refused(home: pathlib.Path, base: pathlib.Path) -> None:
    base.chmod(0o777)
    assert why(home, base / "backtrail") == "other-mode"
    assert not (base / "backtrail").exists()
    base.chmod(0o1777)
    assert socket_to_serve(home, [base / "backtrail"]).parent == base / "backtrail"


@needs_root
def test_the_runtime_folder_of_another_user_is_refused(home: pathlib.Path, base: pathlib.Path) -> None:
    os.chown(base, NOBODY, NOBODY)
    assert why(home, base / "backtrail") == "other-owner"


def test_a_place_that_is_not_there_is_not_made(home: pathlib.Path, tmp_path: pathlib.Path) -> None:
    assert why(home, tmp_path / "none" / "backtrail") == "No such file or directory"
    assert not (tmp_path / "none").exists()


def test_a_path_that_a_socket_cannot_have_is_refused_and_the_next_place_taken(
    home: pathlib.Path, base: pathlib.Path
) -> None:
    spare = LONGEST_PATH - len(os.fsencode(base)) - len("//") - len(socket_name(home))
    longest, too_long = base / ("x" * spare), base / ("x" * (spare + 1))
    assert why(home, too_long) == "path-too-long"
    assert not too_long.exists()
    path = socket_to_serve(home, [too_long, longest])
    assert path.parent == longest
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(path))
    assert sockets_of(home, [too_long, longest]) == [path]


def test_a_client_makes_no_folder_and_trusts_no_unsafe_one(home: pathlib.Path, base: pathlib.Path) -> None:
    folder = base / "backtrail"
    assert sockets_of(home, [folder]) == []
    assert not folder.exists()
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(socket_to_serve(home, [folder])))
        assert sockets_of(home, [folder]) == [folder / socket_name(home)]
        folder.chmod(0o711)
        assert sockets_of(home, [folder]) == []
