"""Items and records for tests of the read model, small and spelled out."""

from collections.abc import Iterable
from typing import Any

from comments.items import NewComment, items_of
from comments.sets.copies import copies_of, primary_of
from dynapages.items import Item
from tests.support.comments.truth import START


def comment_item(
    comment_id: str = "7",
    *,
    product_id: str = "42",
    language: str = "en",
    rating: int = 5,
    title: str = "Good",
) -> Item:
    """Return a comment as the table ``comments`` has it."""
    comment = NewComment(
        id=comment_id,
        product_id=product_id,
        language=language,
        rating=rating,
        created_at=START,
        author="Ada",
        title=title,
        body="Words",
    )
    item, _body = items_of(comment)
    item.version = 1
    return item.serialize()


def primary_item(comment_id: str = "7", **what: Any) -> Item:
    """Return the primary item of such a comment."""
    primary = primary_of(comment_item(comment_id, **what))
    assert primary is not None
    return primary


def record(before: Item | None, after: Item | None, *, number: int = 1) -> dict[str, Any]:
    """Build the stream record of a change."""
    keys = {name: (after or before or {})[name] for name in ("pk", "sk")}
    images = {"OldImage": before, "NewImage": after}
    return {
        "eventName": "MODIFY" if before and after else "INSERT" if after else "REMOVE",
        "dynamodb": {"Keys": keys, "SequenceNumber": str(number)}
        | {name: image for name, image in images.items() if image is not None},
    }


def by_sort_key(items: Iterable[Item]) -> dict[str, Item]:
    return {item["sk"]["S"]: item for item in items}


def all_items(primaries: Iterable[Item]) -> dict[tuple[str, str], Item]:
    """Return all items of ``comment_sets`` when these are its primaries."""
    everything = [each for primary in primaries for each in (primary, *copies_of(primary))]
    return {(item["pk"]["S"], item["sk"]["S"]): item for item in everything}
