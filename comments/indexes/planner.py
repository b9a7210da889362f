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

A plan is made anew for each page, by the latest counts. So a way to read that cannot be the
cheapest, by its number of queries, is not priced until a page is explained (`ListPlan.compare`),
and runs are built of the chosen way alone (`Part`). What the price of a run depends on is rounded:
one more comment among many changes none.

Counts may be wrong, and items unevenly spread over time. That changes the cost only, and a run that
filters can be replaced within the page (see `dynapages.lists.merging.Fallback`): the reader's merge
is exact whatever the counts are.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import chain, combinations, islice, product
from math import ceil, erfc, inf, isfinite, sqrt
from statistics import fmean
from typing import Any, Generic, Protocol, TypeVar

from comments import keys
from comments.filters import RATINGS, CommentFilter
from comments.models import All, ByLanguage, ByLanguageAndRating, ByRating, Comment, ListIndex
from comments.store.counts import ProductCounts
from comments.store.table import index_of
from dynapages.items import BLOCK, UNITS_PER_BLOCK, Item, Value, item_bytes
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
BEYOND_ALL_LIMITS = 8
"""How many times what is needed and dropped: above every limit that is considered."""
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

    def runs(self, product_id: str, chosen: CommentFilter) -> list[Run]:
        """Return one run for every combination of chosen values that the partition key holds."""
        return [part.run(product_id) for part in split(self, chosen)]


