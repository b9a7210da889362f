"""The ways to read a list of comments from the four indexes, and the plan: the cheapest of them.

=======  ==========================================  ===========================
pattern  question                                    index that answers it alone
=======  ==========================================  ===========================
AP1      all comments of a product                   ``all``
AP2      in any set of languages                     ``by_language``
AP3      of any set of ratings                       ``by_rating``
AP3      both                                        ``by_language_and_rating``
AP6      older and newer pages of any of these       the same, from a position
=======  ==========================================  ===========================

Without counts the plan is that of the table ("Query planning" of part 2 of "Efficient filtering
with DynamoDB"). But every access pattern can answer every filter: what its partition keys do not
distinguish is dropped by a FilterExpression; where they distinguish more, a partition is read for
each value. A filter by languages and ratings can also be read by a mix of the indexes. A partition
that is empty by the counts is in ``empty_partitions``.

All are priced in capacity units, by two counts of each run: its items in all, and those that belong
to the list. Where these differ, the other items are read, charged for, and dropped. The counts
yield how many items of a run come before the end of the page; the mean item size yields how many
4 KB blocks they fill. An eventually consistent Query costs half a capacity unit for each started
block ("Capacity consumption for Query operations" of the Developer Guide).

The limit of a run's first read is a wager: its expected share of the page is cheap but often falls
short, and a second round must then be paid for and waited for. `best_first_read` returns the limit
of least expected cost.

Counts may be wrong, and items unevenly spread over time. That changes the cost only, and a run that
filters can be replaced within the page (see `dynapages.lists.merging.Fallback`): the reader's merge
is exact whatever the counts are.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import combinations, islice, product
from math import ceil, erfc, inf, isfinite, sqrt
from statistics import fmean
from typing import TypeVar

from comments import keys
from comments.filters import RATINGS, CommentFilter
from comments.models import All, ByLanguage, ByLanguageAndRating, ByRating, Comment, ListIndex
from comments.store.counts import Cell, ProductCounts
from comments.store.table import index_of
from dynapages.items import BLOCK, UNITS_PER_BLOCK, Item, item_bytes
from dynapages.lists import Alternative, Fallback, HasAll, Index, OneOf, Run

LANGUAGE, RATING = "language", "rating"
"""What a partition key can answer of a filter."""
LANGUAGE_ATTRIBUTE, RATING_ATTRIBUTE = Comment.language.attr_name, Comment.rating.attr_name
_ATTRIBUTES = {LANGUAGE: (LANGUAGE_ATTRIBUTE, "S"), RATING: (RATING_ATTRIBUTE, "N")}

MIXED = "mixed"
"""The plan that reads from more than one index."""
MOST_QUERIES_UNCOUNTED = 8
"""Queries that are made at the most where the counts say that there is nothing."""
MOST_OF_UNITS = 0.75
"""The part of a page's units that the least cost of its queries may take: the rest reads on."""
PLANS_REMEMBERED = 200
"""Plans that are kept, at some 10 kB each."""

SECOND_ROUND = 1.5
"""The price of a second round for a run: half a capacity unit, and a whole one for the wait."""
TRANSFER = 0.001
"""The price of transferring an item: without one, items that cost nothing would be read too."""
SPREAD = 0.45
"""How far items differ in size: their standard deviation by their mean."""
UNEVENNESS = 0.3
"""How far the pace at which a run's items come differs from its mean over time, likewise."""
SEASONS_RISK = 1.0
"""How the price of a run rises that drops what has seasons: by the square of the part it drops."""
_MOST_DEVIATIONS = 3.5
_MOST_LIMITS = 30
"""The limits that are considered: so many at most, up to so many deviations above the mean."""

TYPICAL_BYTES = 300.0
"""Bytes of a list entry, as long as none was read."""
_SAMPLE = 3
"""Items of each read whose sizes are taken into the mean."""
_LEAST_WEIGHT = 0.005
"""Of an item in the mean: prices near the border of a block need a mean that keeps still."""


Row = TypeVar("Row", bound=Hashable)
Column = TypeVar("Column", bound=Hashable)


