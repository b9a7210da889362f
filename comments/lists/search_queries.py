"""Lists of a product's comments that have all words of a search, read from ``comment_words``.

The first round reads a few postings of every stem, those that have the other stems too. Those of
the rarest reach furthest back, and are read on (`dynapages.lists.runs.Run.alternative`). So a page
is exact whatever the words are, and only its cost depends on them. Each language is a run of the
merge, ratings are one more filter.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from time import monotonic
from urllib.parse import urlencode

from comments import keys
from comments.filters import RATINGS, CommentFilter
from comments.indexes.planner import BY_LANGUAGE, ListPlan, filters
from comments.lists.orders import CommentOrder
from comments.lists.queries import (
    CommentPage,
    Recent,
    entry_of,
    in_list,
    read_recent,
    with_recent,
)
from comments.models import TABLE as COMMENTS_TABLE
from comments.models import Comment, CommentBody
from comments.search.models import TABLE
from comments.search.pending import PendingChanges, find_pending
from comments.search.postings import LARGEST_POSTING, STEMS, partition, stems_of_comment
from comments.search.words import Search, digest_of
from comments.store.counts import ProductCounts
from dynapages.calls import labelled_calls
from dynapages.items import Item, table_key
from dynapages.lists import LEAST_UNITS, HasAll, Index, Page, PageRequest, Run, id_at
from dynapages.process import page_batches, pool, read

WORDS = "words"
"""The name of the plan."""
MOST_UNITS = 12.0
"""Capacity units of a page of a search, however few comments have all its words, and whatever they
say: no posting has more than `LARGEST_POSTING` bytes.

