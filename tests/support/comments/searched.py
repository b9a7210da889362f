"""Comments that can be searched: their postings, put the way an import does."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager

from comments.items import NewComment, items_of
from comments.models import Comment
from comments.search.models import TABLE, WordItem
from comments.search.postings import partition, postings_of
from comments.search.words import indexed_stems, parse_search, stems_of
from dynapages.calls import Batches, Pool
from dynapages.process import client
from dynapages.tables import create_missing
from dynapages_testing.strict import refuse_what_aws_refuses
from lab.bench.data import counts_item
from shop.catalogue.services import ensure_products
from tests.support.comments.loading import load
from tests.support.comments.options import comments_set
from tests.support.comments.outage import own_engine
from tests.support.work import finish_what_waits


@contextmanager
def searching(engine_name: str) -> Iterator[None]:
    """Have the site search for the length of the block, in tables of the block's own."""
    with comments_set(SEARCH=True):
        if engine_name == "dynoxide":
            with own_engine():
                refuse_what_aws_refuses(client())
                create_missing([WordItem], client=client())
                yield
        else:
            create_missing([WordItem], client=client())
            yield


def load_searched(comments: Iterable[NewComment], *, hidden: bool = False) -> None:
    """Put comments and their postings; of ``hidden`` ones the postings alone."""
    found = list(comments)
    if not hidden:
        load(found)
        finish_what_waits()
    postings = [posting for one in found for posting in _postings(one, hidden=hidden)]
    keyed = {(each["pk"]["S"], each["o"]["S"]): each for each in postings}
    Batches(client(), Pool(1)).put(TABLE, list(keyed.values()))


def _postings(comment: NewComment, *, hidden: bool) -> list[dict[str, object]]:
    made = items_of(comment)[0]
    if hidden:
        made.hidden_product, made.product_partition = comment.product_id, None
    return list(postings_of(made.to_dynamodb_dict(), comment.body))


def put_postings(
    comments: Sequence[NewComment], words: Sequence[str], *, hidden_every: int = 0
) -> None:
    """Put what searches for these words alone read: postings, the product, and its counts.

    All are on one product. Of so many comments one is ``hidden_every`` time.
    """
    product_id = comments[0].product_id
    ensure_products(product_ids={product_id})
    counted: Counter[tuple[str, int]] = Counter()
    postings = []
    for number, comment in enumerate(comments):
        is_hidden = bool(hidden_every) and number % hidden_every == 0
        if not is_hidden:
            counted[comment.language, comment.rating] += 1
        stems = stems_of(" ".join(words), comment.language)
        wanted = {partition(product_id, comment.language, s, hidden=is_hidden) for s in stems}
        postings += [
            each for each in _postings(comment, hidden=is_hidden) if each["pk"]["S"] in wanted
        ]
    client().put_item(TableName=Comment.Meta.table_name, Item=counts_item(product_id, counted))
    Batches(client(), Pool(1)).put(TABLE, postings)


def found_in(
    comments: Sequence[NewComment],
    words: str,
    languages: Collection[str] = (),
    ratings: Collection[int] = (),
) -> list[str]:
    """The ids of comments with all words of a search, newest first, by looking at each."""
    search = parse_search(words)

    def has_all(comment: NewComment) -> bool:
        wanted = search.stems(comment.language)
        stems = indexed_stems(comment.title, comment.body, comment.language)
        return bool(wanted) and {*wanted} <= {*stems}

    return [
        comment.id
        for comment in sorted(comments, key=lambda c: (c.created_at, c.id), reverse=True)
        if (not languages or comment.language in languages)
        and (not ratings or comment.rating in ratings)
        and has_all(comment)
    ]