class NoSuchPlan(ValueError):
    """There is no plan of this name, but those in ``known``."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.known = tuple(known)
        super().__init__(f"There is no plan “{name}”: there are {', '.join(self.known)}.")


# Access patterns, and plans by rule.


@dataclass(frozen=True, slots=True)
class AccessPattern:
    """An index of comments and the parts of a filter that its partition key answers, in order."""

    name: str
    index: Index
    answers: tuple[str, ...]

    def runs(
        self, product_id: str, chosen: CommentFilter, keep: tuple[OneOf | HasAll, ...] = ()
    ) -> list[Run]:
        """Return one run for every combination of chosen values that the partition key holds."""
        values: dict[str, Sequence[str | int]] = {
            LANGUAGE: chosen.languages,
            RATING: chosen.ratings,
        }
        runs = []
        values_in_key = [values[part] for part in self.answers]
        for combination in product(*values_in_key):
            # What the index omits because its partition key has it.
            known = {}
            for part, value in zip(self.answers, combination, strict=True):
                name, kind = _ATTRIBUTES[part]
                known[name] = {kind: str(value)}
            partition = keys.product_partition(product_id, *combination)
            runs.append(Run(index=self.index, partition=partition, known=known, keep=keep))
        return runs


@dataclass(frozen=True, slots=True)
class ListPlan:
    """How a page is read, and what the other ways were expected to cost.

    ``estimated_capacity_units`` is None without counts, and where the plan would find nothing. The
    ``empty_partitions`` are read at the end of the list alone. ``by_rule`` are the items that the
    exact plan would read of each of its partitions, if it read a whole page of each.
    """

    name: str
    runs: tuple[Run, ...]
    first_reads: tuple[int, ...] | None = None
    fallback: Fallback | None = None
    empty_partitions: tuple[Run, ...] = ()
    estimated_capacity_units: float | None = None
    alternatives: tuple[Alternative, ...] = ()
    by_rule: tuple[int, ...] = ()


def _pattern(model: type[ListIndex], *answers: str) -> AccessPattern:
    return AccessPattern(name=model.Meta.index_name, index=index_of(model), answers=answers)


ALL = _pattern(All)
BY_LANGUAGE = _pattern(ByLanguage, LANGUAGE)
BY_RATING = _pattern(ByRating, RATING)
BY_BOTH = _pattern(ByLanguageAndRating, LANGUAGE, RATING)
PATTERNS = (ALL, BY_LANGUAGE, BY_RATING, BY_BOTH)
_BY_ANSWERS = {frozenset(pattern.answers): pattern for pattern in PATTERNS}


def exact_pattern(chosen: CommentFilter) -> AccessPattern:
    """Return the pattern whose partition key answers exactly what the filter restricts."""
    return _BY_ANSWERS[chosen.narrowed]


def plan(product_id: str, chosen: CommentFilter) -> ListPlan:
    """Plan without counts, by the exact pattern."""
    pattern = exact_pattern(chosen)
    return ListPlan(name=pattern.name, runs=tuple(pattern.runs(product_id, chosen)))


def exact_runs(product_id: str, run: Run) -> tuple[Run, ...]:
    """Return the runs that hold what a run with a filter keeps, and filter nothing."""
    values: dict[str, Sequence[Mapping[str, str]]] = {}
    for name, value in run.known.items():
        values[name] = (value,)
    for condition in run.keep:
        values[condition.attribute] = condition.values
    languages = tuple(value["S"] for value in values.get(LANGUAGE_ATTRIBUTE, ()))
    ratings = tuple(int(value["N"]) for value in values.get(RATING_ATTRIBUTE, ()))
    return plan(product_id, CommentFilter(languages, ratings)).runs


def filter_conditions(pattern: AccessPattern, chosen: CommentFilter) -> Iterator[OneOf]:
    """Yield what runs of a pattern keep, where its partition key does not answer it."""
    if LANGUAGE not in pattern.answers and chosen.languages:
        languages = tuple({"S": language} for language in chosen.languages)
        yield OneOf(LANGUAGE_ATTRIBUTE, languages)
    if RATING not in pattern.answers and chosen.ratings:
        ratings = tuple({"N": str(rating)} for rating in chosen.ratings)
        yield OneOf(RATING_ATTRIBUTE, ratings)


# The price of reading runs.


@dataclass(frozen=True, slots=True)
class CountedRun:
    """A run, the number of its items, and of those that belong to the list.

    ``item_bytes`` is the mean item size of its index. With ``has_seasons`` the items it drops come
    and go over time more than the others do.
    """

    run: Run
    total: int
    matching: int
    item_bytes: float
    has_seasons: bool = False


@dataclass(frozen=True, slots=True)
class PricedPlan:
    """The runs of a plan that are not empty, the limits of their first reads, the expected cost.

    ``skipped`` are the runs whose count is zero. ``capacity_units`` is infinite when the runs hold
    items of which none belong to the list.
    """

    name: str
    runs: tuple[Run, ...]
    first_reads: tuple[int, ...]
    skipped: tuple[Run, ...]
    capacity_units: float

    @property
    def filters(self) -> bool:
        """Whether its queries have a FilterExpression."""
        return any(run.keep for run in self.runs)

    @property
    def estimate(self) -> float | None:
        """The expected capacity units for display, None where they are infinite."""
        if not isfinite(self.capacity_units):
            return None
        return round(self.capacity_units, 2)


def cheapest(plans: Sequence[PricedPlan]) -> PricedPlan:
    """Return the plan of least expected cost, then of fewest queries, then without a filter."""
    return min(plans, key=_preference)


def _preference(plan: PricedPlan) -> tuple[float, int, bool]:
    return plan.capacity_units, len(plan.runs), plan.filters


def price_runs(name: str, runs: Sequence[CountedRun], *, needed: int) -> PricedPlan:
    """Return the plan for a page of ``needed`` items, the look-ahead included."""
    held: list[CountedRun] = []
    skipped: list[Run] = []
    matching = 0
    for counted in runs:
        # Counts that are wrong may be below zero.
        if counted.total <= 0:
            skipped.append(counted.run)
        else:
            held.append(counted)
            matching += counted.matching
    if held and not matching:
        # All that is read would be dropped.
        return PricedPlan(name, (), (), tuple(skipped), capacity_units=inf)
    limits: list[int] = []
    prices: list[float] = []
    for counted in held:
        first = best_first_read(counted, matching, needed=needed)
        limits.append(first.limit)
        prices.append(first.capacity_units)
    return PricedPlan(
        name=name,
        runs=tuple(counted.run for counted in held),
        first_reads=tuple(limits),
        skipped=tuple(skipped),
        capacity_units=sum(prices),
    )


@dataclass(frozen=True, slots=True)
class FirstRead:
    """The limit of a run's first read, and the capacity units that reading the run is to cost."""

    limit: int
    capacity_units: float


