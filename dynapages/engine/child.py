"""Child processes that never outlive their parent, and the ports of this machine they listen on."""

import http.client
import os
import signal
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from threading import Thread
from typing import Self

from dynapages.errors import DynamoError

LOOPBACK = "127.0.0.1"
OUTPUT_LINES = 20
"""Lines of a child's output that are remembered."""
ANSWER_SECONDS = 2.0
"""How long a server may take to answer, when it is asked whether it does."""
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
    ``output_lines`` are remembered; without, the child writes to the parent's output.
    ``keep_open`` are file descriptors it inherits.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        listen: bool = False,
        output_lines: int = OUTPUT_LINES,
        keep_open: Iterable[int] = (),
    ) -> None:
        # In a session of its own: Ctrl-C ends the parent, which then stops its children in order.
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
        self._lines: deque[str] = deque(maxlen=output_lines)
        self._listener = Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        """Remember the last lines of its output, until it ends."""
        if self.stdout:
            with self.stdout:
                for line in self.stdout:
                    stripped = line.strip()
                    if stripped:
                        self._lines.append(stripped)

    def output(self) -> list[str]:
        """Return the last lines it has printed, stripped."""
        # What a child wrote last may still be in the pipe when it has ended.
        if self.poll() is not None:
            self._listener.join(timeout=1)
        return list(self._lines)

    def stop(self, *, patience: float = 5.0) -> None:
        """Send SIGTERM, then SIGKILL to its whole group after ``patience`` seconds."""
        self.terminate()
        try:
            self.wait(patience)
        except subprocess.TimeoutExpired:
            # Its own children too, which would hold the port.
            os.killpg(self.pid, signal.SIGKILL)
            self.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def free_port() -> int:
    """Return a port that was free a moment ago; another program may take it first."""
    with socket.socket() as probe:
        # Port 0 has the kernel choose one.
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


def is_answering(port: int, *, path: str = "/") -> bool:
    """Return whether an HTTP server on this machine answers, with any status."""
    with closing(http.client.HTTPConnection(LOOPBACK, port, timeout=ANSWER_SECONDS)) as connection:
        try:
            connection.request("GET", path)
            connection.getresponse().read()
        except (OSError, http.client.HTTPException):
            return False
    return True
