"""gunicorn's threaded worker, with the connections spread evenly over the processes.

All processes of a gunicorn wait for connections on one socket, and each new one is taken by whoever
wakes first. Browsers and proxies keep connections alive: four of them may all belong to one process
for good, while another one has nothing to do. Here a process leaves a new connection to those that
have fewer.

``reuse_port`` is no way out: the kernel then draws a process at random, and gives new connections
also to one that is stopping, which accepts none any more.
"""

import mmap
import select
import time
from socket import socket

from gunicorn.workers.gthread import ThreadWorker

LEFT_SECONDS = 0.05
"""How long a connection is left to others, who may be busy, before it is taken after all.

Meanwhile this process starts no request.
"""
POLL_SECONDS = 0.0005
AWAKE_SECONDS = 2
"""How long ago a process may have set its number; one that serves does so each second."""
SLOTS = 64
"""How many processes have a number of their own; further ones share a slot with another."""
NOBODY = -1
"""The number in a slot that no process has, or whose process is stopping."""


class SharedNumbers:
    """A number for each process; made before they fork, it is shared by all of them."""

    def __init__(self) -> None:
        self._numbers = memoryview(mmap.mmap(-1, 4 * SLOTS)).cast("i")
        self._set_at = memoryview(mmap.mmap(-1, 4 * SLOTS)).cast("i")
        for slot in range(SLOTS):
            self._numbers[slot] = NOBODY

    def set(self, process: int, number: int) -> None:
        """Set the number of a process."""
        slot = process % SLOTS
        self._numbers[slot] = number
        self._set_at[slot] = int(time.monotonic())

    def have_fewer_than(self, number: int) -> bool:
        """Return whether a process that is running, and does not hang, has a lower number."""
        oldest = time.monotonic() - AWAKE_SECONDS
        for each, set_at in zip(self._numbers, self._set_at, strict=True):
            if NOBODY < each < number and set_at >= oldest:
                return True
        return False


CONNECTIONS = SharedNumbers()
"""How many connections each process holds, by gunicorn's number of it (``age``)."""


class EvenWorker(ThreadWorker):
    """A process of gunicorn's that leaves new connections to those who hold fewer."""

    def run(self) -> None:
        """Serve until this process is to stop."""
        try:
            super().run()
        finally:
            CONNECTIONS.set(self.age, NOBODY)

    def notify(self) -> None:
        """Report, whenever this process wakes, that it is alive and how many connections it has."""
        super().notify()
        CONNECTIONS.set(self.age, self.nr_conns if self.alive else NOBODY)

    def accept(self, listener: socket) -> None:
        """Take a connection, unless another process with fewer does so in time."""
        if self._is_left_to_others(listener):
            return
        super().accept(listener)
        CONNECTIONS.set(self.age, self.nr_conns)

    def _is_left_to_others(self, listener: socket) -> bool:
        """Wait for others to take a connection; return whether one has."""
        pending = select.poll()
        pending.register(listener, select.POLLIN)
        until = time.monotonic() + LEFT_SECONDS
        while CONNECTIONS.have_fewer_than(self.nr_conns) and time.monotonic() < until:
            time.sleep(POLL_SECONDS)
            if not pending.poll(0):
                return True
        return False