def best_first_read(counted: CountedRun, matching: int, *, needed: int) -> FirstRead:
    """Return the limit of a run's first read that is expected to cost least.

    ``matching`` is the number of items in the whole list, above zero.
    """
    dropped = counted.total - counted.matching
    share = counted.matching / matching
    # One of several runs need not bring the look-ahead in order.
    needed_of_run = needed
    if share < 1:
        needed_of_run -= 1
    dropped_before_end = 0.0
    # One more than there are, so that the read also meets the end of the partition.
    most = counted.total + 1
    if dropped:
        # Rounded, so that pages of about the same counts are priced once.
        dropped_before_end = float(f"{needed * dropped / matching:.2g}")
    else:
        most = min(most, needed)
    first = _best_first_read(
        needed=needed_of_run,
        share=round(share, 3) or 0.001,
        dropped=dropped_before_end,
        most=most,
        item_bytes=round(counted.item_bytes, -1),
    )
    if not counted.has_seasons:
        return first
    risk = SEASONS_RISK * (dropped / counted.total) ** 2
    return replace(first, capacity_units=first.capacity_units * (1 + risk))


@lru_cache(maxsize=2_048)
def _best_first_read(
    *, needed: int, share: float, dropped: float, most: int, item_bytes: float
) -> FirstRead:
    """Return the limit of least expected cost for a run.

    Of the ``needed`` items those from this run are binomial, by its ``share``; those ``dropped``
    meanwhile are negative binomial. What is read until then is about normal.
    """
    shared = needed * share * (1 - share)
    # Binomial and negative binomial numbers add up: so do their means and variances.
    mean = needed * share + dropped
    evenly = shared + dropped + dropped**2 / needed
    deviation = sqrt(evenly + (UNEVENNESS * (shared + dropped)) ** 2)

    def expected_units(limit: int) -> float:
        falls_short = 0.0
        if limit < most:
            # A number of items is whole: half of one more corrects the normal distribution.
            falls_short = _above(limit + 0.5, mean, deviation)
        return _units(limit, item_bytes) + SECOND_ROUND * falls_short

    def price(limit: int) -> float:
        return expected_units(limit) + TRANSFER * limit

    least = max(1, min(round(mean), most))
    last = max(1, min(round(mean + _MOST_DEVIATIONS * deviation), most))
    step = ceil((last - least) / _MOST_LIMITS) or 1
    # Fewer than the mean would mostly fall short, so that no limit below it is tried.
    best = min((*range(least, last, step), last), key=price)
    return FirstRead(best, expected_units(best))


