"""Slots for the hashing of passwords: no more hashes at once than there are cores for them.

`SLOTS` are shared by all processes of the site. A form acquires one before it counts an attempt,
and releases it before it waits for the database: see `sharing_a_slot`.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from pathlib import Path
from tempfile import TemporaryFile
from threading import Lock
from typing import Any

from django.contrib.auth.hashers import BasePasswordHasher, PBKDF2PasswordHasher

from dynapages.calls import Unavailable, budget_paused
from dynapages.errors import gettext_noop

CPU_QUOTA_FILE = Path("/sys/fs/cgroup/cpu.max")
"""Microseconds of cores that a container may use in a period, and the period."""

_held_slots: ContextVar[list[int] | None] = ContextVar("held_hash_slots", default=None)
"""The slot that the form holds, if any; None outside of `sharing_a_slot`."""


class TooManyHashes(Unavailable):
    """As many passwords are being hashed as there are cores for it."""

    retry_after = 1

    def __init__(self) -> None:
        super().__init__(gettext_noop("Too many passwords are being checked at the moment."))


class HashSlots:
    """``most`` slots, shared with all processes that fork from this one.

    Each is a locked byte of a file, which a killed process frees, and a lock among its threads.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        with TemporaryFile() as file:  # without a name; open as long as the process runs
            self._file = os.dup(file.fileno())
        self._locks = [Lock() for _ in range(most)]

    def acquire(self) -> int | None:
        """Acquire a slot without waiting; return its number, None where none is free."""
        for number, lock in enumerate(self._locks):
            if not lock.acquire(blocking=False):
                continue
            try:
                # Locks of a file are a process's, not a thread's: hence both.
                fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, number)
            except (BlockingIOError, PermissionError):  # POSIX has both
                lock.release()
            else:
                return number
        return None

    def release(self, number: int) -> None:
        """Release a slot that was acquired."""
        fcntl.lockf(self._file, fcntl.LOCK_UN, 1, number)
        self._locks[number].release()


def cores_for_hashes(cores: int, quota: str) -> int:
    """Return how many of the cores may hash: all but one, and at least one.

    ``quota`` is what the kernel tells a container in ``cpu.max``; empty where there is none.
    """
    allowed, _, period = quota.partition(" ")
    if allowed.isdecimal() and period.strip().isdecimal():
        # In a container the cores of the machine say nothing: the kernel allows a share.
        cores = min(cores, int(allowed) // int(period))
    return max(cores - 1, 1)


def _cores() -> int:
    """Return the cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _quota() -> str:
    """Return what the kernel tells a container in ``cpu.max``, empty where there is none."""
    return CPU_QUOTA_FILE.read_text() if CPU_QUOTA_FILE.is_file() else ""


SLOTS = HashSlots(cores_for_hashes(_cores(), _quota()))
"""Made when the site is loaded, before gunicorn forks."""


# The slot of a block of code


@contextmanager
def sharing_a_slot() -> Iterator[None]:
    """Let all hashes of the block have one slot, which is released at its end at the latest."""
    before = _held_slots.set([])
    try:
        yield
    finally:
        release_slot()
        _held_slots.reset(before)


def acquire_slot() -> None:
    """Acquire a slot for the block, if it has none. Raises TooManyHashes."""
    held_slots = _held_slots.get()
    if held_slots is None or held_slots:
        return
    slot = SLOTS.acquire()
    if slot is None:
        raise TooManyHashes
    held_slots.append(slot)


def release_slot() -> None:
    """Release the slot of the block, if it has one: what follows waits for the database."""
    held_slots = _held_slots.get()
    if held_slots:
        SLOTS.release(held_slots.pop())


# Hashers


class BoundedHasher(BasePasswordHasher):
    """A base of hashers that need a slot, and none of the time of the request's calls."""

    def encode(self, password: str, salt: str, *args: Any, **kwargs: Any) -> str:  # noqa: ANN401 - Django's
        """Hash a password. Raises TooManyHashes."""
        # Outside of forms, such as in commands, each hash has a slot by itself.
        is_in_a_block = _held_slots.get() is not None
        with nullcontext() if is_in_a_block else sharing_a_slot():
            acquire_slot()
            with budget_paused():
                return super().encode(password, salt, *args, **kwargs)


class SiteHasher(BoundedHasher, PBKDF2PasswordHasher):
    """Django's own, bounded; what is stored is the same."""
