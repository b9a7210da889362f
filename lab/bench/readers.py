"""The ways to read a list of comments that are compared, as functions of the same signature."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from comments.filters import CommentFilter
from comments.indexes.access_patterns import plan
from comments.lists.queries import list_comments
from comments.models import Comment
from comments.store.counts import (
    ProductCounts,
    counts_of,
    remember_counts,
    remembered_counts,
)
from dynamo.calls.client import pool
from dynamo.calls.meter import labelled_calls
from dynamo.lists.reader import Page, PageRequest
from dynamo.lists.runs import OneOf
from dynamo.lists.site_reader import read
from lab.reports.bench_figures import PLANNER
from lab.reports.bench_figures import RULES as RULES_NAME

COUNTS = "counts"
"""Label of the calls that read counts, which are reported apart from those of the list."""


@dataclass(frozen=True, slots=True)
class ListRead:
    """A page of a list, the name of the plan it was read by, and the expected capacity units."""

    plan: str
    page: Page
    estimate: float | None = None

    @property
    def places(self) -> tuple[str, ...]:
        return tuple(entry.position.place for entry in self.page.entries)


@dataclass(frozen=True, slots=True)
class Reader:
    """A way to read a page of a product's comments; ``about`` describes it in a few words."""

    name: str
    about: str
    read: Callable[[str, CommentFilter, PageRequest], ListRead]


def _by_planner(product_id: str, chosen: CommentFilter, request: PageRequest) -> ListRead:
    with pool().together() as together:
        exact = together.start(partial(_counts, product_id))
        counts = remembered_counts(product_id) or exact.result()
        found = list_comments(product_id, chosen, request, counts=counts, exact=exact.result)
    return ListRead(found.plan.name, found.page, found.plan.estimated_capacity_units)


def _counts(product_id: str) -> ProductCounts:
    with labelled_calls(COUNTS):
        counts = counts_of(product_id)
    remember_counts(product_id, counts)
    return counts


def _by_rules(product_id: str, chosen: CommentFilter, request: PageRequest) -> ListRead:
    ruled = plan(product_id, chosen)
    return ListRead(ruled.name, read(ruled.runs, request))


def _by_filter(product_id: str, chosen: CommentFilter, request: PageRequest) -> ListRead:
    (whole,) = plan(product_id, CommentFilter()).runs
    keep = tuple(_filters(chosen))
    return ListRead("filter", read([replace(whole, keep=keep)], request))


def _filters(chosen: CommentFilter) -> Iterator[OneOf]:
    if chosen.languages:
        yield OneOf(Comment.language.attr_name, tuple({"S": code} for code in chosen.languages))
    if chosen.ratings:
        yield OneOf(Comment.rating.attr_name, tuple({"N": str(r)} for r in chosen.ratings))


SITE = Reader(PLANNER, "the cheapest plan by the counts, as the site's pages read", _by_planner)
RULES = Reader(RULES_NAME, "the index that answers the filter, a whole page of each run", _by_rules)
FILTER = Reader("filter", "the index `all` and a FilterExpression", _by_filter)
READERS = (SITE, RULES, FILTER)
