"""Files that keep what a process could not write to the database before it ended.

A later process reads each of them once: see `shop.background`.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Spool(Generic[T]):
    """Files ``<name>-<pid>-….jsonl`` in ``folder()``, which only their owner can read.

    ``dump`` makes a line of a value, and ``load`` a value of a line; it raises ValueError.
    """

    folder: Callable[[], Path]
    name: str
    dump: Callable[[T], str]
    load: Callable[[str], T]

    def save(self, values: Iterable[T]) -> Path:
        """Write values to a new file, whole or not at all. Raises OSError."""
        # Several processes end at once, and a number of a process comes again.
        path = self.folder() / f"{self.name}-{os.getpid()}-{token_hex(4)}.jsonl"
        unfinished = path.with_suffix(".tmp")
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            # The values have names of users: others on the machine must not read them.
            descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.writelines(f"{self.dump(value)}\n" for value in values)
            unfinished.rename(path)
        finally:
            unfinished.unlink(missing_ok=True)
        return path

    def load_all(self) -> Iterator[list[T]]:
        """Yield the values of each file, which is removed after them.

        Of several processes one gets a file. A file that cannot be read keeps its new name
        ``….taken``. Raises OSError and what ``load`` does.
        """
        for path in sorted(self.folder().glob(f"{self.name}-*.jsonl")):
            renamed = path.with_suffix(".taken")
            try:
                path.rename(renamed)
            except FileNotFoundError:  # another process was faster
                continue
            lines = renamed.read_text(encoding="utf-8").splitlines()
            yield [self.load(line) for line in lines]
            renamed.unlink()
