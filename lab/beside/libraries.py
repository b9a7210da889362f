"""The libraries beside each other: how the programs of each are started and spoken to."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Self

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
PROGRAMS = HERE / "programs"
NODE = HERE / "node"
OWN_PYTHON = PROJECT / "var" / "beside" / "bin" / "python"
"""Where pydynox is installed, and nothing of this project."""
HOW = "'make install-beside' installs it"


@dataclass(frozen=True, slots=True)
class Library:
    """A library: its title, and its name as a package, with which the names of its programs begin.

    ``has_two_arguments`` where links to next and to previous pages are different arguments.
    """

    title: str
    name: str
    has_two_arguments: bool = False

    def version(self) -> str:
        """Return the version that is installed, or "" where none is."""
        try:
            return version(self.name)
        except PackageNotFoundError:
            return ""

    def why_not(self) -> str:
        """Return why it cannot be measured here, or ""."""
        if self.version():
            return ""
        return f"{self.title} is not here: 'make install' installs it"

    def command(self, task: str) -> list[str]:
        """Return the command that serves the program of a task."""
        program = f"{self.name}_{task}"
        return [sys.executable, str(HERE / "serve.py"), str(PROGRAMS), program]

    def source(self, task: str) -> Path:
        """Return the file with the program of a task."""
        return PROGRAMS / f"{self.name}_{task}.py"


class OfOwnEnvironment(Library):
    """A library of Python in an environment of its own."""

    def version(self) -> str:
        """Return the version that is installed there."""
        if not OWN_PYTHON.exists():
            return ""
        asked = f"from importlib.metadata import version; print(version({self.name!r}))"
        told = subprocess.run(
            [str(OWN_PYTHON), "-c", asked], capture_output=True, check=False, text=True
        )
        return told.stdout.strip()

    def why_not(self) -> str:
        return "" if self.version() else f"{self.title} is not here: {HOW}"

    def command(self, task: str) -> list[str]:
        program = f"{self.name}_{task}"
        return [str(OWN_PYTHON), str(HERE / "serve.py"), str(PROGRAMS), program]


class OfNode(Library):
    """A library of Node.js."""

    def version(self) -> str:
        """Return the version that is installed."""
        described = NODE / "node_modules" / self.name / "package.json"
        if not described.exists():
            return ""
        found: str = json.loads(described.read_text())["version"]
        return found

    def why_not(self) -> str:
        if shutil.which("node") is None:
            return f"{self.title} needs node, which is not here"
        return "" if self.version() else f"{self.title} is not here: {HOW}"

    def command(self, task: str) -> list[str]:
        return ["node", str(NODE / "serve.mjs"), f"{self.name}_{task}"]

    def source(self, task: str) -> Path:
        return NODE / f"{self.name}_{task}.mjs"


class OfThisProject(Library):
    """The library of this project, which need not be installed.

    It is measured twice: with boto3's client, and with the client that makes its calls itself.
    """

    def version(self) -> str:
        """Return the version that its distribution would have."""
        described = tomllib.loads((PROJECT / "pyproject.toml").read_text())
        found: str = described["project"]["version"]
        return found


LIBRARIES = (
    Library("boto3", "boto3"),
    Library("PynamoDB", "pynamodb"),
    OfNode("ElectroDB", "electrodb"),
    OfOwnEnvironment("pydynox", "pydynox"),
    OfThisProject("dynapages", "dynapages", has_two_arguments=True),
    OfThisProject("dynapages, own transport", "dynapages_transport", has_two_arguments=True),
)


def lines_of(source: Path) -> int:
    """Return how many lines of a program are neither blank nor a comment or docstring.

    The only docstring of these programs is their first line.
    """
    count = 0
    for line in source.read_text().splitlines():
        text = line.strip()
        if text and not text.startswith(("#", "//", '"""')):
            count += 1
    return count


class Program:
    """The program of a library for a task, as a process that answers for pages."""

    def __init__(self, library: Library, task: str, endpoint_url: str) -> None:
        self._library = library
        environment = {
            **os.environ,
            "AWS_ACCESS_KEY_ID": "any",
            "AWS_SECRET_ACCESS_KEY": "any",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": endpoint_url,
            "NODE_NO_WARNINGS": "1",
            "PAGE_SECRET": "a secret of the lab alone",
            "PYTHONPATH": str(PROJECT),
        }
        self._process = subprocess.Popen(
            library.command(task),
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def page(
        self, shelves: list[str], link: str | None = None, *, back: bool = False, times: int = 1
    ) -> dict[str, Any]:
        """Read the page of a link, as often as ``times`` says; return what the program answers."""
        argument = "cursor"
        if self._library.has_two_arguments:
            argument = "before" if back else "after"
        asked = {"shelves": shelves, "link": link, "times": times, "argument": argument}
        if self._process.stdin is None or self._process.stdout is None:
            raise ValueError("a program is started with pipes")
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()
