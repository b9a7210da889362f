"""A lock on a data file, held for as long as any process still has the file open."""

import fcntl
import os
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from dynamo.engine.errors import EngineError

POLL_SECONDS = 0.05


class FileBusy(EngineError):
    """Another process holds the lock."""

    def __init__(self, path: Path, holder: str) -> None:
        who = f" (process {holder})" if holder else ""
        super().__init__(f"{path} is in use by another run{who}; stop that one first.")
        self.path = path


class FileLock:
    """An exclusive lock beside ``path``, in ``path`` + ``.lock``; released however we end.

    The lock belongs to the open file, not to a process: hand ``fileno()`` to a child, and it is
    held until the child has ended as well, even when we were killed before it. The lock file stays
    behind, because deleting it could take the lock away from somebody who just opened it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    @property
    def _beside(self) -> Path:
        return self.path.with_name(f"{self.path.name}.lock")

    def acquire(self, *, patience: float = 1.0) -> None:
        """Raise FileBusy when somebody else still has it after ``patience`` seconds.

        A run that was just killed needs a moment until its engine has let go.
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
        """The open descriptor, to be inherited by a child that uses the file."""
        if self._descriptor is None:
            message = "the lock is not held"
            raise ValueError(message)
        return self._descriptor

    def release(self) -> None:
        """Let go of it; a child that inherited it keeps holding it."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def held_by_someone(self) -> bool:
        """Whether any process holds it now; never waits. False where there is no lock to read."""
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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.release()


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
