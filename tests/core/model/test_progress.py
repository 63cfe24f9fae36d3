"""How far long work is: never told backwards, never more than there is, and never done before it is recorded."""

from backtrail.model.progress import Forward, LookStep, look_percent


class Heard:
    """Progress as it was told: the sum of each step, in order of beginning."""

    def __init__(self) -> None:
        self.totals: dict[str, int | None] = {}
        self.sums: dict[str, int] = {}
        self.calls = 0

    def step(self, name: str, total: int | None = None) -> None:
        assert name not in self.totals, "a step that was told begins again"
        self.totals[name], self.sums[name] = total, 0

    def advance(self, done: int) -> None:
        assert done >= 0
        self.calls += 1
        self.sums[list(self.sums)[-1]] += done


class Ticking:
    """Seconds that grow by one with every look at them."""

    def __init__(self, tick: float = 1.0) -> None:
        self.at = 0.0
        self.tick = tick

    def __call__(self) -> float:
        self.at += self.tick
        return self.at


def test_a_percent_never_falls_and_never_says_that_it_is_done() -> None:
    told = [look_percent(LookStep.READING, done, 300) for done in range(301)]
    told += [look_percent(LookStep.STORING, done, 7) for done in range(8)]
    known = [percent for percent in told if percent is not None]
    assert len(known) == len(told)
    assert known == sorted(known)
    assert (known[0], known[-1]) == (0, 99)


def test_what_is_not_known_has_no_percent() -> None:
    assert look_percent(LookStep.COUNTING, 5, None) is None
    assert look_percent(LookStep.READING, 5, None) is None
    assert look_percent("copying", 5, 10) is None
    assert look_percent(LookStep.READING, 0, 0) == 50
    assert look_percent(LookStep.READING, 12, 10) == 50


def test_work_that_is_done_again_is_told_once() -> None:
    heard = Heard()
    forward = Forward(heard, Ticking())
    for total in (10, 12):  # the look is repeated, and there is more to read by then
        forward.step(LookStep.COUNTING)
        forward.step(LookStep.READING, total)
        for _ in range(total):
            forward.advance(1)
    assert heard.sums == {"counting": 0, "reading": 10}
    forward.step(LookStep.STORING, 4)
    forward.advance(3)
    forward.step(LookStep.READING, 12)  # a file moved while it was stored
    forward.advance(12)
    assert heard.sums == {"counting": 0, "reading": 10, "storing": 3}
    forward.step(LookStep.STORING, 9)
    for _ in range(9):
        forward.advance(1)
    assert heard.sums["storing"] == heard.totals["storing"] == 4


def test_each_file_may_be_counted_without_being_told() -> None:
    heard = Heard()
    forward = Forward(heard, Ticking(1 / 1000))
    forward.step(LookStep.READING, None)
    for _ in range(1000):
        forward.advance(7)
    assert 15 < heard.calls <= 20
    assert heard.sums["reading"] > 900 * 7
