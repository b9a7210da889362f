"""Ways to read a page of a product's comments, and what a page must hold.

The planner is the site's. The others are designs that it is compared with: four indexes of which a
rule picks one, and one index with a FilterExpression.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from comments.filters import CommentFilter
from comments.indexes.planner import plan
from comments.lists.queries import list_comments
from comments.models import Comment
from comments.store.counts import ProductCounts, read_counts, remember_counts, remembered_counts
from dynapages.calls import labelled_calls
from dynapages.errors import DynamoError
from dynapages.lists import OneOf, Ordinal, Page, PageRequest, Position
from dynapages.process import pool, read

COUNTS_LABEL = "counts"
"""Of the calls that read counts, which are reported apart from those of the list."""


class WrongAnswer(DynamoError):
    """A page that was read does not hold what it should."""


@dataclass(frozen=True, slots=True)
class ListRead:
    """A page of a list, and the name of the plan that it was read by."""

    plan: str
    page: Page

    def require(self, sort_keys: Sequence[str], *, name: str) -> None:
        """Raise WrongAnswer unless these are the sort keys of the items; ``name`` is the page's."""
        read_keys = [entry.position.place for entry in self.page.entries]
        if read_keys != list(sort_keys):
            raise WrongAnswer(f"What was read as {name} is not what it holds.")


@dataclass(frozen=True, slots=True)
class Reader:
    """A way to read a page; ``description`` says in a few words what it reads."""

    name: str
    description: str
    read: Callable[[str, CommentFilter, PageRequest], ListRead]


def _read_by_planner(product_id: str, chosen: CommentFilter, request: PageRequest) -> ListRead:
    """Read the counts and the list in one round, as the site's pages do."""

    def read_and_remember() -> ProductCounts:
        with labelled_calls(COUNTS_LABEL):
            counts = read_counts(product_id)
        remember_counts(product_id, counts)
        return counts

    with pool().together() as together:
        exact = together.start(read_and_remember)
        counts = remembered_counts(product_id) or exact.result()
        result = list_comments(product_id, chosen, request, counts=counts, count_now=exact.result)
    return ListRead(result.plan.name, result.page)


def _read_by_rules(product_id: str, chosen: CommentFilter, request: PageRequest) -> ListRead:
    """Read a page of each partition of the index that answers the filter, and merge them."""
    chosen_index = plan(product_id, chosen)
    return ListRead(chosen_index.name, read(chosen_index.runs, request))


def _read_by_filter(product_id: str, chosen: CommentFilter, request: PageRequest) -> ListRead:
    """Read the list of all comments, and drop by a FilterExpression what does not match."""
    conditions = []
    if chosen.languages:
        codes = tuple({"S": code} for code in chosen.languages)
        conditions.append(OneOf(Comment.language.attr_name, codes))
    if chosen.ratings:
        numbers = tuple({"N": str(rating)} for rating in chosen.ratings)
        conditions.append(OneOf(Comment.rating.attr_name, numbers))
    # One run: the list without a filter is one partition of the index `all`.
    (all_comments,) = plan(product_id, CommentFilter()).runs
    filtered = replace(all_comments, keep=tuple(conditions))
    return ListRead("filter", read([filtered], request))


PLANNER = Reader("planner", "the cheapest plan by the counts, as the site does", _read_by_planner)
RULES = Reader("rules", "the index that answers the filter, by a rule", _read_by_rules)
FILTER = Reader("filter", "the index `all` and a FilterExpression", _read_by_filter)
READERS = (PLANNER, RULES, FILTER)


def cut_page(
    positions: Sequence[Position], *, page: int, size: int
) -> tuple[PageRequest, list[str]]:
    """Return the request for a page of a list, counted from 1, and the sort keys it must hold."""
    first = (page - 1) * size
    # As the site's links have it: a page follows the last item of the page before.
    behind = None
    if first:
        behind = replace(positions[first - 1], ordinal=Ordinal(first))
    sort_keys = [position.place for position in positions[first : first + size]]
    return PageRequest(size, behind), sort_keys