@lru_cache(maxsize=1_024)
def _units(limit: int, item_bytes: float) -> float:
    """Return the expected capacity units of reading ``limit`` items, whose sizes differ."""
    mean = limit * item_bytes
    deviation = SPREAD * item_bytes * sqrt(limit)
    # A block more is charged for with the probability that the items reach over its border.
    borders = range(BLOCK, ceil(mean + 3 * deviation), BLOCK)
    more_blocks = sum(_above(border, mean, deviation) for border in borders)
    return UNITS_PER_BLOCK * (1 + more_blocks)


def _above(bound: float, mean: float, deviation: float) -> float:
    """Return the probability that a normal variable exceeds a bound."""
    if not deviation:
        return float(mean > bound)
    return erfc((bound - mean) / (deviation * sqrt(2))) / 2


class MeanSizes:
    """The mean item size of each index, over samples of what was read; older ones fade."""

    def __init__(self) -> None:
        self._means: dict[str, float] = {}
        self._seen: Counter[str] = Counter()

    def mean(self, index: str) -> float:
        """Return the mean in bytes."""
        return self._means.get(index, TYPICAL_BYTES)

    @property
    def rounded(self) -> tuple[float, ...]:
        """The means of all indexes, as exactly as plans depend on them."""
        return tuple(round(self.mean(pattern.name), -1) for pattern in PATTERNS)

    @property
    def of_all(self) -> float:
        """The mean in bytes over all indexes."""
        if not self._seen:
            return TYPICAL_BYTES
        means = [self._means[index] for index in self._seen]
        return fmean(means, weights=self._seen.values())

    def note(self, index: str, items: Iterable[Item]) -> None:
        """Update the mean by a few of the items that were read."""
        for item in islice(items, _SAMPLE):
            self._seen[index] += 1
            weight = max(1 / self._seen[index], _LEAST_WEIGHT)
            before = self._means.get(index, 0.0)
            self._means[index] = before + weight * (item_bytes(item) - before)


SIZES = MeanSizes()
"""Sizes of list entries, as this process has seen them."""


# The choice of a plan.


def plan_list(
    product_id: str,
    chosen: CommentFilter,
    counts: ProductCounts,
    *,
    needed: int,
    forced: str | None = None,
    most_units: float = inf,
) -> ListPlan:
    """Choose how to read a page of ``needed`` items, look-ahead included.

    Plans are omitted whose queries alone would use up most of ``most_units``; one that is
    ``forced`` is not. Raises NoSuchPlan.
    """
    # Without counts nothing can be priced.
    if not counts.cells and forced is None:
        return _plan_without_counts(product_id, chosen, most_units)
    return _plan_list(
        product_id,
        chosen,
        frozenset(counts.cells.items()),
        sizes=SIZES.rounded,
        needed=needed,
        forced=forced,
        most_units=most_units,
    )


@lru_cache(maxsize=PLANS_REMEMBERED)
def _plan_list(
    product_id: str,
    chosen: CommentFilter,
    cells: frozenset[tuple[Cell, int]],
    *,
    sizes: tuple[float, ...],
    needed: int,
    forced: str | None,
    most_units: float,
) -> ListPlan:
    del sizes  # by which the runs are priced
    counts = ProductCounts(dict(cells))
    priced = price_indexes(product_id, chosen, counts, needed=needed)
    if forced is not None and forced not in priced:
        raise NoSuchPlan(forced, priced)
    if forced:
        best = priced[forced]
    else:
        best = cheapest(_eligible(priced, chosen, most_units))
    alternatives = []
    for other in priced.values():
        if other.name != best.name:
            alternatives.append(Alternative(other.name, other.estimate))
    exact_parts = _split(exact_pattern(chosen), chosen, counts)
    fallback = None
    # One that was asked for is shown as it is: nothing takes the place of its runs.
    if best.filters and forced is None:
        fallback = partial(_narrower_runs, product_id)
    return ListPlan(
        name=best.name,
        runs=best.runs,
        first_reads=best.first_reads,
        fallback=fallback,
        empty_partitions=best.skipped,
        estimated_capacity_units=best.estimate,
        alternatives=tuple(alternatives),
        by_rule=tuple(min(counts.of(part.chosen), needed) for part in exact_parts),
    )


