"""Progress of long commands: a bar on a terminal, nothing elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tqdm import tqdm

Advance = Callable[[int], object]


class Progress:
    """Shows how far each step of a command has come, on stderr and only on a terminal.

    Not ``shown``, it draws nothing anywhere.
    """

    def __init__(self, *, shown: bool = True) -> None:
        self._shown = shown and sys.stderr.isatty()

    @contextmanager
    def step(self, label: str, *, total: int, unit: str) -> Iterator[Advance]:
        """Give the function to call with how much of ``total`` was done since the last call."""
        with tqdm(
            desc=label,
            total=total,
            unit=unit,
            unit_scale=True,
            disable=not self._shown,
            file=sys.stderr,
        ) as bar:
            yield bar.update
