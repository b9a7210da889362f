"""A lock on a data file, held as long as a process has the file open."""

import fcntl
import os
import time
from pathlib import Path
from typing import Self

from dynamo.engine.child import EngineError

POLL_SECONDS = 0.05


class FileBusy(EngineError):
    """Another process holds the lock."""

    def __init__(self, path: Path, holder: str) -> None:
        who = f" (process {holder})" if holder else ""
        super().__init__(f"{path} is in use by another run{who}; stop that one first.")
        self.path = path


class FileLock:
    """An exclusive lock in the file ``path`` + ``.lock``, released however the process ends.

    The lock belongs to the open file, not to a process: a child that inherits ``fileno()`` holds it
    until it has ended as well. The lock file is never deleted, because that could take the lock
    from a process that just opened it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    @property
    def _beside(self) -> Path:
        return self.path.with_name(f"{self.path.name}.lock")

    def acquire(self, *, patience: float = 1.0) -> None:
        """Take the lock. Raises FileBusy when it is still held after ``patience`` seconds.

        The engine of a process that was just killed holds it for a moment.
        """
        self._beside.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self._beside, os.O_RDWR | os.O_CREAT, 0o600)
        deadline = time.monotonic() + patience
        while not _locked(descriptor):
            if time.monotonic() > deadline:
                holder = os.read(descriptor, 20).decode(errors="replace").strip()
                os.close(descriptor)
                raise FileBusy(self.path, holder)
            time.sleep(POLL_SECONDS)
        os.truncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        self._descriptor = descriptor

    def fileno(self) -> int:
        """Return the open descriptor, for a child that uses the file to inherit."""
        if self._descriptor is None:
            message = "the lock is not held"
            raise ValueError(message)
        return self._descriptor

    def release(self) -> None:
        """Release the lock; a child that inherited it still holds it."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def held_by_someone(self) -> bool:
        """Return whether any process holds it now, without waiting; False if there is none."""
        try:
            descriptor = os.open(self._beside, os.O_RDONLY)
        except OSError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
        return False

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
