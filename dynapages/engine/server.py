"""The engines: dynoxide, and moto's server where dynoxide does not run; both keep data in memory.

They are children (`dynapages.engine.child`), so no engine outlives the process that started it.
"""

import platform
import re
import shutil
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Self

from dynapages.engine.child import (
    LOOPBACK,
    Child,
    EngineError,
    free_port,
    is_answering,
    require_free,
)

START_SECONDS = 20.0
"""How long an engine may take until it answers."""
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
        how = f"with exit code {exit_code}"
        if exit_code < 0:
            how = f"by signal {-exit_code}"
        last_words = f": {output[-1]}" if output else ", without a word"
        super().__init__(f"{name} ended {how}{last_words}")


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

    def __repr__(self) -> str:
        kind = type(self).__name__
        if self._port is None:
            return f"<{kind}, not started>"
        state = "running" if self._child else "stopped"
        return f"<{kind} at {self.endpoint_url}, {state}>"

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
        # The port stays when it is started again: clients have its URL.
        self._port = self._port or free_port()
        require_free(self._port)
        self._child = self._launch(self._port)
        try:
            self._wait_until_it_answers(self._child)
        except BaseException:  # Ctrl-C while it starts must not leave it behind either
            self.stop()
            raise

    def _wait_until_it_answers(self, child: Child) -> None:
        """Wait for its greeting and an answer. Raises EngineDied and EngineSilent."""
        deadline = time.monotonic() + self._start_seconds
        while time.monotonic() < deadline:
            self.check()
            # The greeting is needed too: another program may have the port and answer.
            has_greeted = any(self.greeting in line for line in child.output())
            if has_greeted and is_answering(self.port):
                return
            time.sleep(POLL_SECONDS)
        raise EngineSilent(self.name, self.port, self._start_seconds)

    def check(self) -> None:
        """Raise EngineDied when it is not running any more."""
        exit_code = self._child.poll() if self._child else None
        if self._child and exit_code is not None:
            # The greeting is no reason, though it may be the last line.
            output = [line for line in self._child.output() if self.greeting not in line]
            raise EngineDied(self.name, exit_code, output)

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
        # Its server needs all three, which an installed moto alone does not bring.
        for module in ("moto", "flask", "flask_cors"):
            if find_spec(module) is None:
                raise NoEngine

    def _launch(self, port: int) -> Child:
        # -P: a file of the current folder must not stand for a module.
        command = [sys.executable, "-P", *self.program, LOOPBACK, str(port)]
        return Child(command, listen=True)


def find_dynoxide(folder: Path | None = None) -> Path | None:
    """Return the newer dynoxide of npm's in ``folder`` and that on the PATH; None without either.

    ``folder`` is the one with ``node_modules``; without it, the current one or one above. Of two
    that are equally new it is npm's.
    """
    of_npm = _dynoxide_of_npm(folder)
    which = shutil.which("dynoxide")
    on_path = Path(which) if which else None
    if of_npm is None or on_path is None:
        return of_npm or on_path
    return max(of_npm, on_path, key=_version_of)


def _dynoxide_of_npm(folder: Path | None) -> Path | None:
    current = Path.cwd()
    folders = [folder] if folder else [current, *current.parents]
    for each in folders:
        installed = each / "node_modules" / NPM_PACKAGE / "dynoxide"
        if installed.is_file():
            return installed
    return None


def _version_of(binary: Path) -> tuple[int, ...]:
    """Return the version that dynoxide prints, (1, 2, 1); empty, the oldest, if it prints none."""
    try:
        printed = subprocess.run(
            [binary, "--version"],
            capture_output=True,
            check=False,
            text=True,
            timeout=START_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    numbers = re.search(r"(\d+)\.(\d+)\.(\d+)", printed.stdout)
    if numbers is None:
        return ()
    return tuple(int(number) for number in numbers.groups())


def embedded(*, folder: Path | None = None, port: int | None = None) -> EngineServer:
    """Return dynoxide if it is installed (see `find_dynoxide`), else moto's server; not started.

    With ``port=None`` it takes a free one. Raises NoEngine, whose sentence says what to install,
    where neither is.
    """
    binary = find_dynoxide(folder)
    if binary is None:
        return MotoEngine(port=port)
    return DynoxideEngine(binary=binary, port=port)