def _plan_without_counts(product_id: str, chosen: CommentFilter, most_units: float) -> ListPlan:
    """Plan for a product without any counts by the exact plan, or one query for too many."""
    exact = plan(product_id, chosen)
    if len(exact.runs) <= min(most_queries(most_units), MOST_QUERIES_UNCOUNTED):
        return ListPlan(exact.name, exact.runs)
    runs = ALL.runs(product_id, chosen, tuple(filter_conditions(ALL, chosen)))
    return ListPlan(ALL.name, tuple(runs), fallback=partial(_narrower_runs, product_id))


@dataclass(frozen=True, slots=True)
class Part:
    """The part of a list that is read from one partition of an index."""

    pattern: AccessPattern
    chosen: CommentFilter


def price_indexes(
    product_id: str, chosen: CommentFilter, counts: ProductCounts, *, needed: int
) -> dict[str, PricedPlan]:
    """Price each way to read a page of ``needed`` items, by name: the four indexes and the mix."""
    counted = {}
    for pattern in PATTERNS:
        parts = _split(pattern, chosen, counts)
        counted[pattern.name] = _counted_runs(product_id, parts, counts)
    if chosen.languages and chosen.ratings:
        mix = _mix(chosen, counted, needed=needed)
        indexes = {part.pattern.name for part in mix}
        # A mix that turns out to read one index alone is priced already.
        if len(indexes) > 1:
            counted[MIXED] = _counted_runs(product_id, mix, counts)
    priced = {}
    for name, runs in counted.items():
        priced[name] = price_runs(name, runs, needed=needed)
    return priced


def _split(pattern: AccessPattern, chosen: CommentFilter, counts: ProductCounts) -> list[Part]:
    """Split a list into the parts that are each in one partition of an index."""
    languages: list[tuple[str, ...]] = [chosen.languages]
    if LANGUAGE in pattern.answers:
        languages = [(language,) for language in chosen.languages or counts.languages]
    ratings: list[tuple[int, ...]] = [chosen.ratings]
    if RATING in pattern.answers:
        ratings = [(rating,) for rating in chosen.ratings or RATINGS]
    parts = []
    for languages_of_part, ratings_of_part in product(languages, ratings):
        parts.append(Part(pattern, CommentFilter(languages_of_part, ratings_of_part)))
    return parts


def _mix(
    chosen: CommentFilter, counted: Mapping[str, Sequence[CountedRun]], *, needed: int
) -> list[Part]:
    """Return the cheapest parts: of some languages, of some ratings, and of both for the rest."""
    matching = sum(run.matching for run in counted[BY_BOTH.name])

    def units(pattern: AccessPattern) -> Iterator[float]:
        # In the order of `_split`: by language, and within each by rating.
        for run in counted[pattern.name]:
            if run.matching:
                yield best_first_read(run, matching, needed=needed).capacity_units
            else:
                yield 0.0

    cells = product(chosen.languages, chosen.ratings)
    whole_languages, whole_ratings = cheapest_cover(
        rows=dict(zip(chosen.languages, units(BY_LANGUAGE), strict=True)),
        columns=dict(zip(chosen.ratings, units(BY_RATING), strict=True)),
        cells=dict(zip(cells, units(BY_BOTH), strict=True)),
    )
    parts = []
    other_languages: list[str] = []
    for language in chosen.languages:
        if language in whole_languages:
            parts.append(Part(BY_LANGUAGE, CommentFilter((language,), chosen.ratings)))
        else:
            other_languages.append(language)
    # A partition by rating has all languages: those that are read whole are filtered out of it.
    if other_languages:
        for rating in whole_ratings:
            parts.append(Part(BY_RATING, CommentFilter(tuple(other_languages), (rating,))))
    for language, rating in product(other_languages, chosen.ratings):
        if rating not in whole_ratings:
            parts.append(Part(BY_BOTH, CommentFilter((language,), (rating,))))
    return parts


