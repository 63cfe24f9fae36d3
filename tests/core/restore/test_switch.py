"""Two folders change places, and no kill, refusal or stranger in between loses either of them."""

import errno
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from backtrail.restore.switch import Settled, Switch, can_exchange, exchange, settle_two_renames

_LOOP = """
import sys
from backtrail.restore.switch import exchange
a, b, spare = (name.encode() for name in sys.argv[1:4])
while True:
    exchange(a, b, spare, force_two_renames=sys.argv[4] == "renames")
    print("x", flush=True)
"""


class Pair:
    """Two folders that tell their name in a file, in two parents."""

    def __init__(self, base: Path) -> None:
        (base / "archive").mkdir(parents=True)
        self.a, self.b, self.spare = base / "live", base / "archive" / "copy", base / "archive" / "spare"
        for folder, says in ((self.a, "old"), (self.b, "new")):
            (folder / "deep").mkdir(parents=True)
            (folder / "deep" / "says").write_text(says)
            (folder / says).touch()

    @property
    def raw(self) -> tuple[bytes, bytes, bytes]:
        return os.fsencode(self.a), os.fsencode(self.b), os.fsencode(self.spare)

    def says(self) -> tuple[str | None, str | None, str | None]:
        return _whole(self.a), _whole(self.b), _whole(self.spare)


def _whole(folder: Path) -> str | None:
    if not folder.exists():
        return None
    says = (folder / "deep" / "says").read_text()
    assert sorted(path.name for path in folder.iterdir()) == sorted(["deep", says])
    return says


