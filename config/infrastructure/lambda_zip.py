"""The zip file of the AWS Lambda function that makes the copies of comments.

It holds the packages of the project, and the installed files of requirements-production.txt, each
compared with the hash that its wheel tells. The same files make the same bytes: the order and the
times in the zip are fixed. Without compiled code, it runs on either of Lambda's architectures, and
in every runtime of a Python that the project runs on.
"""

import hashlib
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, PackagePath, distribution
from pathlib import Path
from typing import IO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from packaging.requirements import Requirement

MIB = 2**20
MOST_ZIPPED = 50 * MIB
MOST_UNZIPPED = 250 * MIB
"""What Lambda takes: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html"""

PACKAGES = ("comments", "config", "demo", "dynamo", "lab", "shop")
NOT_NEEDED = frozenset({"numpy", "py3langid", "pygeohash"})
"""Requirements with compiled code: for detecting a language, and for pickup points."""
_SERVICES = ("dynamodb", "dynamodbstreams")
"""Of botocore's descriptions of services, those that the project calls."""
_OF_THE_INSTALLER = frozenset({"INSTALLER", "RECORD", "REQUESTED", "direct_url.json"})
"""Beside a distribution's own files; they differ by what installed it."""
_COMPILED = frozenset({".so", ".pyd", ".dylib"})


class CannotPack(Exception):
    """What is installed cannot be packed, or what was packed is too large; a sentence says why."""


@dataclass(frozen=True, slots=True)
class Packed:
    """What was written: bytes of the zip, bytes of the files in it, and how many these are."""

    zipped: int
    unzipped: int
    files: int

    def check(self) -> None:
        """Raise CannotPack where Lambda would refuse it."""
        for size, most, what in (
            (self.unzipped, MOST_UNZIPPED, "unzipped"),
            (self.zipped, MOST_ZIPPED, "zipped"),
        ):
            if size > most:
                sentence = f"{size / MIB:.1f} MiB {what} are more than Lambda takes"
                raise CannotPack(f"{sentence}: {most // MIB} MiB.")


def write_zip(target: IO[bytes], *, project: Path) -> Packed:
    """Write the zip; see the module. Raises CannotPack, maybe after a part was written."""
    found = dict([*_project_files(project), *_installed_files(project)])
    unzipped = 0
    with ZipFile(target, "w") as archive:
        for name, path in sorted(found.items()):
            content = path.read_bytes()
            unzipped += len(content)
            archive.writestr(_entry(name), content, compresslevel=9)
    packed = Packed(zipped=target.tell(), unzipped=unzipped, files=len(found))
    packed.check()
    return packed


def _entry(name: str) -> ZipInfo:
    """Build an entry of the earliest time that a zip knows, readable by the function's user."""
    entry = ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    entry.compress_type = ZIP_DEFLATED
    entry.create_system = 3  # Unix, wherever it is made
    entry.external_attr = 0o100644 << 16
    return entry


def _project_files(project: Path) -> Iterator[tuple[str, Path]]:
    for package in PACKAGES:
        for path in (project / package).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path.relative_to(project).as_posix(), path


def _installed_files(project: Path) -> Iterator[tuple[str, Path]]:
    for requirement in _requirements(project / "requirements-production.txt"):
        installed = _installed(requirement)
        for file in installed.files or ():
            if _belongs(file):
                yield file.as_posix(), _verified(file, requirement)


def _requirements(path: Path) -> Iterator[Requirement]:
    """Yield what is pinned for this Python and needed by the function."""
    for line in path.read_text().splitlines():
        if line[:1].isalnum():
            requirement = Requirement(line.rstrip("\\ "))
            here = requirement.marker is None or requirement.marker.evaluate()
            if here and requirement.name not in NOT_NEEDED:
                yield requirement


def _installed(requirement: Requirement) -> Distribution:
    try:
        found = distribution(requirement.name)
    except PackageNotFoundError:
        raise CannotPack(f"{requirement} is not installed: {_INSTALL}") from None
    if found.version not in requirement.specifier:
        raise CannotPack(f"{requirement} is needed, {found.version} is installed: {_INSTALL}")
    return found


_INSTALL = "pip install --require-hashes --requirement requirements-production.txt"


def _belongs(file: PackagePath) -> bool:
    """Return whether a file is imported or read: no script, no cache, no other service's data."""
    if ".." in file.parts or "__pycache__" in file.parts or file.name in _OF_THE_INSTALLER:
        return False
    described = file.parts[2:3] if file.parts[:2] == ("botocore", "data") else ()
    return not described or len(file.parts) == 3 or described[0] in _SERVICES  # noqa: PLR2004


def _verified(file: PackagePath, requirement: Requirement) -> Path:
    path = Path(str(file.locate()))
    if path.suffix in _COMPILED:
        raise CannotPack(f"{requirement} has compiled code, {file}: it runs on one machine only.")
    try:
        digest = hashlib.new(file.hash.mode, path.read_bytes()).digest() if file.hash else b""
    except FileNotFoundError:
        raise CannotPack(f"{file} of {requirement} is missing: {_INSTALL}") from None
    if file.hash and file.hash.value != urlsafe_b64encode(digest).rstrip(b"=").decode():
        raise CannotPack(f"{file} of {requirement} was changed: {_INSTALL}")
    return path
