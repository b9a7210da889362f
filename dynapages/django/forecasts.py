"""How long a step of an import takes, said once, as soon as it can be told."""

import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from dynapages.django.options import Progress, time_in_words

Row = TypeVar("Row")
TOLD_AFTER = 1.0
"""Seconds of a step by which the rest of it is judged."""
WORTH_TELLING = 5.0
"""Seconds that a step takes at least, to be announced."""
_ROWS_BETWEEN_LOOKS = 100


class Forecast:
    """Says ``sentence``, with ``{total}`` and ``{time}``, for a step that lasts; once.

    ``clock`` returns seconds.
    """

    def __init__(
        self, progress: Progress, sentence: str, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._progress = progress
        self._sentence = sentence
        self._clock = clock
        self._begin = clock()
        self._is_over = False

    def note(self, done: int, total: int, *, noun: str = "rows", is_exact: bool = True) -> None:
        """Note how much is done of how much; an inexact total is rounded where it is shown."""
        if self._is_over or not done:
            return
        seconds = self._clock() - self._begin
        if seconds < TOLD_AFTER and done < total:
            return
        self._is_over = True
        whole = seconds * total / done
        if whole < WORTH_TELLING:
            return
        shown = f"{total:,} {noun}"
        if not is_exact:
            shown = f"about {_rounded(total):,} {noun}"
        self._progress.say(self._sentence.format(total=shown, time=time_in_words(whole)))

    def of_file(
        self, rows: Iterable[Row], bytes_read: Callable[[], int], size: int
    ) -> Iterator[Row]:
        """Yield rows of a file of so many bytes, and judge by those read how many there are."""
        for number, row in enumerate(rows, start=1):
            yield row
            if number % _ROWS_BETWEEN_LOOKS == 0 and not self._is_over:
                total = number * size // max(1, bytes_read())
                self.note(number, max(number, total), is_exact=False)


def _rounded(number: int) -> int:
    """Return a number with two digits that count."""
    return int(float(f"{number:.1e}"))


def checking_forecast(progress: Progress) -> Forecast:
    """Return the forecast of an import's first step."""
    return Forecast(progress, "Checking {total} takes about {time}.")


def writing_forecast(progress: Progress) -> Forecast:
    """Return the forecast of an import's longest step."""
    return Forecast(progress, "Writing {total} takes about {time}.")
