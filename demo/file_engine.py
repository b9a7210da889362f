"""The engine of the demo: dynoxide on a file that one process at a time may use, or moto's server.

`engine_on` chooses between them.
"""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from config.running_demo import FileLock
from dynapages.engine.child import Child, EngineError
from dynapages.engine.server import (
    START_SECONDS,
    DynoxideEngine,
    EngineDied,
    EngineServer,
    MotoEngine,
    find_dynoxide,
)

ONE_THREAD = {"TOKIO_WORKER_THREADS": "1"}
"""For dynoxide: where it has two threads, they wait for one another each time they need memory."""
SQLITE_SUFFIXES = ("", "-wal", "-shm")
"""Of the files of one SQLite database; it finds the last two by the first one's name."""


class DamagedFile(EngineError):
    """The data file cannot be read."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(
            f"{path} cannot be read as a database ({reason}): "
            "move it away to start afresh, or put a backup in its place."
        )


class FileEngine(DynoxideEngine):
    """dynoxide on a file.

    dynoxide lets two processes open one file, which destroys it: hence the lock. A damaged file is
    refused before it is opened.
    """

    def __init__(
        self,
        *,
        binary: Path | None,
        db_path: Path,
        port: int | None = None,
        start_seconds: float = START_SECONDS,
    ) -> None:
        super().__init__(binary=binary, port=port, start_seconds=start_seconds)
        self.db_path = db_path
        self._lock = FileLock(db_path)

    def start(self) -> None:
        """Start it. Raises FileBusy and DamagedFile besides what any engine raises."""
        self._lock.acquire()
        try:
            require_sound(self.db_path)
            self._start_on_file()
        except BaseException:  # whatever stops it, the file is free for the next
            self._lock.release()
            raise

    def begin_anew(self) -> Path:
        """Stop it, rename the file, and start on an empty one; return the old file's new path."""
        super().stop()
        aside = _unused_path(self.db_path)
        for suffix in SQLITE_SUFFIXES:
            file = self.db_path.with_name(self.db_path.name + suffix)
            if file.exists():
                file.rename(aside.with_name(aside.name + suffix))
        self._start_on_file()
        return aside

    def _start_on_file(self) -> None:
        # Nobody else may read the file; SQLite gives its other files the same mode.
        self.db_path.touch(mode=0o600)
        self.db_path.chmod(0o600)
        super().start()

    def _launch(self, port: int) -> Child:
        command = [str(self._binary), "serve", "--port", str(port), "--db-path", str(self.db_path)]
        environment = {**os.environ, **ONE_THREAD}
        return Child(command, env=environment, listen=True, keep_open=[self._lock.fileno()])

    def check(self) -> None:
        """Raise EngineDied, or DamagedFile where it ended for that."""
        try:
            super().check()
        except EngineDied as died:
            if "not a valid SQLite" in str(died) or "malformed" in str(died):
                raise DamagedFile(self.db_path, "dynoxide does not understand it") from died
            raise

    def stop(self) -> None:
        """Stop it, then release the file."""
        super().stop()
        self._lock.release()


def _unused_path(path: Path) -> Path:
    """Return a path in the same folder that no file has, such as ``shop-older.db``."""
    unused = path.with_stem(f"{path.stem}-older")
    number = 1
    while unused.exists():
        number += 1
        unused = path.with_stem(f"{path.stem}-older-{number}")
    return unused


class SampleMoto(MotoEngine):
    """Moto's server, adapted in `demo.moto_server` to load the sample's orders in time."""

    program = (str(Path(__file__).with_name("moto_server.py")),)


def engine_on(db_path: Path, *, folder: Path) -> EngineServer:
    """Return dynoxide on a file if it is installed (see `find`), else moto's server.

    It is not yet started.
    """
    binary = find_dynoxide(folder)
    return FileEngine(binary=binary, db_path=db_path) if binary else SampleMoto()


def require_sound(db_path: Path) -> None:
    """Raise DamagedFile unless the file is absent or an intact SQLite database.

    dynoxide notices a damaged header only, and the rest much later, as an error of a request.
    """
    if not db_path.exists():
        return
    try:
        with closing(sqlite3.connect(db_path)) as connection:
            (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.Error as error:
        raise DamagedFile(db_path, str(error)) from error
    if verdict != "ok":
        raise DamagedFile(db_path, " ".join(verdict.split()))
