"""What ranks, read from the index to its end; and what gets in the way of a rank being stored."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any

from botocore.exceptions import EndpointConnectionError

from comments.items import NewComment, items_of
from comments.keys import RANK_PREFIX, rank
from comments.models import Comment
from comments.rankings.queries import RankedProduct, list_ranking
from comments.rankings.services import Ranking
from dynapages.items import Item
from dynapages.lists import PageRequest, id_at
from dynapages.process import client
from dynapages_testing.hooks import hooked

TABLE = Comment.Meta.table_name


def ranking_of(
    ranking: Ranking, products: Collection[str], *, size: int = 100
) -> list[RankedProduct]:
    """These products as they rank among all, page by page."""
    found: list[RankedProduct] = []
    request: PageRequest | None = PageRequest(size)
    while request:
        listed = list_ranking(ranking, request)
        found += listed.items
        position = listed.page.next_position
        request = PageRequest(size, position) if position else None
    return [ranked for ranked in found if ranked.product.id in products]


def five_stars(product_id: str) -> int:
    """How many 5-star comments the ranking says a product has; none when it is not there."""
    found = ranking_of(Ranking.FIVE_STARS, [product_id])
    return found[0].five_stars or 0 if found else 0


def last_comment(product_id: str) -> str | None:
    """The id of a product's last comment, by the ranking."""
    found = ranking_of(Ranking.COMMENTED, [product_id])
    return found[0].comment_id if found else None


def stored_rank(ranking: Ranking, product_id: str) -> Item:
    value = {"S": rank(ranking, product_id)}
    found = client().get_item(TableName=TABLE, Key={"pk": value, "sk": value}, ConsistentRead=True)
    return found.get("Item", {})


@contextmanager
def before_rank_is_stored(
    ranking: Ranking, product_id: str, *happens: Callable[[], object]
) -> Iterator[list[str]]:
    """Let something happen just before a product's rank is stored, each in turn, once.

    What happens may store the same rank. Gives the versions that were about to be stored, but
    for those of what happens.
    """
    left, met, happening = list(happens), [], [False]

    def meet(params: dict[str, Any], **_: object) -> None:
        if happening[0] or params["Key"]["pk"]["S"] != rank(ranking, product_id):
            return
        values = params["ExpressionAttributeValues"].values()
        met.append(max((value["N"] for value in values if "N" in value), key=int))
        if left:
            happening[0] = True
            left.pop(0)()
            happening[0] = False

    with hooked("provide-client-params.dynamodb.UpdateItem", meet):
        yield met


@contextmanager
def before_ranks_are_stored_together(*happens: Callable[[], object]) -> Iterator[None]:
    """Let something happen just before a transaction of ranks, each in turn, once."""
    left = list(happens)

    def meet(params: dict[str, Any], **_: object) -> None:
        updates = [action["Update"] for action in params["TransactItems"] if "Update" in action]
        if left and all(u["Key"]["pk"]["S"].startswith(RANK_PREFIX) for u in updates):
            left.pop(0)()

    with hooked("provide-client-params.dynamodb.TransactWriteItems", meet):
        yield


@contextmanager
def ranks_out_of_reach() -> Iterator[None]:
    """Let the database be away when a rank is stored, and for nothing else."""

    def fail(params: dict[str, Any], **_: object) -> None:
        if params["Key"]["pk"]["S"].startswith(RANK_PREFIX):
            raise EndpointConnectionError(endpoint_url="nowhere")

    with hooked("provide-client-params.dynamodb.UpdateItem", fail):
        yield


@contextmanager
def index_that_lags(*, missing: Collection[str] = (), gone: NewComment | None = None) -> Iterator:
    """Let the index ``all`` not show some comments yet, and one still that is deleted."""

    def lag(parsed: dict[str, Any], context: dict[str, Any], **_: object) -> None:
        if context["dynamo_request"].get("IndexName") != "all":
            return
        items = [i for i in parsed["Items"] if id_at(i["o"]["S"]) not in missing]
        # It may be read before the deletion, too: then the index has the comment itself.
        is_shown = gone is not None and any(id_at(i["o"]["S"]) == gone.id for i in items)
        if gone and not is_shown and "ExclusiveStartKey" not in context["dynamo_request"]:
            items.insert(0, _entry(gone))
        parsed["Items"] = items

    with hooked("after-call.dynamodb.Query", lag):
        yield


def _entry(comment: NewComment) -> Item:
    item, _ = items_of(comment)
    wire = item.serialize()
    return {name: wire[name] for name in ("pk", "sk", "a", "o", "g", "s")}
