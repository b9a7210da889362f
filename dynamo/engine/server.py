"""The engines: dynoxide on a file or in memory, and moto's server where dynoxide does not run."""

import platform
import shutil
import sqlite3
import sys
import time
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Self

from dynamo.engine.child import LOOPBACK, Child, EngineError, answers, free_port, require_free
from dynamo.engine.lock import FileLock

START_SECONDS = 20.0
POLL_SECONDS = 0.02
MOTO_SERVER = Path(__file__).with_name("moto_server.py")
ARCHITECTURES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}


class EngineDied(EngineError):
    """The engine's process ended by itself."""

    def __init__(self, name: str, exit_code: int, output: list[str]) -> None:
        how = f"with exit code {exit_code}" if exit_code >= 0 else f"by signal {-exit_code}"
        said = f": {output[-1]}" if output else ", without a word"
        super().__init__(f"{name} ended {how}{said}")
        self.exit_code = exit_code


class EngineSilent(EngineError):
    """The engine's process runs but does not answer."""

    def __init__(self, name: str, port: int, seconds: float) -> None:
        super().__init__(f"{name} did not answer on port {port} within {seconds:g} seconds.")


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


class EngineServer(ABC):
    """Starts an engine on a port of this machine and stops it again.

    Use it as a context manager, or call ``start`` and ``stop``. With ``port=None`` it takes a free
    one. A stopped engine can be started again, on the same port.
    """

    name: str
    """Its name, for messages."""
    greeting: str
    """A part of the line it prints when it listens."""
    keeps_data: bool
    """Whether its data outlives it."""

    def __init__(self, *, port: int | None = None, start_seconds: float = START_SECONDS) -> None:
        self._port = port
        self._start_seconds = start_seconds
        self._child: Child | None = None

    @abstractmethod
    def _launch(self, port: int) -> Child: ...

    @property
    def port(self) -> int:
        """The port it listens on. Raises ValueError before the first start."""
        if self._port is None:
            message = f"{self.name} has not been started"
            raise ValueError(message)
        return self._port

    @property
    def endpoint_url(self) -> str:
        """The endpoint URL for DynamoDB clients."""
        return f"http://{LOOPBACK}:{self.port}"

    @property
    def pid(self) -> int | None:
        """The id of the engine's process, None when it is not running."""
        return self._child.pid if self._child else None

    def start(self) -> None:
        """Start it, and return when it answers requests.

        Raises EngineError: PortInUse, EngineDied, EngineSilent, or what the engine adds.
        """
        self._port = self._port or free_port()
        require_free(self._port)
        self._child = self._launch(self._port)
        try:
            self._wait_until_it_answers(self._child)
        except BaseException:  # Ctrl-C while it starts must not leave it behind either
            self.stop()
            raise

    def _wait_until_it_answers(self, child: Child) -> None:
        deadline = time.monotonic() + self._start_seconds
        while time.monotonic() < deadline:
            self.check()
            # The greeting is needed too: another program may have the port and answer.
            if any(self.greeting in line for line in child.output()) and answers(self.port):
                return
            time.sleep(POLL_SECONDS)
        raise EngineSilent(self.name, self.port, self._start_seconds)

    def check(self) -> None:
        """Raise EngineDied when it is not running any more."""
        if self._child and (exit_code := self._child.poll()) is not None:
            said = [line for line in self._child.output() if self.greeting not in line]
            raise EngineDied(self.name, exit_code, said)

    def stop(self) -> None:
        """Stop it and wait until it has ended, if it is running."""
        if self._child:
            self._child.stop()
            self._child = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


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
        if self._lock and self._db_path:
            self._lock.acquire()
            try:
                require_sound(self._db_path)
                # Nobody else may read the file; those beside it get the mode that it has.
                self._db_path.touch(mode=0o600)
                self._db_path.chmod(0o600)
                super().start()
            except BaseException:  # whatever stops it, the file is free for the next
                self._lock.release()
                raise
        else:
            super().start()

    def _launch(self, port: int) -> Child:
        command = [str(self._binary), "serve", "--port", str(port)]
        if self._db_path:
            command += ["--db-path", str(self._db_path)]
        keep_open = [self._lock.fileno()] if self._lock else []
        return Child(command, listen=True, keep_open=keep_open)

    def check(self) -> None:
        """Raise EngineDied, or DamagedFile where it ended for that."""
        try:
            super().check()
        except EngineDied as died:
            if self._db_path and ("not a valid SQLite" in str(died) or "malformed" in str(died)):
                raise DamagedFile(self._db_path, "dynoxide does not understand it") from died
            raise

    def stop(self) -> None:
        """Stop it, then release the file."""
        super().stop()
        if self._lock:
            self._lock.release()


class MotoEngine(EngineServer):
    """Moto's server, which keeps data in memory: to try the shop where dynoxide does not run.

    Its capacity units are a constant, its indexes do not lag, and writers never conflict, as it
    handles requests one after the other: do not measure cost or speed with it.
    """

    name = "moto"
    greeting = "Running on"
    keeps_data = False

    def _launch(self, port: int) -> Child:
        command = [sys.executable, "-P", str(MOTO_SERVER), LOOPBACK, str(port)]
        return Child(command, listen=True)


def find(folder: Path) -> Path | None:
    """Return dynoxide that npm installed below ``folder``, else one on the PATH, else None."""
    machine = platform.machine().lower()
    package = f"{sys.platform}-{ARCHITECTURES.get(machine, machine)}"
    installed = folder / "node_modules" / "@dynoxide" / package / "dynoxide"
    if installed.is_file():
        return installed
    on_path = shutil.which("dynoxide")
    return Path(on_path) if on_path else None


def embedded(*, folder: Path, db_path: Path | None = None) -> EngineServer:
    """Return dynoxide if it is installed, else moto's server; not yet started.

    ``folder`` is where npm installed; ``db_path`` is dynoxide's data file (None: in memory). The
    engine's ``keeps_data`` is whether data outlives it.
    """
    binary = find(folder)
    return DynoxideEngine(binary=binary, db_path=db_path) if binary else MotoEngine()


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
