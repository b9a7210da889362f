"""Progress of long commands: a bar on a terminal, nothing elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tqdm import tqdm

Advance = Callable[[int], object]


class Progress:
    """Shows the progress of each step of a command, on stderr if that is a terminal."""

    def __init__(self, *, shown: bool = True) -> None:
        self._shown = shown and sys.stderr.isatty()

    @contextmanager
    def step(self, label: str, *, total: int, unit: str) -> Iterator[Advance]:
        """Yield a function to call with the number of units done since its last call."""
        with tqdm(
            desc=label,
            total=total,
            unit=unit,
            unit_scale=True,
            disable=not self._shown,
            file=sys.stderr,
        ) as bar:
            yield bar.update
