"""Exports to standard output end in one line, whatever becomes of it."""

import subprocess
import sys

import pytest

from tests.support.project import PROJECT

EXPORT = """
import django
django.setup()
from django.core.management.base import BaseCommand
from dynapages.files.exports import Batch, Layout
from dynapages.files.export_command import run_export

class Command(BaseCommand):
    def handle(self, **options):
        rows = [{"id": n} for n in range(100_000)]
        walk = lambda _position: iter([Batch(rows, None)])
        chosen = {"output": None}
        run_export(self, chosen, Layout("csv", ("id",)), walk, about={})

Command().run_from_argv(["manage.py", "export"])
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ('"$0" -c "$1" > /dev/full', 2, "Standard output cannot be written: No space left"),
        ('"$0" -c "$1" | head -1 > /dev/null', 0, ""),
    ],
)
def test_an_output_that_ends_is_no_traceback(command, code, said):
    done = subprocess.run(
        ["sh", "-c", command, sys.executable, EXPORT],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, said in done.stderr) == (code, True)
    assert done.stderr.count("\n") == bool(said)
