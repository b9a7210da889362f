"""The run of a command that imports a file: its input, rejected rows, failures, and exit codes.

It exits with 1 when rows were rejected or DynamoDB failed, with 2 when it cannot begin, with 130
when interrupted. Except after 2, running the same command again goes on.
"""

import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from dynapages.calls import FAILURES
from dynapages.django.options import interruptible, sentence_to_go_on
from dynapages.files.columns import BadMapping
from dynapages.files.date_names import FormatUnknown
from dynapages.files.encodings import EncodingUnknown
from dynapages.files.packing import FileUnreadable
from dynapages.files.rejects import RejectsFile, RejectsUnwritable

BAD_USAGE = 2
"""Exit code: the command cannot begin."""
STANDARD_INPUT = Path("-")
STANDARD_INPUT_NAME = "standard-input"
_CANNOT_BEGIN = (BadMapping, EncodingUnknown, FileUnreadable, FormatUnknown, RejectsUnwritable)
_DIGEST_BYTES = 4
_CHUNK = 256 * 1024


@contextmanager
def import_run(
    command: BaseCommand,
    source: Path,
    options: Mapping[str, Any],
    *,
    of: str,
    several: bool = False,
) -> Iterator[tuple[Path, RejectsFile]]:
    """Yield a path that can be read twice, and the file of its rejected rows.

    What they are rows ``of`` is in its name; they may be of ``several`` files. Of standard input
    the path is that of a copy, which is there until the block ends. Whatever fails within the block
    ends the command with one line and an exit code.
    """
    try:
        with interruptible(command), _readable_twice(source) as path:
            rejects_path = options["rejects"] or _default_rejects_path(source, path, of)
            # An input that is its own list of rejected rows would be deleted before it is read.
            if rejects_path.exists() and source.exists() and rejects_path.samefile(source):
                raise CommandError(f"--rejects is the input itself: {source}", returncode=BAD_USAGE)
            yield path, RejectsFile(rejects_path, of_several_files=several)
    except _CANNOT_BEGIN as error:
        raise CommandError(str(error), returncode=BAD_USAGE) from error
    except FAILURES as error:
        raise CommandError(sentence_to_go_on(error)) from error


@contextmanager
def _readable_twice(source: Path) -> Iterator[Path]:
    """Yield the path of a file; of standard input that of a copy below ``VAR_DIR``."""
    if source != STANDARD_INPUT:
        yield source
        return
    folder = Path(settings.VAR_DIR) / "imports"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as name:
        copy = Path(name) / STANDARD_INPUT_NAME
        with copy.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield copy


def _default_rejects_path(source: Path, path: Path, of: str) -> Path:
    """Return the default of ``--rejects``: below ``VAR_DIR``, and another one for each source.

    Of standard input each content is a source, and ``path`` its copy.
    """
    # Two files of one name, in two folders, must not overwrite each other's list.
    digest = blake2b(digest_size=_DIGEST_BYTES)
    if source == STANDARD_INPUT:
        name = STANDARD_INPUT_NAME
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    else:
        name = source.resolve().name
        digest.update(str(source.resolve()).encode())
    return Path(settings.VAR_DIR) / "imports" / f"{name}-{digest.hexdigest()}.{of}.rejected.csv"
