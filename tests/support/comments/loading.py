"""Puts what a test needs into the tables, the way an import does."""

from collections.abc import Iterable

from comments.data.writer import BulkWriter, bounded_chunks
from comments.host import uses_sets
from comments.items import NewComment
from comments.keys import counts as counts_key
from comments.models import Comment
from dynapages.calls import Batches, Pool
from dynapages.items import table_key
from dynapages.process import client, pool
from shop.catalogue.services import ensure_products
from tests.support.comments import read_models

MANY = 1_000
"""Comments from which on they are written in parallel, which moto does not bear."""


def load(comments: Iterable[NewComment]) -> None:
    """Put comments, and the products they are about; and their copies, where these are read."""
    found = list(comments)
    ensure_products(product_ids={comment.product_id for comment in found})
    writer = BulkWriter(Batches(client(), pool() if len(found) > MANY else Pool(1)))
    for chunk in bounded_chunks(found):
        writer.write(chunk)
    if uses_sets():
        read_models.fill(comment.id for comment in found)


def forget_counts(product_id: str) -> None:
    """Take away the counts of a product, as if they had never been made."""
    key = table_key(**counts_key(product_id, 0))
    client().delete_item(TableName=Comment.Meta.table_name, Key=key)


def delete_all_comments() -> None:
    """Empty the table ``comments``, for checks that read all of it.

    Only how many shards the rankings have stays, which the process remembers as well.
    """
    table = Comment.Meta.table_name
    pages = client().get_paginator("scan").paginate(TableName=table, ConsistentRead=True)
    found = [item for page in pages for item in page["Items"]]
    gone = [item for item in found if item["pk"]["S"].partition("#")[0] != "SHARDS"]
    keys = [{name: item[name] for name in ("pk", "sk")} for item in gone]
    Batches(client(), Pool(1)).delete(table, keys)
