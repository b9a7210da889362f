"""dynoxide: DynamoDB in one process, on one SQLite file or in memory."""

import platform
import shutil
import sqlite3
import sys
from collections.abc import Sequence
from pathlib import Path

from dynamo.engine.child import Child
from dynamo.engine.errors import EngineError
from dynamo.engine.lock import FileLock
from dynamo.engine.ports import PortInUse
from dynamo.engine.server import START_SECONDS, EngineServer

ARCHITECTURES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}


class BinaryMissing(EngineError):
    """dynoxide is not installed."""

    def __init__(self) -> None:
        super().__init__("dynoxide is not installed here; 'npm ci' installs it.")


class DamagedFile(EngineError):
    """The data file cannot be read."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(
            f"{path} cannot be read as a database ({reason}): "
            "move it away to start afresh, or put a backup in its place."
        )
        self.path = path


def find(folder: Path) -> Path | None:
    """Return the binary that npm installed below ``folder``, else one on the PATH, else None."""
    machine = platform.machine().lower()
    package = f"{sys.platform}-{ARCHITECTURES.get(machine, machine)}"
    installed = folder / "node_modules" / "@dynoxide" / package / "dynoxide"
    if installed.is_file():
        return installed
    on_path = shutil.which("dynoxide")
    return Path(on_path) if on_path else None


class DynoxideEngine(EngineServer):
    """dynoxide on a file, or in memory without one.

    dynoxide lets two processes open one file, which destroys it: a lock beside the file prevents
    that (FileBusy). A damaged file is refused (DamagedFile) before it is opened.
    """

    name = "dynoxide"
    greeting = "listening on"

    def __init__(
        self,
        *,
        binary: Path | None,
        db_path: Path | None = None,
        port: int | None = None,
        start_seconds: float = START_SECONDS,
    ) -> None:
        super().__init__(port=port, start_seconds=start_seconds)
        if binary is None:
            raise BinaryMissing
        self._binary = binary
        self._db_path = db_path
        self._lock = FileLock(db_path) if db_path else None
        self.keeps_data = db_path is not None

    def start(self) -> None:
        """Start it. Raises FileBusy and DamagedFile too."""
        if self._lock:
            self._lock.acquire()
        try:
            if self._db_path:
                require_sound(self._db_path)
                _keep_private(self._db_path)
            super().start()
        except BaseException:
            self._release()
            raise

    def _launch(self, port: int) -> Child:
        command = [str(self._binary), "serve", "--port", str(port)]
        if self._db_path:
            command += ["--db-path", str(self._db_path)]
        keep_open = [self._lock.fileno()] if self._lock else []
        return Child(command, listen=True, keep_open=keep_open)

    def _failure(self, exit_code: int, output: Sequence[str]) -> EngineError:
        last = output[-1] if output else ""
        if "already in use" in last:
            return PortInUse(int("".join(filter(str.isdigit, last.partition("is")[0]))))
        if self._db_path and ("not a valid SQLite" in last or "malformed" in last):
            return DamagedFile(self._db_path, "dynoxide does not understand it")
        return super()._failure(exit_code, output)

    def stop(self) -> None:
        """Stop it, then release the file."""
        super().stop()
        self._release()

    def _release(self) -> None:
        if self._lock:
            self._lock.release()


def require_sound(db_path: Path) -> None:
    """Raise DamagedFile unless the file is absent or an intact SQLite database.

    dynoxide notices a damaged header only; damage further on would appear much later, as an error
    of the request that reads it.
    """
    if not db_path.exists():
        return
    try:
        connection = sqlite3.connect(db_path)
        try:
            (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise DamagedFile(db_path, str(error)) from error
    if verdict != "ok":
        raise DamagedFile(db_path, " ".join(verdict.split()))


def _keep_private(path: Path) -> None:
    """Let nobody else on the machine read the file; those beside it get the mode that it has."""
    path.touch(mode=0o600)
    path.chmod(0o600)
