"""Many comments and all their copies, as a file of dynoxide: a million items in a few minutes."""

import json
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from comments.items import NewComment, items_of
from comments.models import Comment
from comments.sets.copies import copies_of, primary_of
from comments.sets.models import CommentSetItem
from comments.store.counts import cell_name
from dynapages.items import Item
from lab.bench.engines import describe_table, write_export
from tests.support.comments.miscounting import settle

STREAM = ("StreamSpecification", "LatestStreamArn", "LatestStreamLabel")


def make_file(path: Path, comments: Sequence[NewComment], *, binary: Path) -> None:
    """Write a database that holds comments for both read models; only their counts are missing."""
    folder = path.parent
    schemas = [describe_table(model) for model in (Comment, CommentSetItem)]
    for schema in schemas:
        for name in STREAM:
            schema["Table"].pop(name, None)
    (folder / "schema.json").write_text(json.dumps(schemas))
    for model, items in ((Comment, _comments(comments)), (CommentSetItem, _set_items(comments))):
        write_export(folder / "export", model.Meta.table_name, items, advance=lambda _number: None)
    asked = {"source": folder / "export", "schema": folder / "schema.json", "output": path}
    options = [part for name, value in asked.items() for part in (f"--{name}", str(value))]
    subprocess.run([str(binary), "import", *options], check=True, capture_output=True)


def count(comments: Sequence[NewComment]) -> None:
    """Make the counts of the product of ready-made comments what they should be."""
    (product_id,) = {comment.product_id for comment in comments}
    settle(product_id, Counter(cell_name(comment.language, comment.rating) for comment in comments))


def _comments(comments: Sequence[NewComment]) -> Iterator[Item]:
    for comment in comments:
        item, _body = items_of(comment)
        yield item.serialize()


def _set_items(comments: Sequence[NewComment]) -> Iterator[Item]:
    for item in _comments(comments):
        primary = primary_of(item)
        assert primary is not None
        yield primary
        yield from copies_of(primary)
