"""The base of the embedded engines: an HTTP server in a child process."""

import http.client
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from dynamo.engine.child import Child
from dynamo.engine.errors import EngineError
from dynamo.engine.ports import LOOPBACK, PortInUse, free_port

START_SECONDS = 20.0
POLL_SECONDS = 0.02
ATTEMPTS = 3


class EngineDied(EngineError):
    """The engine's process ended by itself."""

    def __init__(self, name: str, exit_code: int, output: Sequence[str]) -> None:
        how = f"with exit code {exit_code}" if exit_code >= 0 else f"by signal {-exit_code}"
        said = f": {output[-1]}" if output else ", without a word"
        super().__init__(f"{name} ended {how}{said}")
        self.exit_code = exit_code


class EngineSilent(EngineError):
    """The engine's process runs but does not answer."""

    def __init__(self, name: str, port: int, seconds: float) -> None:
        super().__init__(f"{name} did not answer on port {port} within {seconds:g} seconds.")


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

    def _failure(self, exit_code: int, output: Sequence[str]) -> EngineError:
        return EngineDied(self.name, exit_code, output)

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
        attempts = 1 if self._port is not None else ATTEMPTS
        for remaining in reversed(range(attempts)):
            port = self._port or free_port()
            try:
                self._start_on(port)
            except PortInUse:
                if not remaining:
                    raise
            else:
                self._port = port
                return

    def _start_on(self, port: int) -> None:
        self._child = child = self._launch(port)
        try:
            self._wait_until_it_answers(child, port)
        except BaseException:  # Ctrl-C while it starts must not leave it behind either
            self.stop()
            raise

    def _wait_until_it_answers(self, child: Child, port: int) -> None:
        deadline = time.monotonic() + self._start_seconds
        while time.monotonic() < deadline:
            if (exit_code := child.exit_code) is not None:
                raise self._failure(exit_code, self._words(child))
            # The greeting is needed too: another program may have the port and answer.
            if any(self.greeting in line for line in child.output()) and answers(port):
                return
            time.sleep(POLL_SECONDS)
        raise EngineSilent(self.name, port, self._start_seconds)

    def check(self) -> None:
        """Raise EngineDied when it is not running any more."""
        if self._child and (exit_code := self._child.exit_code) is not None:
            raise EngineDied(self.name, exit_code, self._words(self._child))

    def _words(self, child: Child) -> list[str]:
        return [line for line in child.output() if self.greeting not in line]

    def stop(self) -> None:
        """Stop it and wait until it has ended, if it is running."""
        if self._child:
            self._child.stop()
            self._child = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()


def answers(port: int, *, path: str = "/", seconds: float = 2.0) -> bool:
    """Return whether an HTTP server on this machine answers, with any status."""
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=seconds)
    try:
        connection.request("GET", path)
        connection.getresponse().read()
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
    return True
