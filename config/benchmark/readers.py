"""The ways to read a list of comments that are compared, each behind the same face."""

from collections.abc import Callable
from dataclasses import dataclass

from comments.access_patterns import plan
from comments.counts import counts_of
from comments.filters import CommentFilter
from comments.queries import list_comments
from dynamo.meter import labelled_calls
from dynamo.reader import Page, PageRequest
from dynamo.reading import read

COUNTS = "counts"
"""Label of the calls that read counts, which are told apart from those of the list itself."""


@dataclass(frozen=True, slots=True)
class ListRead:
    """A page of a list, and the name of the plan it was read by."""

    plan: str
    page: Page

    @property
    def places(self) -> tuple[str, ...]:
        return tuple(entry.position.place for entry in self.page.entries)


@dataclass(frozen=True, slots=True)
class Reader:
    """A way to read a page of a product's comments; ``about`` says how, in a few words."""

    name: str
    about: str
    read: Callable[[str, CommentFilter, PageRequest], ListRead]


def _as_the_site(product_id: str, chosen: CommentFilter, request: PageRequest) -> ListRead:
    with labelled_calls(COUNTS):
        counts = counts_of(product_id)
    found = list_comments(product_id, chosen, request, counts=counts)
    return ListRead(found.plan.name, found.page)


def _by_rules(product_id: str, chosen: CommentFilter, request: PageRequest) -> ListRead:
    ruled = plan(product_id, chosen)
    return ListRead(ruled.name, read(ruled.runs, request))


SITE = Reader("site", "as the site's pages read", _as_the_site)
RULES = Reader("rules", "one index by rule, a whole page of each run", _by_rules)
