"""The rule for new passwords besides those of Django, for ``AUTH_PASSWORD_VALIDATORS``."""

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
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from dynapages.calls import Unavailable, budget_paused
from dynapages.errors import gettext_noop

LONGEST = 128
SHORTEST_OF_STAFF = 12
"""Also of a password of letters alone."""


class LengthValidator:
    """Bounds the length: from above, and from below for staff and for what may be one word."""

    def validate(self, password: str, user: object = None) -> None:
        is_longer = getattr(user, "is_staff", False) or password.isalpha()
        least = SHORTEST_OF_STAFF if is_longer else 0
        if not least <= len(password) <= LONGEST:
            raise ValidationError(self.get_help_text(), code="password_length")

    def get_help_text(self) -> str:
        rule = _(
            "A password has at most %(longest)d characters. "
            "That of a member of staff has at least %(shortest)d, "
            "and so has one of letters alone."
        )
        return rule % {"longest": LONGEST, "shortest": SHORTEST_OF_STAFF}


_QUOTA = Path("/sys/fs/cgroup/cpu.max")
"""Microseconds of cores that a container may use in a period, and the period."""


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

    def take(self) -> int | None:
        """Take a slot without waiting; return its number, None where all are taken."""
        for number, lock in enumerate(self._locks):
            if not lock.acquire(blocking=False):
                continue
            try:
                fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, number)
            except (BlockingIOError, PermissionError):  # POSIX has both
                lock.release()
            else:
                return number
        return None

    def release(self, number: int) -> None:
        """Release a slot that was taken."""
        fcntl.lockf(self._file, fcntl.LOCK_UN, 1, number)
        self._locks[number].release()


def cores_for_hashes(cores: int, quota: str) -> int:
    """Return how many of the cores may hash: all but one, and at least one.

    ``quota`` is what the kernel tells a container in ``cpu.max``; empty where there is none.
    """
    allowed, _, period = quota.partition(" ")
    if allowed.isdecimal() and period.strip().isdecimal():
        cores = min(cores, int(allowed) // int(period))
    return max(cores - 1, 1)


def _cores() -> int:
    """Return the cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


SLOTS = HashSlots(cores_for_hashes(_cores(), _QUOTA.read_text() if _QUOTA.is_file() else ""))
"""Made when the site is loaded, before gunicorn forks."""


_held: ContextVar[list[int] | None] = ContextVar("held_hash_slots", default=None)
"""The slot that the form holds, if any; None outside of `sharing_a_slot`."""


@contextmanager
def sharing_a_slot() -> Iterator[None]:
    """Let all hashes of the block have one slot, which is released at its end at the latest."""
    before = _held.set([])
    try:
        yield
    finally:
        release_slot()
        _held.reset(before)


def take_slot() -> None:
    """Take a slot for the block, if it has none. Raises TooManyHashes."""
    held = _held.get()
    if held is None or held:
        return
    slot = SLOTS.take()
    if slot is None:
        raise TooManyHashes
    held.append(slot)


def release_slot() -> None:
    """Release the slot of the block, if it has one: what follows waits for the database."""
    if held := _held.get():
        SLOTS.release(held.pop())


class BoundedHasher(BasePasswordHasher):
    """A base of hashers that need a slot, and none of the time of the request's calls."""

    def encode(self, password: str, salt: str, *args: Any, **kwargs: Any) -> str:  # noqa: ANN401 - Django's
        """Hash a password. Raises TooManyHashes."""
        with nullcontext() if _held.get() is not None else sharing_a_slot():
            take_slot()
            with budget_paused():
                return super().encode(password, salt, *args, **kwargs)


class SiteHasher(BoundedHasher, PBKDF2PasswordHasher):
    """Django's own, bounded; what is stored is the same."""
