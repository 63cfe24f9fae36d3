"""Ctrl+C in the midst of an add must not leave half of it: it waits for a place where all is taken back."""

import os
import signal

import pytest
from backtrail.cli.interruption import Interruption
from backtrail.model.progress import SILENT, Cancelled


def test_a_signal_stops_at_the_next_report_and_nowhere_else(request: pytest.FixtureRequest) -> None:
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    request.addfinalizer(lambda: signal.signal(signal.SIGTERM, before))
    with Interruption(SILENT) as progress:
        progress.step("reading", 2)
        os.kill(os.getpid(), signal.SIGTERM)
        with pytest.raises(Cancelled):
            progress.advance(1)
        with pytest.raises(Cancelled):
            progress.step("storing", 2)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_a_signal_after_the_last_report_is_too_late(request: pytest.FixtureRequest) -> None:
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    request.addfinalizer(lambda: signal.signal(signal.SIGTERM, before))
    with Interruption(SILENT) as progress:
        progress.advance(1)
        os.kill(os.getpid(), signal.SIGTERM)


def test_what_is_ignored_stays_ignored(request: pytest.FixtureRequest) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    with Interruption(SILENT) as progress:
        os.kill(os.getpid(), signal.SIGINT)
        progress.advance(1)
