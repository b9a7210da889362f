"""Print what stands in the way of publishing the distributions in a folder.

A sentence for each thing; it ends with 1 where there is one. What is published cannot be taken
back: a version is used up, and links lead to whoever owns the addresses in the metadata.
"""

import argparse
import re
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from email.message import Message
from email.parser import Parser
from pathlib import Path

DISTRIBUTIONS = {"dynapages", "dynapages-comments"}
CHANGELOGS = ["CHANGELOG.md", "dynapages/CHANGELOG.md"]
UNRELEASED = re.compile(r"^## Unreleased\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)


def parsed_arguments() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tag", help="such as v1.2.0")
    parser.add_argument("repository", help="the address of the repository that publishes")
    parser.add_argument("folder", type=Path, help="with the wheels and the sdists")
    return parser.parse_args()


def metadata_of(path: Path) -> Message:
    """Return the metadata of a wheel or an sdist."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            (name,) = (n for n in wheel.namelist() if n.endswith(".dist-info/METADATA"))
            return Parser().parsestr(wheel.read(name).decode())
    with tarfile.open(path) as sdist:
        first = sdist.getnames()[0].partition("/")[0]
        found = sdist.extractfile(f"{first}/PKG-INFO")
        assert found is not None  # noqa: S101 - an sdist has it as a file
        return Parser().parsestr(found.read().decode())


def addresses(metadata: Message) -> dict[str, str]:
    """Return the addresses of a distribution by their labels."""
    pairs = (line.partition(", ") for line in metadata.get_all("Project-URL", []))
    return {label: address for label, _, address in pairs}


def obstacles_in(path: Path, version: str, repository: str) -> Iterator[str]:
    """Yield what is wrong with one file."""
    metadata = metadata_of(path)
    if metadata["Version"] != version:
        yield f"{path.name} has the version {metadata['Version']}, and the tag says {version}."
    named = addresses(metadata).get("Repository")
    if named != repository:
        yield f"{path.name} names the repository {named}, and this is {repository}."
    author = metadata.get("Author-email", "")
    if author.rstrip(">").endswith(".example"):
        yield f"{path.name} has an author's address where no mail arrives: {author}."
    for line in metadata.get_all("Requires-Dist", []):
        if re.match(r"dynapages\W.*==", line) and not line.endswith(f"=={version}"):
            yield f"{path.name} needs another version of the library: {line}."


def obstacles_in_changelog(name: str, version: str) -> Iterator[str]:
    """Yield what is wrong with a changelog."""
    text = Path(name).read_text(encoding="utf-8")
    if not re.search(rf"^## {re.escape(version)} - \d{{4}}-\d\d-\d\d$", text, re.MULTILINE):
        yield f"{name} has no heading “## {version} - ” with the date of the release."
    unreleased = UNRELEASED.search(text)
    if unreleased and unreleased[1].strip():
        yield f"{name} has changes below “Unreleased”: they belong to this release."


def obstacles(tag: str, repository: str, folder: Path) -> Iterator[str]:
    """Yield a sentence for each thing that is in the way."""
    version = tag.removeprefix("v")
    files = sorted(path for path in folder.iterdir() if path.suffix in {".whl", ".gz"})
    for suffix in (".whl", ".gz"):
        names = {metadata_of(path)["Name"] for path in files if path.suffix == suffix}
        for name in sorted(DISTRIBUTIONS - names):
            yield f"{folder} has no {suffix} of {name}."
    for path in files:
        yield from obstacles_in(path, version, repository)
    for name in CHANGELOGS:
        yield from obstacles_in_changelog(name, version)


if __name__ == "__main__":
    options = parsed_arguments()
    found = list(obstacles(options.tag, options.repository, options.folder))
    for sentence in found:
        print(sentence)
    sys.exit(bool(found))
