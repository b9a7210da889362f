"""What type checkers say of programs that use the library, and a program that compares it.

``make lint`` runs it. The programs are in ``tests/types``: each line with ``# wrong`` must be
refused, and no other. They are read by mypy and pyright, with the stubs of boto3 and botocore and
without them, as if the library were installed. Then pyright counts of how many public names of the
library the type is known.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

LIBRARY = Path(__file__).resolve().parents[2]
PROGRAMS = LIBRARY / "tests" / "types"
PYRIGHT = LIBRARY.parent / "node_modules" / ".bin" / "pyright"
FOLDER = LIBRARY.parent / "var" / "types"
"""Where the program puts its copies, and mypy what it remembers."""
NOT_INSTALLED = ("tests", "examples", "docs", "*.md", "__pycache__")
STUBS = re.compile("(boto3|botocore|s3transfer|types_boto3).*stubs|types_(boto3|s3transfer).*")
"""Folders of site-packages."""
LEAST_COMPLETE = 0.99
Lines = set[tuple[str, int]]
"""Names of files, and numbers of lines."""


def install(folder: Path) -> None:
    """Copy into a folder the library as it is installed, and the programs."""
    shutil.rmtree(folder / "installed", ignore_errors=True)
    shutil.rmtree(folder / "programs", ignore_errors=True)
    ignored = shutil.ignore_patterns(*NOT_INSTALLED)
    shutil.copytree(LIBRARY, folder / "installed" / LIBRARY.name, ignore=ignored)
    shutil.copytree(PROGRAMS, folder / "programs")


def marked_lines() -> Lines:
    """Return the lines that must be refused."""
    lines = set()
    for path in PROGRAMS.glob("*.py"):
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            if "  # wrong" in line:
                lines.add((path.name, number))
    return lines


def lines_refused_by_mypy(folder: Path, python: str = sys.executable) -> Lines:
    """Return the lines of the programs that mypy refuses, with the packages of a Python."""
    cache = folder / ("mypy" if python == sys.executable else "mypy-without-stubs")
    command = [sys.executable, "-m", "mypy", "--cache-dir", cache, "--python-executable", python]
    answer = _run([*command, "."], folder)
    found = re.findall(r"^(\w+\.py):(\d+): error", answer, flags=re.MULTILINE)
    if not found and "Success" not in answer:
        raise RuntimeError(f"mypy did not check the programs: {answer}")
    return {(name, int(number)) for name, number in found}


def lines_refused_by_pyright(folder: Path, python: str = sys.executable) -> Lines:
    """Return the lines of the programs that pyright refuses, with the packages of a Python.

    Without stubs it does not know what `boto3.client` returns, which its strict mode would refuse.
    """
    config = "pyrightconfig.json" if python == sys.executable else "without_stubs.json"
    command = [PYRIGHT, "--outputjson", "--project", config, "--pythonpath", python]
    lines = set()
    for each in json.loads(_run(command, folder))["generalDiagnostics"]:
        if each["severity"] == "error":
            lines.add((Path(each["file"]).name, each["range"]["start"]["line"] + 1))
    return lines


def completeness(folder: Path, python: str) -> tuple[float, str]:
    """Return the share of public names whose type pyright knows, and what it says of the others."""
    command = [PYRIGHT, "--verifytypes", LIBRARY.name, "--ignoreexternal", "--outputjson"]
    # Here pyright takes no other Python than the first one on the path.
    path = f"{Path(python).parent}{os.pathsep}{os.environ['PATH']}"
    found = json.loads(_run(command, folder, PATH=path))["typeCompleteness"]
    sentences = []
    for symbol in found["symbols"]:
        if symbol["isExported"] and not symbol["isTypeKnown"]:
            messages = [each["message"] for each in symbol["diagnostics"]]
            sentences.append(f"{symbol['name']}: {'; '.join(messages)}")
    return found["completenessScore"], "\n".join(sentences)


def without_stubs(folder: Path) -> str:
    """Make an environment with the packages of this one except stubs; return its Python."""
    environment = folder / "without-stubs"
    shutil.rmtree(environment, ignore_errors=True)
    command = [sys.executable, "-m", "venv", "--without-pip", environment]
    subprocess.run(command, check=True)
    (site_packages,) = environment.glob("lib/python*/site-packages")
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if path.suffix != ".pth" and not STUBS.fullmatch(path.name):
            (site_packages / path.name).symlink_to(path)
    return str(environment / "bin" / "python")


def _run(command: list[str | Path], folder: Path, **environment: str) -> str:
    """Run a command where the programs are, with the copy of the library; return what it prints."""
    variables = {**os.environ, "PYTHONPATH": str(folder / "installed"), **environment}
    ended = subprocess.run(
        command,
        cwd=folder / "programs",
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    return ended.stdout + ended.stderr


def complaints(folder: Path) -> Iterator[str]:
    """Yield what is wrong, in sentences."""
    marked = marked_lines()
    plain_python = without_stubs(folder)
    for name, python in (("with", sys.executable), ("without", plain_python)):
        for checker, refused in (
            ("mypy", lines_refused_by_mypy(folder, python)),
            ("pyright", lines_refused_by_pyright(folder, python)),
        ):
            for file, number in sorted(refused - marked):
                yield f"{file}:{number}: {checker} refuses it {name} stubs"
            for file, number in sorted(marked - refused):
                yield f"{file}:{number}: {checker} does not refuse it {name} stubs"
    share, unknown = completeness(folder, plain_python)
    if share < LEAST_COMPLETE:
        yield f"Without stubs the types of {share:.1%} of the names are known, not of:\n{unknown}"


def main() -> int:
    """Print what is wrong; return 1 where something is."""
    install(FOLDER)
    sentences = list(complaints(FOLDER))
    for sentence in sentences:
        print(sentence)  # noqa: T201 - a program
    return 1 if sentences else 0


if __name__ == "__main__":
    sys.exit(main())