def cheapest_cover(
    rows: Mapping[Row, float],
    columns: Mapping[Column, float],
    cells: Mapping[tuple[Row, Column], float],
) -> tuple[tuple[Row, ...], tuple[Column, ...]]:
    """Return the rows and the columns of the cheapest cover; the cells outside both complete it.

    The mappings are to prices. Every set of columns is tried, so these should be few.
    """

    def price_of_cells(row: Row, covered: tuple[Column, ...]) -> float:
        return sum(cells[row, column] for column in columns if column not in covered)

    def total(covered: tuple[Column, ...]) -> float:
        price_of_columns = sum(columns[column] for column in covered)
        # Each row is covered as a whole, or by those of its cells that no column covers.
        price_of_rows = sum(min(rows[row], price_of_cells(row, covered)) for row in rows)
        return price_of_columns + price_of_rows

    sets: list[tuple[Column, ...]] = []
    for size in range(len(columns) + 1):
        sets.extend(combinations(columns, size))
    best = min(sets, key=total)
    whole_rows = []
    for row in rows:
        if rows[row] < price_of_cells(row, best):
            whole_rows.append(row)
    return tuple(whole_rows), best


def _counted_runs(
    product_id: str, parts: Iterable[Part], counts: ProductCounts
) -> list[CountedRun]:
    """Return the runs of a list's parts with their numbers of items."""
    return [_counted_run(product_id, part, counts) for part in parts]


def _counted_run(product_id: str, part: Part, counts: ProductCounts) -> CountedRun:
    """Return the run of a part with its numbers of items: in all, and of the list."""
    pattern, chosen = part.pattern, part.chosen
    conditions = tuple(filter_conditions(pattern, chosen))
    (run,) = pattern.runs(product_id, chosen, conditions)
    matching = counts.of(chosen)
    total = matching
    if conditions:
        # The partition has all that its key does not distinguish.
        languages = counts.languages
        if LANGUAGE in pattern.answers:
            languages = chosen.languages
        ratings: tuple[int, ...] = RATINGS
        if RATING in pattern.answers:
            ratings = chosen.ratings
        total = counts.within(languages, ratings)
    return CountedRun(
        run,
        total=total,
        matching=matching,
        item_bytes=SIZES.mean(pattern.name),
        has_seasons=bool(chosen.languages) and LANGUAGE not in pattern.answers,
    )


def _eligible(
    priced: Mapping[str, PricedPlan], chosen: CommentFilter, most_units: float
) -> list[PricedPlan]:
    """Omit plans of too many queries, and plans by language where any will do.

    The latter would miss a comment in a language that is not counted, and are hardly cheaper.
    """
    most = most_queries(most_units)
    eligible = []
    for plan_of_index in priced.values():
        is_by_language = plan_of_index.name in (BY_LANGUAGE.name, BY_BOTH.name)
        if is_by_language and not chosen.languages:
            continue
        if len(plan_of_index.runs) <= most:
            eligible.append(plan_of_index)
    return eligible


def most_queries(most_units: float) -> float:
    """Return how many queries a plan may have where so many capacity units may be spent."""
    return max(most_units * MOST_OF_UNITS / UNITS_PER_BLOCK, 1)


def _narrower_runs(product_id: str, run: Run, most: float) -> Sequence[Run]:
    """Return at most ``most`` runs that hold what a run with a filter keeps, or none.

    These are the exact ones, or those by language, whose comments come more evenly over time.
    """
    exact = exact_runs(product_id, run)
    if len(exact) <= most:
        return exact
    conditions = {condition.attribute: condition for condition in run.keep}
    # Of a filter by one of them, the exact runs are all that is narrower.
    if len(conditions) < len(BY_BOTH.answers):
        return ()
    languages = tuple(value["S"] for value in conditions[LANGUAGE_ATTRIBUTE].values)
    by_rating = conditions[RATING_ATTRIBUTE]
    by_language = BY_LANGUAGE.runs(product_id, CommentFilter(languages), (by_rating,))
    if len(by_language) > most:
        return ()
    return by_language
