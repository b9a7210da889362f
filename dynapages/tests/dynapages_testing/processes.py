"""Looking at other processes, and at what happens soon."""

import os
import time
from collections.abc import Callable
from pathlib import Path

PATIENCE = 60.0
"""Seconds in which an engine must start and answer: a test machine may be very busy."""


def is_alive(pid: int) -> bool:
    """Whether it runs; a zombie that nobody has collected yet does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return not Path("/proc/self/stat").exists()


def dies(pid: int, *, seconds: float = 60.0) -> bool:
    """Wait until it is gone; False when it is not by then."""
    deadline = time.monotonic() + seconds
    while is_alive(pid):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def until(is_so: Callable[[], bool]) -> bool:
    """Wait until something is so, for a minute at most; tell whether it is."""
    end = time.monotonic() + 60
    while not (found := is_so()) and time.monotonic() < end:
        time.sleep(0.002)
    return found
