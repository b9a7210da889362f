"""The engines: dynoxide, and moto's server where dynoxide does not run; both keep data in memory.

They are child processes that never outlive their parent.
"""

import http.client
import os
import platform
import shutil
import signal
import socket
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Self

from dynapages.errors import DynamoError

LOOPBACK = "127.0.0.1"
KEPT_LINES = 20
LEASH = """\
import ctypes, os, signal, sys
if sys.platform == "linux":
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != int(sys.argv[1]):
        sys.exit(1)
os.execv(sys.argv[2], sys.argv[2:])
"""
"""A program that has the kernel (Linux's alone) end it with its parent, and becomes the command.

No ``preexec_fn``: that runs Python between fork and exec, which is unsafe once the parent has
threads. The kernel takes the *thread* that started it as its parent: start from one that stays.
"""


class EngineError(DynamoError):
    """The engine could not start, or died."""


class PortInUse(EngineError):
    """Another program listens on the port."""

    def __init__(self, port: int) -> None:
        super().__init__(f"Port {port} is already in use on this machine.")


class Child(subprocess.Popen[str]):
    """A running command, in a session of its own; the end of a ``with`` block stops it.

    Ctrl-C in a terminal reaches the parent only. ``command[0]`` is a path. With ``listen`` the last
    ``kept_lines`` of output are kept; without, the child writes to the parent's output.
    ``keep_open`` are file descriptors it inherits.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        listen: bool = False,
        kept_lines: int = KEPT_LINES,
        keep_open: Iterable[int] = (),
    ) -> None:
        super().__init__(
            [sys.executable, "-ISc", LEASH, str(os.getpid()), *command],
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if listen else None,
            stderr=subprocess.STDOUT if listen else None,
            text=True,
            errors="replace",
            start_new_session=True,
            pass_fds=tuple(keep_open),
        )
        self._lines: deque[str] = deque(maxlen=kept_lines)
        self._listener = Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        if self.stdout:
            with self.stdout:
                self._lines.extend(text for line in self.stdout if (text := line.strip()))

    def output(self) -> list[str]:
        """Return the last lines it has printed, stripped."""
        if self.poll() is not None:
            self._listener.join(timeout=1)
        return list(self._lines)

    def stop(self, *, patience: float = 5.0) -> None:
        """Send SIGTERM, then SIGKILL to its whole group after ``patience`` seconds."""
        self.terminate()
        try:
            self.wait(patience)
        except subprocess.TimeoutExpired:
            os.killpg(self.pid, signal.SIGKILL)
            self.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def free_port() -> int:
    """Return a port that was free a moment ago; another program may take it first."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port


def require_free(port: int) -> None:
    """Raise PortInUse unless a server could listen there now."""
    with socket.socket() as probe:
        # A connection of the previous run that lingers in TIME_WAIT does not count as in use.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError as error:
            raise PortInUse(port) from error


def answers(port: int, *, path: str = "/", seconds: float = 2.0) -> bool:
    """Return whether an HTTP server on this machine answers, with any status."""
    with closing(http.client.HTTPConnection(LOOPBACK, port, timeout=seconds)) as connection:
        try:
            connection.request("GET", path)
            connection.getresponse().read()
        except (OSError, http.client.HTTPException):
            return False
    return True


START_SECONDS = 20.0
POLL_SECONDS = 0.02
MOTO_SERVER = """\
import signal, sys
from moto.moto_server import werkzeug_app as moto
from werkzeug.serving import run_simple
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
app = moto.DomainDispatcherApplication(moto.create_backend_app)
run_simple(sys.argv[1], int(sys.argv[2]), app, request_handler=moto.MotoRequestHandler)
"""
"""A program that serves one request at a time: moto is not safe for threads."""
ARCHITECTURES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}
MACHINE = platform.machine().lower()
NPM_PACKAGE = f"@dynoxide/{sys.platform}-{ARCHITECTURES.get(MACHINE, MACHINE)}"
"""What npm calls dynoxide for this machine."""


class EngineDied(EngineError):
    """The engine's process ended by itself."""

    def __init__(self, name: str, exit_code: int, output: list[str]) -> None:
        how = f"with exit code {exit_code}" if exit_code >= 0 else f"by signal {-exit_code}"
        said = f": {output[-1]}" if output else ", without a word"
        super().__init__(f"{name} ended {how}{said}")


class EngineSilent(EngineError):
    """The engine's process runs but does not answer."""

    def __init__(self, name: str, port: int, seconds: float) -> None:
        super().__init__(f"{name} did not answer on port {port} within {seconds:g} seconds.")


class BinaryMissing(EngineError):
    """dynoxide is not installed."""

    def __init__(self) -> None:
        super().__init__(
            f"dynoxide is not installed here; 'npm install {NPM_PACKAGE}' installs it."
        )


class NoEngine(EngineError):
    """Neither dynoxide nor moto is installed."""

    def __init__(self) -> None:
        super().__init__(
            "There is no engine for DynamoDB on this machine: install dynoxide "
            f"('npm install {NPM_PACKAGE}') or moto's server (\"pip install 'dynapages[engine]'\")."
        )


class EngineServer(ABC):
    """Starts an engine on a port of this machine and stops it again, as a context manager too.

    With ``port=None`` it takes a free one. A stopped engine can be started again, on the same port.
    """

    name: str
    """Its name, for messages."""
    greeting: str
    """A part of the line it prints when it listens."""

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
            raise ValueError(f"{self.name} has not been started")
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
    """dynoxide, in memory. Raises BinaryMissing without a ``binary``."""

    name = "dynoxide"
    greeting = "listening on"

    def __init__(
        self, *, binary: Path | None, port: int | None = None, start_seconds: float = START_SECONDS
    ) -> None:
        super().__init__(port=port, start_seconds=start_seconds)
        if binary is None:
            raise BinaryMissing
        self._binary = binary

    def _launch(self, port: int) -> Child:
        return Child([str(self._binary), "serve", "--port", str(port)], listen=True)


class MotoEngine(EngineServer):
    """Moto's server, in memory. Raises NoEngine where moto's server is not installed.

    Its units are a constant, its indexes do not lag, its writers never conflict: measure nothing.
    """

    name = "moto"
    greeting = "Running on"
    program: Sequence[str] = ("-c", MOTO_SERVER)
    """The arguments of Python that start it; those after them are the host and the port."""

    def __init__(self, *, port: int | None = None, start_seconds: float = START_SECONDS) -> None:
        super().__init__(port=port, start_seconds=start_seconds)
        if not all(map(find_spec, ("moto", "flask", "flask_cors"))):
            raise NoEngine

    def _launch(self, port: int) -> Child:
        command = [sys.executable, "-P", *self.program, LOOPBACK, str(port)]
        return Child(command, listen=True)


def find(folder: Path | None = None) -> Path | None:
    """Return dynoxide that npm installed in ``folder``, else one on the PATH, else None.

    ``folder`` is the one with ``node_modules``; without it, the current one or one above.
    """
    here = Path.cwd()
    for each in [folder] if folder else [here, *here.parents]:
        installed = each / "node_modules" / NPM_PACKAGE / "dynoxide"
        if installed.is_file():
            return installed
    on_path = shutil.which("dynoxide")
    return Path(on_path) if on_path else None


def embedded(*, folder: Path | None = None) -> EngineServer:
    """Return dynoxide if it is installed (see `find`), else moto's server; not yet started.

    Raises NoEngine, whose sentence says what to install, where neither is.
    """
    binary = find(folder)
    return DynoxideEngine(binary=binary) if binary else MotoEngine()
