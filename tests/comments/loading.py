"""Puts what a test needs into the tables, the way an import does; and the odd thing it would not."""

from collections import Counter
from collections.abc import Iterable

from comments.bulk import BulkWriter, in_chunks
from comments.counts import cell, counters
from comments.items import NewComment
from comments.keys import counts as counts_key
from comments.models import Comment
from dynamo.batches import Batches
from dynamo.client import client, pool
from dynamo.transactions import Transactions
from shop.services import ensure_products


def load(comments: Iterable[NewComment]) -> None:
    """Put comments that are new, the products they are about, and how many there are."""
    found = list(comments)
    ensure_products(product_ids={comment.product_id for comment in found})
    stored = counters().read_many({c.product_id for c in found}, consistent=True)
    writer = BulkWriter(Batches(client(), pool()))
    for chunk in in_chunks(found):
        writer.write(chunk)
    for product_id, cells in stored.items():
        mine = [c for c in found if c.product_id == product_id]
        settle(product_id, Counter(cells) + Counter(cell(c.language, c.rating) for c in mine))


def settle(product_id: str, cells: dict[str, int]) -> None:
    """Make the counts of a product say this."""
    if actions := counters().settle(product_id, cells):
        Transactions(client()).write(lambda: actions)


def forget_counts(product_id: str) -> None:
    """Take away the counts of a product, as if they had never been made."""
    key = {"S": counts_key(product_id, 0)}
    client().delete_item(TableName=Comment.Meta.table_name, Key={"pk": key, "sk": key})
