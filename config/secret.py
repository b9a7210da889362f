"""A secret key for a machine where nobody set one: made once, kept in a file of its owner's."""

import os
from pathlib import Path

from django.core.management.utils import get_random_secret_key


def kept_secret_key(path: Path) -> str:
    """The key in ``path``; made and written there (mode 600) when there is none yet.

    Two processes that start together end up with the same key.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        pass
    else:
        with os.fdopen(descriptor, "w") as file:
            file.write(get_random_secret_key())
    return path.read_text().strip()
