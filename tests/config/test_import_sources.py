"""The sources of all kinds in tests/data/sources: each command, run on a small made file.

What is stored afterwards is compared with the rows that an export writes of it.
"""

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from dynapages.process import client
from dynapages.upkeep import every_item
from shop.catalogue.stored import stored_products
from shop.models import ShopItem
from tests.support.importing import run_import
from tests.support.project import PROJECT

pytestmark = pytest.mark.usefixtures("tables")

SOURCES = PROJECT / "tests" / "data" / "sources"
"""A file or folder for each source of the document: made up, in the shape of a real one."""
EXPECTED = SOURCES / "expected"
"""For each source the rows that an export writes of what is stored, as lines of JSON."""
EMPTY = (None, "", [])
SOURCE = re.compile(
    r"^(?P<about>\S.*): (?P<read>\d+) read(?:, (?P<rejected>\d+) rejected)?"
    r"(?:, (?P<skipped>\d+) skipped)?\.\n\n(?P<command>(?: {4}.*\n)+)",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Source:
    """A source of the document."""

    about: str
    words: tuple[str, ...]
    read: int
    rejected: int
    skipped: int

    @property
    def expected(self) -> Path:
        """The file of what is stored, which has the name of the first file."""
        return EXPECTED / f"{self.paths[0].stem}.jsonl"

    @property
    def paths(self) -> list[Path]:
        return [SOURCES / word for word in self.words if (SOURCES / word).exists()]

    def run(self, rejects: Path) -> dict[str, Any]:
        """Run the command on the files that it names; return the counts."""
        name, *arguments = self.words
        paths = {path.name: path for path in self.paths}
        given = [paths.get(word, word) for word in arguments]
        return run_import(name, *given, "--rejects", rejects)


def sources() -> Iterator[Source]:
    """Yield the sources of the document."""
    for found in SOURCE.finditer((SOURCES / "README.md").read_text()):
        counts = (int(found[name] or 0) for name in ("read", "rejected", "skipped"))
        words = shlex.split(found["command"].replace("\\\n", " "))
        yield Source(found["about"], tuple(words[1:]), *counts)


def stored_rows(command: str) -> set[str]:
    """Return all that is stored of what a command imports: lines of JSON, as an export has them."""
    if command == "import_products":
        return set(product_rows())
    out = StringIO()
    options = {}
    if command == "import_comments":
        options["hidden"] = True
    call_command(command.replace("import", "export"), format="jsonl", stdout=out, **options)
    return {line_of(json.loads(line)) for line in out.getvalue().splitlines()}


def line_of(row: dict[str, Any]) -> str:
    """Return a row as a line of JSON, without what is empty, and what all exports say alike."""
    given = {name: value for name, value in row.items() if value not in EMPTY}
    given.pop("text_format", None)
    if given.get("state") == "published":
        del given["state"]
    return json.dumps(given, ensure_ascii=False)


def product_rows() -> Iterator[str]:
    """Yield the products as lines of JSON; there is no export of these."""
    ids = set()
    for item in every_item(client(), ShopItem.Meta.table_name):
        partition = item["pk"]["S"]
        if partition.startswith("PRODUCT#"):
            ids.add(partition.removeprefix("PRODUCT#"))
    for product_id, stored in sorted(stored_products(sorted(ids), is_whole=True).items()):
        content = stored.content
        row = {
            "id": product_id,
            "name": content.name,
            "description": content.description,
            "cents": content.unit_price_cents,
            "currency": content.currency,
            "categories": list(content.category_slugs),
            "external_id": content.external_id,
        }
        yield line_of(row)


def counted(counts: dict[str, Any]) -> tuple[int, int, int]:
    """Return the rows read, rejected and skipped, of all files together."""
    files = counts.get("files", {"": counts}).values()
    read, rejected = (sum(file[name] for file in files) for name in ("read", "rejected"))
    return read, rejected, sum(file.get("skipped", 0) for file in files)


def unchanged(counts: dict[str, Any]) -> bool:
    """Return whether an import changed nothing."""
    if "products_created" not in counts:  # of an import of products
        return bool(counts["products"]["new"] == counts["products"]["changed"] == 0)
    orders = counts.get("orders", {})
    written = counts.get("written", orders.get("created", 0) + orders.get("updated", 0))
    return bool(written == counts["products_created"] == 0)


@pytest.mark.parametrize("source", list(sources()), ids=lambda source: source.about)
class TestSource:
    def test_goes_in_as_the_document_says(self, source, tmp_path):
        command = source.words[0]
        before = stored_rows(command)
        counts = source.run(tmp_path / "rejected.csv")
        assert counted(counts) == (source.read, source.rejected, source.skipped)
        assert not unchanged(counts)
        new = stored_rows(command) - before
        assert sorted(new) == source.expected.read_text().splitlines()

    def test_changes_nothing_when_it_is_imported_again(self, source, tmp_path):
        source.run(tmp_path / "rejected.csv")
        assert unchanged(source.run(tmp_path / "rejected.csv"))


def test_every_small_file_is_in_the_document():
    named = {path for source in sources() for path in source.paths}
    assert named | {SOURCES / "README.md", EXPECTED} == set(SOURCES.iterdir())
    assert {source.expected for source in sources()} == set(EXPECTED.iterdir())
