"""What a command shows of its progress: a bar on a terminal, lines elsewhere."""

import io
import re
import sys
import time
from contextlib import AbstractContextManager

import pytest

from dynapages.django import options
from dynapages.django.options import Advance, Progress
from tests.support.engine_plugin import PATIENCE


class Terminal(io.StringIO):
    """An output that is a terminal."""

    def isatty(self) -> bool:
        return True


class Output:
    """What was written to stderr, which is no terminal."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self._written = ""

    def text(self) -> str:
        self._written += self._capsys.readouterr().err
        return self._written

    def wait_for(self, words: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while words not in self.text() and time.monotonic() < deadline:
            time.sleep(0.01)


@pytest.fixture
def output(capsys, monkeypatch):
    """What a step writes, whose lines come at once."""
    monkeypatch.setattr(options, "SECONDS_OF_PROGRESS", 0.01)
    return Output(capsys)


def orders(*, shown: bool = True) -> AbstractContextManager[Advance]:
    return Progress(shown=shown).step("Orders", total=4_000, unit=" orders")


class TestProgressWithoutATerminal:
    def test_is_a_line_now_and_then_with_what_is_done(self, output):
        with orders() as advance:
            advance(1_000)
            advance(500)
            output.wait_for("1,500")
        assert re.search(r"(?m)^  Orders: 1,500 of 4,000 orders, [0-9]+ s", output.text())
        assert re.search(r"(?m), about [0-9]+ seconds left$", output.text())

    def test_goes_on_while_nothing_is_done(self, output):
        with orders():
            output.wait_for("0 of 4,000 orders")
        assert "0 of 4,000 orders" in output.text()

    def test_ends_with_its_step(self, output):
        with orders():
            output.wait_for("orders")
        written = output.text()
        time.sleep(0.05)
        assert output.text() == written

    def test_is_rare_once_a_step_lasts(self, output, monkeypatch):
        monkeypatch.setattr(options, "SECONDS_OF_MANY_LINES", 0)
        with orders():
            output.wait_for("orders")
            time.sleep(0.05)
        assert output.text().count("\n") == 1

    def test_is_not_there_where_it_is_not_to_be_shown(self, output):
        with orders(shown=False) as advance:
            advance(1_000)
            time.sleep(0.05)
        assert output.text() == ""


class TestALineBetween:
    def test_is_written_without_a_terminal(self, output):
        Progress().say("Writing takes a minute.")
        assert output.text() == "Writing takes a minute.\n"

    def test_is_above_the_bar_of_a_terminal(self, monkeypatch):
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        progress = Progress()
        with progress.step("Orders", total=4_000, unit=" orders") as advance:
            advance(1_000)
            progress.say("Writing takes a minute.")
        assert "\rWriting takes a minute.\n" in terminal.getvalue().replace("\x1b[A", "")

    def test_is_not_there_where_nothing_is_to_be_shown(self, output):
        Progress(shown=False).say("Writing takes a minute.")
        assert output.text() == ""


def test_progress_on_a_terminal_is_a_bar(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with orders() as advance:
        advance(4_000)
    assert "Orders: 100%" in terminal.getvalue()
