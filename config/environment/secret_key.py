"""A secret key for development: generated once and kept in a file only its owner can read."""

import os
from contextlib import suppress
from pathlib import Path

from django.core.management.utils import get_random_secret_key


def kept_secret_key(path: Path) -> str:
    """Return the key in ``path``, after generating it (mode 600) if there is none.

    Processes that start together get the same key. Raises OSError when the file can neither be read
    nor created.
    """
    if not path.exists():
        _put(get_random_secret_key(), path)
    return path.read_text().strip()


def _put(key: str, path: Path) -> None:
    # A hard link creates the file with its content in one step, unless another process was faster.
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.touch(mode=0o600)
    try:
        draft.write_text(key)
        with suppress(FileExistsError):
            path.hardlink_to(draft)
    finally:
        draft.unlink()
