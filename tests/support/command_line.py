"""``manage.py``, run in this process or started as one of its own."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

import pytest

from manage import main
from tests.support.project import PROJECT


def run_manage(*arguments: object) -> tuple[int, str, str]:
    """Run a command in this process; return its exit code, its output and its errors.

    To start a process takes two seconds. The command has a thread of its own, because Django closes
    its connections at the end, which it refuses to do in a thread where Playwright runs.
    """
    out, err = StringIO(), StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", ["manage.py", *map(str, arguments)])
        with ThreadPoolExecutor(1) as thread:
            code = thread.submit(_exit_code).result()
    return code, out.getvalue(), err.getvalue()


def _exit_code() -> int:
    try:
        return main()
    except SystemExit as end:
        return int(end.code or 0)


def start_manage(*arguments: object, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, PROJECT / "manage.py", *map(str, arguments)],
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Wait for a process; return its exit code, its output and its errors."""
    out, err = process.communicate(timeout=300)
    return process.returncode, out, err
