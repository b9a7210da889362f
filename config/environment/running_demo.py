"""The note by which other commands find the demo running in this checkout: ``var/demo.json``.

With it, ``manage.py import_comments …`` in a second terminal needs no settings. It is ignored when
AWS credentials are in the environment.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from dynamo.engine.lock import FileLock


@dataclass(frozen=True, slots=True)
class RunningDemo:
    """What another process needs to use the same tables."""

    endpoint_url: str
    table_prefix: str
    region: str
    port: int
    read_model: str = "indexes"
    sets_key_format: str = "names"
    pid: int = field(default_factory=os.getpid)


def note_path(var: Path) -> Path:
    """Return the path of the note; beside it is the lock that the running demo holds."""
    return var / "demo.json"


def find_demo(var: Path) -> RunningDemo | None:
    """Return the demo that runs now, None if there is none.

    A lock decides, not the pid, which may be another program's after a power cut.
    """
    path = note_path(var)
    if not FileLock(path).held_by_someone():
        return None
    try:
        return RunningDemo(**json.loads(path.read_text()))
    except (OSError, ValueError, TypeError):  # it is just starting, or just stopping
        return None


@contextmanager
def announced(demo: RunningDemo, *, var: Path) -> Iterator[None]:
    """Keep the note on disk while the block runs. The caller holds the lock."""
    path = note_path(var)
    draft = path.with_suffix(".tmp")
    draft.write_text(json.dumps(asdict(demo), indent=2) + "\n")
    draft.replace(path)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