@dataclass(frozen=True, slots=True)
class Part:
    """The part of a list that is read from one partition of an index.

    ``language`` and ``rating`` are those in the partition key, None where it has none. Of the items
    there, those that ``keep`` accepts belong to the list.
    """

    pattern: AccessPattern
    language: str | None = None
    rating: int | None = None
    keep: tuple[OneOf | HasAll, ...] = ()

    def run(self, product_id: str) -> Run:
        """Return the run that reads it."""
        # What the index omits because its partition key has it.
        known: dict[str, Value] = {}
        values: list[str | int] = []
        if self.language is not None:
            known[LANGUAGE_ATTRIBUTE] = {"S": self.language}
            values.append(self.language)
        if self.rating is not None:
            known[RATING_ATTRIBUTE] = {"N": str(self.rating)}
            values.append(self.rating)
        return Run(
            index=self.pattern.index,
            partition=keys.product_partition(product_id, *values),
            known=known,
            keep=self.keep,
        )


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the other ways to read a page were expected to cost.

    ``by_rule`` are the items that the exact plan would read of each of its partitions, if it read a
    whole page of each.
    """

    alternatives: tuple[Alternative, ...] = ()
    by_rule: tuple[int, ...] = ()


def _compare_nothing() -> Comparison:
    return Comparison()


@dataclass(frozen=True, slots=True)
class ListPlan:
    """How a page is read.

    ``estimated_capacity_units`` is None without counts, and where the plan would find nothing. The
    ``empty_partitions`` are read at the end of the list alone. ``compare`` prices the other ways,
    for pages that are explained: most are not, and need not wait for that.
    """

    name: str
    runs: tuple[Run, ...]
    first_reads: tuple[int, ...] | None = None
    fallback: Fallback | None = None
    empty_partitions: tuple[Run, ...] = ()
    estimated_capacity_units: float | None = None
    compare: Callable[[], Comparison] = _compare_nothing


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
    return plan(product_id, filter_of(run)).runs


def filter_of(run: Run) -> CommentFilter:
    """Return the filter that a run answers, by its partition key and by what it keeps."""
    values: dict[str, Sequence[Mapping[str, str]]] = {}
    for name, value in run.known.items():
        values[name] = (value,)
    for condition in run.keep:
        values[condition.attribute] = condition.values
    languages = tuple(value["S"] for value in values.get(LANGUAGE_ATTRIBUTE, ()))
    ratings = tuple(int(value["N"]) for value in values.get(RATING_ATTRIBUTE, ()))
    return CommentFilter(languages, ratings)


def filter_conditions(pattern: AccessPattern, chosen: CommentFilter) -> Iterator[OneOf]:
    """Yield what runs of a pattern keep, where its partition key does not answer it."""
    if LANGUAGE not in pattern.answers and chosen.languages:
        languages = tuple({"S": language} for language in chosen.languages)
        yield OneOf(LANGUAGE_ATTRIBUTE, languages)
    if RATING not in pattern.answers and chosen.ratings:
        ratings = tuple({"N": str(rating)} for rating in chosen.ratings)
        yield OneOf(RATING_ATTRIBUTE, ratings)


def split(pattern: AccessPattern, chosen: CommentFilter) -> list[Part]:
    """Split a list into the parts that are each in one partition of an index.

    The filter names all values of what the partition key has.
    """
    languages: Sequence[str | None] = (None,)
    if LANGUAGE in pattern.answers:
        languages = chosen.languages
    ratings: Sequence[int | None] = (None,)
    if RATING in pattern.answers:
        ratings = chosen.ratings
    keep = tuple(filter_conditions(pattern, chosen))
    return [Part(pattern, *values, keep) for values in product(languages, ratings)]


# The price of reading runs.


class RunLike(Protocol):
    """What is read from one partition: a `Run`, or a `Part`, which builds one when it is chosen."""

    @property
    def keep(self) -> tuple[OneOf | HasAll, ...]: ...


AnyRun = TypeVar("AnyRun", bound=RunLike)


@dataclass(frozen=True, slots=True)
class CountedRun(Generic[AnyRun]):
    """A run, the number of its items, and of those that belong to the list.

    ``item_bytes`` is the mean item size of its index. With ``has_seasons`` the items it drops come
    and go over time more than the others do.
    """

    run: AnyRun
    total: int
    matching: int
    item_bytes: float
    has_seasons: bool = False


@dataclass(frozen=True, slots=True)
class PricedPlan(Generic[AnyRun]):
    """The runs of a plan that are not empty, the limits of their first reads, the expected cost.

    ``skipped`` are the runs whose count is zero. ``capacity_units`` is infinite when the runs hold
    items of which none belong to the list.
    """

    name: str
    runs: tuple[AnyRun, ...]
    first_reads: tuple[int, ...]
    skipped: tuple[AnyRun, ...]
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


def cheapest(plans: Sequence[PricedPlan[AnyRun]]) -> PricedPlan[AnyRun]:
    """Return the plan of least expected cost, then of fewest queries, then without a filter."""
    return min(plans, key=_preference)


def _preference(plan: PricedPlan[Any]) -> tuple[float, int, bool]:
    return plan.capacity_units, len(plan.runs), plan.filters


def price_runs(name: str, runs: Sequence[CountedRun[AnyRun]], *, needed: int) -> PricedPlan[AnyRun]:
    """Return the plan for a page of ``needed`` items, the look-ahead included."""
    held: list[CountedRun[AnyRun]] = []
    skipped: list[AnyRun] = []
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


def best_first_read(counted: CountedRun[Any], matching: int, *, needed: int) -> FirstRead:
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
        most = min(most, ceil(BEYOND_ALL_LIMITS * (needed + dropped_before_end)))
    else:
        most = min(most, needed)
    first = _best_first_read(
        needed=needed_of_run,
        # Where a comment is added to many, the share is the same as before.
        share=round(share, 3) or 0.001,
        dropped=dropped_before_end,
        most=most,
        item_bytes=round(counted.item_bytes, -1),
    )
    if not counted.has_seasons:
        return first
    risk = SEASONS_RISK * (dropped / counted.total) ** 2
    return FirstRead(first.limit, first.capacity_units * (1 + risk))


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
    least = max(1, min(round(mean), most))
    last = max(1, min(round(mean + _MOST_DEVIATIONS * deviation), most))
    step = ceil((last - least) / _MOST_LIMITS) or 1
    best = FirstRead(last, inf)
    best_price = inf
    # Fewer than the mean would mostly fall short, so that no limit below it is tried.
    for limit in (*range(least, last, step), last):
        units = _units(limit, item_bytes)
        transfer = TRANSFER * limit
        # A higher limit costs no less than this one does where it does not fall short.
        if units + transfer >= best_price:
            break
        if limit < most:
            # A number of items is whole: half of one more corrects the normal distribution.
            units += SECOND_ROUND * _above(limit + 0.5, mean, deviation)
        if units + transfer < best_price:
            best = FirstRead(limit, units)
            best_price = units + transfer
    return best


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
    prices = IndexPrices(chosen, counts, needed=needed)
    fallback = None
    if forced is None:
        best = prices.cheapest(most_queries(most_units))
        if best.filters:
            fallback = partial(_narrower_runs, product_id)
    else:
        priced = prices.all()
        if forced not in priced:
            raise NoSuchPlan(forced, priced)
        # The plan that was asked for is the one that is read: its runs have no fallback.
        best = priced[forced]
    return ListPlan(
        name=best.name,
        runs=tuple(part.run(product_id) for part in best.runs),
        first_reads=best.first_reads,
        fallback=fallback,
        empty_partitions=tuple(part.run(product_id) for part in best.skipped),
        estimated_capacity_units=best.estimate,
        compare=partial(prices.compare, best.name),
    )


def _plan_without_counts(product_id: str, chosen: CommentFilter, most_units: float) -> ListPlan:
    """Plan for a product without any counts by the exact plan, or one query for too many."""
    exact = plan(product_id, chosen)
    if len(exact.runs) <= min(most_queries(most_units), MOST_QUERIES_UNCOUNTED):
        return ListPlan(exact.name, exact.runs)
    runs = ALL.runs(product_id, chosen)
    return ListPlan(ALL.name, tuple(runs), fallback=partial(_narrower_runs, product_id))


class IndexPrices:
    """What a page of ``needed`` items costs by each index, and by a mix of them.

    Runs are priced by the counts, and by the mean sizes of items at the time when this is made.
    """

    def __init__(self, chosen: CommentFilter, counts: ProductCounts, *, needed: int) -> None:
        self._chosen = chosen
        self._counts = counts
        self._needed = needed
        self._sizes = {pattern.name: SIZES.mean(pattern.name) for pattern in PATTERNS}
        self._runs: dict[str, list[CountedRun[Part]]] = {}
        # Added up once: the partitions of several ways to read hold all languages.
        self._of_rating = dict.fromkeys(RATINGS, 0)
        for (_language, rating), number in counts.cells.items():
            if number > 0:
                self._of_rating[rating] = self._of_rating.get(rating, 0) + number

    def cheapest(self, most: float) -> PricedPlan[Part]:
        """Return the cheapest plan of at most ``most`` queries.

        By language only where languages are chosen: such plans would miss a comment in one that is
        not counted, and are hardly cheaper.
        """
        best = self._price(ALL)
        others: Sequence[AccessPattern] = (BY_RATING,)
        if self._chosen.languages:
            others = (BY_LANGUAGE, BY_RATING, BY_BOTH)
        for pattern in others:
            queries = self._queries(pattern)
            if queries <= most and _least_cost(queries) <= best.capacity_units:
                best = cheapest([best, self._price(pattern)])
        if self._is_by_both and _least_cost(self._fewest_queries()) <= best.capacity_units:
            mix = self._mix()
            if mix and sum(run.total > 0 for run in mix) <= most:
                best = cheapest([best, price_runs(MIXED, mix, needed=self._needed)])
        return best

    def all(self) -> dict[str, PricedPlan[Part]]:
        """Return the plan by each index and by the mix, by name."""
        plans = {}
        for pattern in PATTERNS:
            plans[pattern.name] = self._price(pattern)
        mix = None
        if self._is_by_both:
            mix = self._mix()
        if mix:
            plans[MIXED] = price_runs(MIXED, mix, needed=self._needed)
        return plans

    def compare(self, name: str) -> Comparison:
        """Compare the plan of this name with the others, and with the exact one."""
        exact = self._counted(exact_pattern(self._chosen))
        by_rule = tuple(min(run.matching, self._needed) for run in exact)
        return Comparison(self.alternatives_to(name), by_rule)

    def alternatives_to(self, name: str) -> tuple[Alternative, ...]:
        """Return what all plans but the one of this name are expected to cost."""
        alternatives = []
        for other in self.all().values():
            if other.name != name:
                alternatives.append(Alternative(other.name, other.estimate))
        return tuple(alternatives)

    @property
    def _is_by_both(self) -> bool:
        return bool(self._chosen.languages and self._chosen.ratings)

    def _queries(self, pattern: AccessPattern) -> int:
        """Return how many partitions of an index are read: those that are not empty."""
        if pattern is BY_BOTH and self._is_by_both:
            # There are many, and most are not priced.
            return sum(map(len, self._ratings_held()))
        return sum(run.total > 0 for run in self._counted(pattern))

    def _fewest_queries(self) -> int:
        """Return how many partitions, of whatever indexes, hold the list at the least."""
        held = Counter(self._ratings_held())
        numbers = []
        for whole in _subsets(self._chosen.ratings):
            number = len(whole)
            for ratings, languages in held.items():
                if not ratings.issubset(whole):
                    number += languages
            numbers.append(number)
        return min(numbers)

    def _ratings_held(self) -> list[frozenset[int]]:
        """Return for each chosen language those of the chosen ratings that it has comments with."""
        cells = self._counts.cells
        held = []
        for language in self._chosen.languages:
            ratings = [each for each in self._chosen.ratings if cells.get((language, each), 0) > 0]
            held.append(frozenset(ratings))
        return held

    def _price(self, pattern: AccessPattern) -> PricedPlan[Part]:
        return price_runs(pattern.name, self._counted(pattern), needed=self._needed)

    def _counted(self, pattern: AccessPattern) -> list[CountedRun[Part]]:
        """Return the parts of the list in an index, with their numbers of items."""
        if pattern.name not in self._runs:
            chosen = self._chosen
            # Where any value will do, each is in a partition of its own.
            if LANGUAGE in pattern.answers and not chosen.languages:
                chosen = replace(chosen, languages=self._counts.languages)
            if RATING in pattern.answers and not chosen.ratings:
                chosen = replace(chosen, ratings=RATINGS)
            self._runs[pattern.name] = self._count(pattern, chosen)
        return self._runs[pattern.name]

    def _count(self, pattern: AccessPattern, chosen: CommentFilter) -> list[CountedRun[Part]]:
        """Return the parts of a list, with their numbers of items: in all, and of the list."""
        counted = []
        has_seasons = bool(chosen.languages) and LANGUAGE not in pattern.answers
        for part in split(pattern, chosen):
            languages: tuple[str, ...] = ()
            ratings: tuple[int, ...] = ()
            if part.language is not None:
                languages = (part.language,)
            if part.rating is not None:
                ratings = (part.rating,)
            matching = self._number(languages or chosen.languages, ratings or chosen.ratings)
            total = matching
            # The partition has all that its key does not distinguish.
            if part.keep:
                total = self._number(languages, ratings)
            size = self._sizes[pattern.name]
            counted.append(CountedRun(part, total, matching, size, has_seasons))
        return counted

    def _number(self, languages: Sequence[str], ratings: Sequence[int]) -> int:
        """Count the comments in some languages with some ratings; without any, in or with all."""
        ratings = ratings or RATINGS
        if not languages:
            return sum(self._of_rating[rating] for rating in ratings)
        cells = self._counts.cells
        number = 0
        for language in languages:
            for rating in ratings:
                of_cell = cells.get((language, rating), 0)
                if of_cell > 0:
                    number += of_cell
        return number

    def _mix(self) -> list[CountedRun[Part]] | None:
        """Return the cheapest parts: of some languages, of some ratings, and of both for the rest.

        None where they are all of one index.
        """
        languages, ratings = self._chosen.languages, self._chosen.ratings
        whole_languages, whole_ratings = cheapest_cover(
            rows=dict(zip(languages, self._units(BY_LANGUAGE), strict=True)),
            columns=dict(zip(ratings, self._units(BY_RATING), strict=True)),
            cells=dict(zip(product(languages, ratings), self._units(BY_BOTH), strict=True)),
        )
        other_languages = tuple(each for each in languages if each not in whole_languages)
        other_ratings = tuple(each for each in ratings if each not in whole_ratings)
        parts = [self._count(BY_LANGUAGE, CommentFilter(whole_languages, ratings))]
        # A partition by rating has all languages: those that are read whole are filtered out of it.
        if other_languages:
            parts.append(self._count(BY_RATING, CommentFilter(other_languages, whole_ratings)))
        parts.append(self._count(BY_BOTH, CommentFilter(other_languages, other_ratings)))
        parts_of_indexes = [part for part in parts if part]
        # A mix that turns out to read one index alone is priced already.
        if len(parts_of_indexes) == 1:
            return None
        return list(chain.from_iterable(parts_of_indexes))

    def _units(self, pattern: AccessPattern) -> Iterator[float]:
        """Yield what each part of an index costs, in the order of `split`."""
        counted = self._counted(pattern)
        matching = sum(run.matching for run in counted)
        for run in counted:
            if run.matching:
                yield best_first_read(run, matching, needed=self._needed).capacity_units
            else:
                yield 0.0


def _least_cost(queries: int) -> float:
    """Return the capacity units that so many queries cost at the least.

    What costs no less than another way to read at the least need not be priced.
    """
    return queries * UNITS_PER_BLOCK


def cheapest_cover(
    rows: Mapping[Row, float],
    columns: Mapping[Column, float],
    cells: Mapping[tuple[Row, Column], float],
) -> tuple[tuple[Row, ...], tuple[Column, ...]]:
    """Return the rows and the columns of the cheapest cover; the cells outside both complete it.

    The mappings are to prices. Every set of columns is tried, so these should be few.
    """

    def price_of_cells(row: Row, outside: Iterable[Column]) -> float:
        price = 0.0
        for column in outside:
            price += cells[row, column]
        return price

    def total(covered: tuple[Column, ...]) -> float:
        outside = [column for column in columns if column not in covered]
        price_of_rows = 0.0
        for row, price_of_row in rows.items():
            # Each row is covered as a whole, or by those of its cells that no column covers.
            price_of_rows += min(price_of_row, price_of_cells(row, outside))
        return sum(columns[column] for column in covered) + price_of_rows

    best = min(_subsets(tuple(columns)), key=total)
    outside = [column for column in columns if column not in best]
    whole_rows = []
    for row, price_of_row in rows.items():
        if price_of_row < price_of_cells(row, outside):
            whole_rows.append(row)
    return tuple(whole_rows), best


def _subsets(values: Sequence[Column]) -> Iterator[tuple[Column, ...]]:
    """Yield all sets of some values, the smallest first."""
    for size in range(len(values) + 1):
        yield from combinations(values, size)


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
    # Of a filter by one of them, the exact runs are all that is narrower.
    if len(run.keep) < len(BY_BOTH.answers):
        return ()
    by_language = BY_LANGUAGE.runs(product_id, filter_of(run))
    if len(by_language) > most:
        return ()
    return by_language
