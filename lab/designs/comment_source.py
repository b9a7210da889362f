"""The comments that all designs store: the sample shop's, or those of a product of the site."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import islice

from comments import keys
from comments.filters import CommentFilter
from comments.indexes.access_patterns import plan
from comments.items import NewComment
from comments.lists.queries import CommentEntry, entry_of
from comments.models import CommentBody, CommentItem
from demo.sample.catalogue import sample_catalogue
from demo.sample.comments import sample_comments
from dynamo.calls.batches import Batches
from dynamo.calls.client import client, pool
from dynamo.errors import DynamoError
from dynamo.items import table_key
from dynamo.lists.site_reader import every_entry, read

_CHUNK = 500


class NoComments(DynamoError):
    """The product has no comments to compare designs on."""


@dataclass(frozen=True, slots=True)
class Comments:
    """Comments of one product or several, and the product whose lists are read.

    ``about`` describes where they come from.
    """

    all: tuple[NewComment, ...]
    product_id: str
    about: str

    @property
    def listed(self) -> tuple[NewComment, ...]:
        """Those of the product."""
        return tuple(one for one in self.all if one.product_id == self.product_id)


def sample(count: int, *, now: datetime) -> Comments:
    """Return the sample shop's first ``count`` comments, and the product that most are on.

    None is later than ``now``.
    """
    comments = tuple(sample_comments(sample_catalogue(), count=count, now=now))
    ((product_id, _),) = Counter(one.product_id for one in comments).most_common(1)
    return Comments(comments, product_id, "of the sample shop")


def of_product(product_id: str, *, at_most: int) -> Comments:
    """Read a product's newest comments from the site, long texts included.

    Raises NoComments, and botocore's errors.
    """
    found = tuple(islice(_listed(product_id), at_most))
    if not found:
        raise NoComments(f"There are no comments on “{product_id}” here.")
    bodies = _bodies([entry.id for entry in found if entry.is_long])
    comments = tuple(_comment(entry, product_id, bodies) for entry in found)
    return Comments(comments, product_id, f"on the product “{product_id}” of this site")


def _listed(product_id: str) -> Iterator[CommentEntry]:
    runs = plan(product_id, CommentFilter()).runs
    return (entry_of(one.item) for one in every_entry(partial(read, runs), at_once=_CHUNK))


def _bodies(comment_ids: list[str]) -> dict[str, str]:
    wanted = [table_key(keys.comment(i), keys.BODY) for i in comment_ids]
    found = Batches(client(), pool()).get(CommentItem.Meta.table_name, wanted)
    text = CommentBody.text.attr_name
    return {keys.comment_id_in(item["pk"]["S"]): item[text]["S"] for item in found}


def _comment(entry: CommentEntry, product_id: str, bodies: dict[str, str]) -> NewComment:
    return NewComment(
        id=entry.id,
        product_id=product_id,
        language=entry.language,
        rating=entry.rating,
        created_at=entry.created,
        author=entry.author,
        title=entry.title,
        body=bodies.get(entry.id, entry.text),
        verified=entry.is_verified,
    )
