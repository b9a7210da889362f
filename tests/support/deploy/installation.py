"""A copy of the site with what an installation has, and nothing of this checkout's besides."""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from importlib.metadata import distribution
from pathlib import Path

import django
import pytest

from tests.support.engine_plugin import PATIENCE
from tests.support.project import PROJECT


def production_packages(folder: Path) -> Path:
    """Link what requirements-production.txt installs, and nothing else, into a folder.

    Skips the test where a newer Django is installed than the one that is named there.
    """
    if django.VERSION >= (6,):
        pytest.skip("what requirements-production.txt names is not installed here")
    text = (PROJECT / "requirements-production.txt").read_text()
    for name, marker in re.findall(r"^([\w-]+)==\S+ (?:; (.*))?\\$", text, re.MULTILINE):
        if "win32" in marker or ">= '3.12'" in marker:
            continue
        installed = distribution(name)
        tops = {file.parts[0] for file in installed.files or () if ".." not in file.parts}
        for top in tops - {"__pycache__"}:
            link = folder / top
            if not link.exists():
                link.symlink_to(Path(str(installed.locate_file(top))))
    return folder


def copy_of_image(folder: Path) -> Path:
    """Copy what .dockerignore lets in; its lines are '*', '!path', 'path' and '**/__pycache__'."""
    for line in (PROJECT / ".dockerignore").read_text().splitlines():
        if (folder / line).is_dir():
            shutil.rmtree(folder / line)
        if line.startswith("!"):
            source, target = PROJECT / line[1:], folder / line[1:]
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, target)
    return folder


@dataclass(frozen=True)
class Installation:
    """A shop in a folder, started with these variables alone."""

    folder: Path
    packages: Path
    environment: dict[str, str]

    def python(self, *arguments: str) -> list[str]:
        """Python as it would be with the production packages only."""
        return [sys.executable, "-S", *arguments]

    @property
    def variables(self) -> dict[str, str]:
        return self.environment | {"PYTHONPATH": str(self.packages)}

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.python(*arguments),
            cwd=self.folder,
            env=self.variables,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    @contextmanager
    def serving(self, words: Sequence[str], port: int, log: Path) -> Iterator[None]:
        """Run gunicorn by its command line for the length of the block, then end it by SIGTERM."""
        with (
            log.open("w") as output,
            subprocess.Popen(
                self.python("-m", *words),
                cwd=self.folder,
                env=self.variables,
                stdout=output,
                stderr=output,
            ) as process,
        ):
            try:
                _wait_for(port, process, log)
                yield
            finally:
                process.terminate()
                code = process.wait(timeout=PATIENCE)
        assert code == 0, log.read_text()


def _wait_for(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    """Return when it answers, and be it that this host is not one of its own."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and process.poll() is None:
        try:
            status_of(port, "/healthz")
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise AssertionError(log.read_text())


def status_of(port: int, path: str) -> int:
    """Ask a server on this machine for a page."""
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()


def listing(folder: Path) -> dict[str, tuple[int, int]]:
    """Size and time of all files below a folder."""
    return {
        str(path.relative_to(folder)): (path.stat().st_size, path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
    }


def database_variables() -> dict[str, str]:
    """The database of the tests, as a shop that knows nothing of them is told of it."""
    return {"DYNAMODB_ENDPOINT_URL": os.environ["DYNAMODB_ENDPOINT_URL"]}
