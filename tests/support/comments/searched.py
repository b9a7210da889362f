"""Comments that can be searched: their postings, put the way an import does."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager

from comments.items import NewComment, items_of
from comments.search.models import TABLE, WordItem
from comments.search.postings import postings_of
from comments.search.words import indexed_stems, parse_search
from dynapages.calls import Batches, Pool
from dynapages.process import client
from dynapages.tables import create_missing
from dynapages_testing.strict import refuse_what_aws_refuses
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
