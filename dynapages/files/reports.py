"""What an import prints at its end: figures for programs, or sentences for people."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dynapages.files.rejects import RejectsFile

REJECTED = 1
"""Exit code: rows were rejected."""
CORRECT_THEM = "Correct the rejected rows or add options, then import again"
WITHOUT_DRY_RUN = "Next: run the same command without --dry-run."


@dataclass(slots=True)
class RowCounts:
    """The numbers of a file's rows: ``read + rejected + skipped == rows``.

    ``spelling`` says in words how the file is written, and which of its lines are no rows, as
    `dynapages.files.row_files.OpenRows.detected`.
    """

    rows: int = 0
    rejected: int = 0
    skipped: int = 0
    spelling: str = ""

    @property
    def read(self) -> int:
        return self.rows - self.rejected - self.skipped


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did, or as a trial would do.

    ``counts`` are its figures, as ``--json`` prints them; ``sentences`` say the same. ``then`` says
    what to do next, once all rows are read.
    """

    counts: Mapping[str, Any]
    sentences: Sequence[str]
    then: str = ""

    def print(self, command: BaseCommand, rejects: RejectsFile, *, as_json: bool) -> None:
        """Print the figures or the sentences.

        Raises a CommandError that names the file of rejected rows, if there are any.
        """
        if as_json:
            path = str(rejects.path) if rejects.count else None
            command.stdout.write(json.dumps({**self.counts, "rejects": path}))
        else:
            command.stdout.write("\n".join(self.sentences))
        if rejects.count:
            raise CommandError(f"{CORRECT_THEM}: {rejects.sentence}", returncode=REJECTED)
        if self.then and not as_json:
            command.stdout.write(self.then)


def in_brackets(spelling: str) -> str:
    """Return how a file is written, as it stands behind the numbers of its rows."""
    return f" ({spelling})" if spelling else ""


def first_rejected(rejects: RejectsFile) -> list[str]:
    """Return the first rejected rows below a heading, for the report of a trial."""
    if not rejects.count:
        return []
    return ["The first rejected rows:", *rejects.first()]
