"""A child process that is stopped in order and never outlives its parent."""

import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from threading import Thread
from typing import IO

LEASH = Path(__file__).with_name("leash.py")
KEPT_LINES = 20


class Child:
    """A running command, in a session of its own.

    Ctrl-C in a terminal reaches the parent only, which decides in which order things stop.
    ``command[0]`` is a path. With ``listen`` the last ``kept_lines`` of output are kept in
    memory; without, the child writes to the parent's output. ``keep_open`` are file descriptors it
    inherits.
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
        self._lines: deque[str] = deque(maxlen=kept_lines)
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(LEASH), str(os.getpid()), *command],
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if listen else None,
            stderr=subprocess.STDOUT if listen else None,
            text=True,
            errors="replace",
            start_new_session=True,
            pass_fds=tuple(keep_open),
        )
        self._listener = self._listen(self._process.stdout) if self._process.stdout else None

    def _listen(self, output: IO[str]) -> Thread:
        def read() -> None:
            with output:
                self._lines.extend(stripped for line in output if (stripped := line.strip()))

        thread = Thread(target=read, name=f"output of {self.pid}", daemon=True)
        thread.start()
        return thread

    @property
    def pid(self) -> int:
        """The process id of the command."""
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """The exit code, None while it runs; a negative one is the signal that ended it."""
        return self._process.poll()

    def output(self) -> list[str]:
        """Return the last lines it has printed, stripped."""
        if self._listener and self.exit_code is not None:
            self._listener.join(timeout=1)
        return list(self._lines)

    def wait(self, *, seconds: float) -> int | None:
        """Return the exit code, None when it still runs after that time."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def stop(self, *, patience: float = 5.0) -> None:
        """Send SIGTERM, then SIGKILL to its whole group after ``patience`` seconds."""
        if self.exit_code is not None:
            return
        self._process.terminate()
        if self.wait(seconds=patience) is None:
            os.killpg(self.pid, signal.SIGKILL)
            self._process.wait()
