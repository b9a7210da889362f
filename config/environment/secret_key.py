"""A secret key for a machine where nobody set one: made once, kept in a file of its owner's."""

import os
from contextlib import suppress
from pathlib import Path

from django.core.management.utils import get_random_secret_key


def kept_secret_key(path: Path) -> str:
    """The key in ``path``; made and put there (mode 600) when there is none yet.

    Processes that start together end up with the same key. Raises OSError where the file can
    neither be read nor made.
    """
    if not path.exists():
        _put(get_random_secret_key(), path)
    return path.read_text().strip()


def _put(key: str, path: Path) -> None:
    """Make the file with its content in one step, unless another process was faster."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.touch(mode=0o600)
    try:
        draft.write_text(key)
        with suppress(FileExistsError):
            path.hardlink_to(draft)
    finally:
        draft.unlink()
