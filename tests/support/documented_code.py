"""The code blocks of documents, put into files as a reader would put them.

Behind the language of a block stands the file that it is for: `` ```python mysite/urls.py ``.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.support.project import PROJECT

FENCE = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """A block: its language, the file it is for, empty for commands, and its lines."""

    language: str
    file: str
    code: str


def blocks_of(document: str) -> Iterator[Block]:
    """Yield the blocks of a document below ``docs/`` in their order."""
    text = (PROJECT / "docs" / document).read_text()
    yield from (Block(*found.groups()) for found in FENCE.finditer(text))


def follow(document: str, folder: Path) -> None:
    """Put all blocks of a document that are for a file at that file's end."""
    for block in blocks_of(document):
        if block.file:
            path = folder / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a") as file:
                file.write(block.code)