While changes are unfinished, the comments of these cost a unit each beside it, and their long texts
one for each 4 KB.
"""
FIRST_READ = 18
"""Postings that are read of each stem at first, of several."""
FIRST_READS = 48
"""The same of all stems and languages together, by their comments, but `LEAST_READ` of each."""
LEAST_READ = 3
MARKS_SECONDS = 0.5
"""How much later than the postings the marks may be read. They stay for two seconds; the rest of
these is for replicas that lag.
"""
MOST_QUERIES = 16
"""Of the first round: they cost half a capacity unit each at the least."""
_HIDDEN = Comment.hidden_product.attr_name
_BODY_BYTES = Comment.body_bytes.attr_name
_TEXT = CommentBody.text.attr_name

INDEX = Index(TABLE, partition="pk", sort="o", table_key=lambda _position: {})


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A search among a product's comments; ``with_hidden`` only for staff.

    ``refused`` is the sentence about one that is not made. ``is_typed`` is whether its field sent
    it, which may hold more by now.
    """

    search: Search
    with_hidden: bool = False
    refused: str = ""
    is_typed: bool = False

    @property
    def fields(self) -> tuple[tuple[str, str], ...]:
        """The parameters in the URL of its list, by name."""
        return (("q", self.search.text), *[("hidden", "1")] * self.with_hidden)

    @property
    def query(self) -> str:
        return urlencode(self.fields)

    @property
    def most_languages(self) -> int:
        """In how many languages it is read at the most."""
        return MOST_QUERIES // (1 + self.with_hidden)

    def searched(self, languages: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Return the stems to look for by language, without languages where all are common."""
        return {one: stems for one in languages if (stems := self.search.stems(one))}


def languages_of(chosen: CommentFilter, counts: ProductCounts) -> tuple[str, ...]:
    """Return the languages of a list, those of most comments first: the chosen, or all counted."""
    ratings = chosen.ratings or RATINGS
    languages = chosen.languages or counts.languages
    return tuple(sorted(languages, key=lambda one: counts.within([one], ratings), reverse=True))


def plan_search(
    product_id: str,
    wanted: SearchRequest,
    chosen: CommentFilter,
    counts: ProductCounts,
    *,
    needed: int,
) -> ListPlan:
    """Plan the first reads of a page of ``needed`` comments, look-ahead included.

    Where several languages make too many queries, the longest stems of each stand for the others.
    """
    states = (False, True) if wanted.with_hidden else (False,)
    searched = wanted.searched(languages_of(chosen, counts)[: wanted.most_languages])
    most = max(MOST_QUERIES // (len(searched) * len(states) or 1), 1)
    numbers = {one: counts.within([one], chosen.ratings or RATINGS) for one in searched}
    total, runs, first_reads = sum(numbers.values()), list[Run](), list[int]()
    for (language, stems), hidden in product(searched.items(), states):
        share = numbers[language] / total if total else 1 / len(searched)
        probed = sorted(stems, key=len, reverse=True)[:most]
        fair = int(FIRST_READS * share / len(states) / len(probed))
        at_most = FIRST_READ if len(probed) > 1 else needed
        first_reads += [max(LEAST_READ, min(at_most, fair))] * len(probed)
        for stem in probed:
            others = tuple({"B": digest_of(other)} for other in stems if other != stem)
            run = Run(
                INDEX,
                partition(product_id, language, stem, hidden=hidden),
                known={_HIDDEN: {"S": ""}} if hidden else {},
                keep=(*([HasAll(STEMS, others)] if others else ()), *filters(BY_LANGUAGE, chosen)),
                alternative=f"{language}/{hidden}",
            )
            runs.append(run)
    return ListPlan(WORDS, tuple(runs), first_reads=tuple(first_reads))


def search_comments(
    product_id: str,
    wanted: SearchRequest,
    chosen: CommentFilter,
    request: PageRequest,
    *,
    counts: ProductCounts,
    exact: Callable[[], ProductCounts] | None = None,
    order: CommentOrder = CommentOrder.NEWEST,
) -> CommentPage:
    """Read a page of the comments with all words of a search, by time (S1).

    It costs `MOST_UNITS` at most; a page that would cost more is short, and the list goes on. It is
    read again, for what is left of these or a posting of each run, where ``exact``, the counts of
    now, have other languages.

    In the same round it is asked which changes may not be in postings yet. Comments of these are
    read from the table, strongly, for up to a unit each, and are on the page as they are now. Where
    the answer takes long, as after several attempts, a change may have been finished meanwhile that
    the postings did not have when they were read: they are read again.
    """
    began = monotonic()
    with pool().together() as together:
        marks = together.start(partial(_find_pending, product_id))
        most = MOST_UNITS - LEAST_UNITS
        asked = replace(request, most_units=most, largest_item=LARGEST_POSTING)
        plan = plan_search(product_id, wanted, chosen, counts, needed=asked.size + 1)
        page = read(plan.runs, asked, order=order.direction, first_reads=plan.first_reads)
        now = exact() if exact else counts
        if {*languages_of(chosen, now)} != {*languages_of(chosen, counts)}:
            plan = plan_search(product_id, wanted, chosen, now, needed=asked.size + 1)
            asked = replace(asked, most_units=most - page.capacity_units)
            page = read(plan.runs, asked, order=order.direction, first_reads=plan.first_reads)
        pending, answered = marks.result()
        if answered - began > MARKS_SECONDS:
            page = read(plan.runs, asked, order=order.direction, first_reads=plan.first_reads)
    found = CommentPage(
        comments=tuple(entry_of(entry.item) for entry in page.entries),
        plan=plan,
        page=page,
        shown=page,
        counts=now,
        pending=pending,
    )
    if pending.are_none:
        return found
    belongs = in_list(product_id, chosen, with_hidden=wanted.with_hidden)
    return _as_they_are_now(found, wanted, request, belongs=belongs, order=order)


def _find_pending(product_id: str) -> tuple[PendingChanges, float]:
    """Return what the marks say, and when they were read by `time.monotonic`."""
    with labelled_calls("unfinished changes"):
        pending = find_pending(product_id)
    return pending, monotonic()


def _as_they_are_now(
    found: CommentPage,
    wanted: SearchRequest,
    request: PageRequest,
    *,
    belongs: Callable[[Item], bool],
    order: CommentOrder,
) -> CommentPage:
    """Return a page with the comments of unfinished changes as they are in the table.

    Where not all of these are named, every comment of the page is read.
    """
    on_page = {keys.id_in_keys(comment.id): comment.id for comment in found.comments}
    ids = {on_page.get(one, one) for one in found.pending.comment_ids}
    if not found.pending.are_all_named:
        ids.update(comment.id for comment in found.comments)
    comments = with_recent(
        found.comments,
        matching(wanted, read_recent(sorted(ids))),
        page=found.page,
        request=request,
        belongs=belongs,
        order=order,
    )
    shown = _only(found.page, {comment.id for comment in comments})
    return replace(found, comments=comments, shown=shown)


def _only(page: Page, comment_ids: Collection[str]) -> Page:
    """Return a page without the entries of other comments, for its explanation."""
    entries = [entry for entry in page.entries if id_at(entry.position.place) in comment_ids]
    reads = []
    for one in page.reads:
        returned = sum(entry.run is one.run for entry in entries)
        reads.append(replace(one, items_returned=returned))
    return replace(page, entries=tuple(entries), reads=tuple(reads))


def recent_found(wanted: SearchRequest, recent: Recent) -> Recent:
    """Return comments just written, those without all words of a search as if they were deleted.

    With hidden comments none is returned: the list has them.
    """
    return {} if wanted.with_hidden else matching(wanted, recent)


def matching(wanted: SearchRequest, comments: Recent) -> Recent:
    """Return comments of the table, those without all words of a search as if they were deleted.

    Long bodies are read, strongly.
    """
    items = [item for item in comments.values() if item]
    long = [table_key(item["pk"]["S"], keys.BODY) for item in items if _BODY_BYTES in item]
    bodies = {
        item["pk"]["S"]: item[_TEXT]["S"] for item in page_batches().get(COMMENTS_TABLE, long)
    }

    def has_all(item: Item) -> bool:
        stems = stems_of_comment(item, bodies.get(item["pk"]["S"]))
        asked = wanted.search.stems(entry_of(item).language)
        return bool(asked) and {*asked} <= {*stems}

    return {one: item if item and has_all(item) else None for one, item in comments.items()}
