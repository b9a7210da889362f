"""Puts what a test needs into the tables, the way an import does."""

from collections.abc import Iterable

from comments.bulk import BulkWriter, in_chunks
from comments.items import NewComment
from dynamo.batches import Batches
from dynamo.client import client, pool
from shop.services import ensure_products


def load(comments: Iterable[NewComment]) -> None:
    """Put comments, and the products they are about."""
    found = list(comments)
    ensure_products(product_ids={comment.product_id for comment in found})
    writer = BulkWriter(Batches(client(), pool()))
    for chunk in in_chunks(found):
        writer.write(chunk)