@pytest.fixture
def mount(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Return a call of mount(8) whose last argument is the place; it is unmounted at the end."""

    def do(*arguments: object) -> None:
        done = subprocess.run(["mount", *map(str, arguments)], capture_output=True, check=False)
        if done.returncode:
            pytest.skip(f"cannot mount here: {done.stderr!r}")
        request.addfinalizer(lambda: subprocess.run(["umount", str(arguments[-1])], check=True))

    return do


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return Pair(tmp_path / "p")


@pytest.mark.parametrize("renames", [False, True])
def test_both_folders_change_places_whole(pair: Pair, renames: bool) -> None:  # noqa: FBT001
    how = exchange(*pair.raw, force_two_renames=renames)
    assert how is (Switch.TWO_RENAMES if renames else Switch.EXCHANGE)
    assert pair.says() == ("new", "old", None)


def test_names_of_any_bytes(tmp_path: Path) -> None:
    base = os.fsencode(tmp_path)
    a, b, spare = base + b"/\xff \n\\", base + b"/-rf", base + b"/caf\xe9"
    os.mkdir(a)
    os.mkdir(b)
    inode = os.stat(a).st_ino
    for renames in (False, True):
        exchange(a, b, spare, force_two_renames=renames)
        assert os.stat(b if not renames else a).st_ino == inode
    assert sorted(os.listdir(base)) == sorted([b"\xff \n\\", b"-rf"])


@pytest.mark.parametrize("renames", [False, True])
def test_a_link_to_a_folder_is_refused_and_nothing_moves(pair: Pair, renames: bool) -> None:  # noqa: FBT001
    link = pair.a.parent / "link"
    link.symlink_to(pair.a)
    a, b, spare = pair.raw
    with pytest.raises(NotADirectoryError):
        exchange(os.fsencode(link), b, spare, force_two_renames=renames)
    with pytest.raises(NotADirectoryError):
        exchange(a, os.fsencode(link), spare, force_two_renames=renames)
    assert link.is_symlink()
    assert pair.says() == ("old", "new", None)


def test_a_missing_folder_is_refused_and_nothing_moves(pair: Pair) -> None:
    a, b, spare = pair.raw
    for renames in (False, True):
        with pytest.raises(FileNotFoundError):
            exchange(a, b + b"-gone", spare, force_two_renames=renames)
    assert pair.says() == ("old", "new", None)


def test_an_empty_folder_at_the_spare_name_is_not_swallowed(pair: Pair) -> None:
    pair.spare.mkdir()
    with pytest.raises(FileExistsError):
        exchange(*pair.raw, force_two_renames=True)
    assert pair.spare.is_dir()
    assert (_whole(pair.a), _whole(pair.b)) == ("old", "new")


@pytest.mark.parametrize("renames", [False, True])
def test_another_file_system_is_refused_and_the_first_rename_undone(
    pair: Pair,
    mount: Callable[..., None],
    renames: bool,  # noqa: FBT001
) -> None:
    other = pair.a.parent / "other"
    other.mkdir()
    mount("-t", "tmpfs", "none", other)
    elsewhere = Pair(other / "p")
    a, _, spare = pair.raw
    with pytest.raises(OSError, match=os.strerror(errno.EXDEV)):
        exchange(a, elsewhere.raw[1], spare, force_two_renames=renames)
    assert pair.says() == ("old", "new", None)
    assert elsewhere.says() == ("old", "new", None)


@pytest.mark.parametrize("renames", [False, True])
def test_a_mount_point_is_refused_and_nothing_moves(
    pair: Pair,
    mount: Callable[..., None],
    renames: bool,  # noqa: FBT001
) -> None:
    mount("--bind", pair.b, pair.b)
    with pytest.raises(OSError, match=os.strerror(errno.EBUSY)):
        exchange(*pair.raw, force_two_renames=renames)
    assert pair.says() == ("old", "new", None)


def test_a_folder_of_an_overlays_lower_layer_is_refused_and_nothing_moves(
    tmp_path: Path, mount: Callable[..., None]
) -> None:
    pair = Pair(tmp_path / "lower")
    for name in ("upper", "work", "merged"):
        (tmp_path / name).mkdir()
    layers = ",".join(f"{key}={tmp_path / name}" for key, name in (("lowerdir", "lower"), ("upperdir", "upper")))
    mount("-t", "overlay", "-o", f"{layers},workdir={tmp_path / 'work'},redirect_dir=off", "none", tmp_path / "merged")
    pair.a, pair.b, pair.spare = (tmp_path / "merged" / name for name in ("live", "archive/copy", "archive/spare"))
    for renames in (False, True):
        with pytest.raises(OSError, match=os.strerror(errno.EXDEV)):
            exchange(*pair.raw, force_two_renames=renames)
        assert pair.says() == ("old", "new", None)


@pytest.mark.parametrize("way", ["exchange", "renames"])
def test_killed_at_any_moment_both_folders_are_whole(pair: Pair, way: str) -> None:
    chance = random.Random(7)  # noqa: S311 - which moment is hit is the machine's choice anyway
    ends = set()
    for _ in range(25):
        child = subprocess.Popen([sys.executable, "-c", _LOOP, *map(str, (pair.a, pair.b, pair.spare)), way], stdout=-1)
        with child:
            try:
                assert child.stdout is not None
                child.stdout.read(chance.randrange(2, 60))
                for _ in range(chance.randrange(3000)):
                    pass
            finally:
                child.kill()
        left = pair.says()
        assert sorted(filter(None, left)) == ["new", "old"]
        if way == "exchange":
            assert left[2] is None
        settled = settle_two_renames(*pair.raw)
        ends.add(settled)
        assert (settled is Settled.NOTHING_TO_DO) == (left[2] is None)
        assert sorted(filter(None, pair.says()[:2])) == ["new", "old"]
        assert settle_two_renames(*pair.raw) is Settled.NOTHING_TO_DO
    assert way == "renames" or ends == {Settled.NOTHING_TO_DO}


def test_settling_after_the_first_rename_puts_the_old_folder_back(pair: Pair) -> None:
    pair.a.rename(pair.spare)
    assert settle_two_renames(*pair.raw) is Settled.PUT_BACK
    assert pair.says() == ("old", "new", None)


def test_settling_after_the_second_rename_keeps_what_people_did_in_the_new_folder(pair: Pair) -> None:
    pair.a.rename(pair.spare)
    pair.b.rename(pair.a)
    (pair.a / "deep" / "work").write_text("an hour of it")
    assert settle_two_renames(*pair.raw) is Settled.FINISHED
    assert pair.says() == ("new", "old", None)
    assert (pair.a / "deep" / "work").read_text() == "an hour of it"


def test_settling_gives_way_to_nothing_but_an_empty_folder(pair: Pair) -> None:
    pair.a.rename(pair.spare)
    pair.a.mkdir()
    (pair.a / "made meanwhile").touch()
    with pytest.raises(OSError, match=os.strerror(errno.ENOTEMPTY)):
        settle_two_renames(*pair.raw)
    assert (pair.a / "made meanwhile").exists()
    assert _whole(pair.spare) == "old"
    (pair.a / "made meanwhile").unlink()
    assert settle_two_renames(*pair.raw) is Settled.PUT_BACK
    assert pair.says() == ("old", "new", None)


def test_a_trial_leaves_nothing_behind(tmp_path: Path) -> None:
    assert can_exchange(os.fsencode(tmp_path)) is None
    assert list(tmp_path.iterdir()) == []


def test_a_trial_sweeps_what_a_kill_left_and_nothing_that_holds_anything(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left, filled = tmp_path / f".backtrail-trial-{ended.pid}-x", tmp_path / f".backtrail-trial-{ended.pid}-y"
    (left / "a").mkdir(parents=True)
    filled.mkdir()
    (filled / "someone's").touch()
    of_a_live_process = tmp_path / f".backtrail-trial-{os.getpid()}-z"
    of_a_live_process.mkdir()
    assert can_exchange(os.fsencode(tmp_path)) is None
    assert sorted(tmp_path.iterdir()) == sorted([filled, of_a_live_process])


def test_a_parent_that_is_not_writable_is_told(plain_folder: Path) -> None:
    plain_folder.chmod(0o555)
    assert can_exchange(os.fsencode(plain_folder)) == os.strerror(errno.EACCES)
    plain_folder.chmod(0o755)
    assert can_exchange(os.fsencode(plain_folder)) is None


def test_a_read_only_file_system_is_told(tmp_path: Path, mount: Callable[..., None]) -> None:
    place = tmp_path / "place"
    place.mkdir()
    mount("-t", "tmpfs", "-o", "ro", "none", place)
    assert can_exchange(os.fsencode(place)) == os.strerror(errno.EROFS)


def test_a_parent_that_is_gone_is_told(tmp_path: Path) -> None:
    assert can_exchange(os.fsencode(tmp_path / "gone")) == os.strerror(errno.ENOENT)
