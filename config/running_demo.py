"""The sample shop that runs in this checkout: how other processes find it, by a file and a lock.

`FileLock` is held by the demo while it runs, `RunningDemo` is what its file says, and `find_demo`
reads it.
"""

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Self

from dynapages.errors import DynamoError

POLL_SECONDS = 0.02


class FileBusy(DynamoError):
    """Another process holds the lock."""

    def __init__(self, path: Path, holder: str) -> None:
        who = f" (process {holder})" if holder else ""
        super().__init__(f"{path} is in use by another run{who}; stop that one first.")


class FileLock:
    """An exclusive lock in the file ``path`` + ``.lock``, released however the process ends.

    A child that inherits ``fileno()`` holds it until it has ended as well. The lock file is never
    deleted, because that could take the lock from a process that just opened it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock_path = path.with_name(f"{path.name}.lock")
        self._descriptor: int | None = None

    def acquire(self, *, patience: float = 1.0) -> None:
        """Take the lock. Raises FileBusy when it is still held after ``patience`` seconds.

        The engine of a process that was just killed holds it for a moment.
        """
        self._lock_path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self._lock_path, os.O_RDWR | os.O_CREAT, 0o600)
        deadline = time.monotonic() + patience
        while not _try_lock(descriptor):
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
            raise ValueError("the lock is not held")
        return self._descriptor

    def release(self) -> None:
        """Release the lock; a child that inherited it still holds it."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def held_by_someone(self) -> bool:
        """Return whether any process holds it now, without waiting; False if there is none."""
        try:
            descriptor = os.open(self._lock_path, os.O_RDONLY)
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


def _try_lock(descriptor: int) -> bool:
    """Lock a file exclusively without waiting; return whether it is locked now."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class RunningDemo:
    """What another process needs to use the same tables; it is stored in ``var/demo.json``.

    It is ignored when AWS credentials are in the environment. ``sign_in`` are a customer, a member
    of staff and their password, where there are such.
    """

    endpoint_url: str
    table_prefix: str
    region: str
    port: int
    read_model: str = "indexes"
    sets_key_format: str = "names"
    has_search: bool = False
    has_topics: bool = False
    sign_in: list[str] = field(default_factory=list)
    pid: int = field(default_factory=os.getpid)


def demo_path(var: Path) -> Path:
    """Return the file that describes the running demo; it holds a `FileLock` on this path."""
    return var / "demo.json"


def find_demo(var: Path) -> RunningDemo | None:
    """Return the demo that runs now, None if there is none.

    A lock decides, not the pid, which may be another program's after a power cut.
    """
    path = demo_path(var)
    if not FileLock(path).held_by_someone():
        return None
    try:
        return RunningDemo(**json.loads(path.read_text()))
    except (OSError, ValueError, TypeError):  # it is just starting, or just stopping
        return None


@contextmanager
def announced(demo: RunningDemo, *, var: Path) -> Iterator[None]:
    """Store the description on disk while the block runs. The caller holds the lock."""
    path = demo_path(var)
    # Renamed when it is whole, because others read it at any moment.
    draft = path.with_suffix(".tmp")
    draft.write_text(json.dumps(asdict(demo), indent=2) + "\n")
    draft.replace(path)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
