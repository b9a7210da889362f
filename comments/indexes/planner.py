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

All are priced in capacity units (`comments.indexes.prices`), by two counts of each run: its items
in all, and those that belong to the list.

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
from functools import partial
from itertools import chain, combinations, product
from math import inf
from typing import TypeVar

from comments import keys
from comments.filters import RATINGS, CommentFilter
from comments.indexes.prices import (
    SIZES,
    CountedRun,
    PricedPlan,
    cheapest,
    first_read_of,
    price_runs,
)
from comments.models import All, ByLanguage, ByLanguageAndRating, ByRating, Comment, ListIndex
from comments.store.counts import ProductCounts
from comments.store.table import index_of
from dynapages.items import UNITS_PER_BLOCK, Value
from dynapages.lists import Alternative, Fallback, Filter, Index, OneOf, Run

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
    keep: tuple[Filter, ...] = ()

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
        if isinstance(condition, OneOf):
            values[condition.attribute] = condition.values
    languages = tuple(value["S"] for value in values.get(LANGUAGE_ATTRIBUTE, ()))
    ratings = tuple(int(value["N"]) for value in values.get(RATING_ATTRIBUTE, ()))
    return CommentFilter(languages, ratings)


def filter_conditions(answers: Sequence[str], chosen: CommentFilter) -> Iterator[OneOf]:
    """Yield what runs keep of a filter, where their partition key ``answers`` only a part of it."""
    if LANGUAGE not in answers and chosen.languages:
        languages = tuple({"S": language} for language in chosen.languages)
        yield OneOf(LANGUAGE_ATTRIBUTE, languages)
    if RATING not in answers and chosen.ratings:
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
    keep = tuple(filter_conditions(pattern.answers, chosen))
    return [Part(pattern, *values, keep) for values in product(languages, ratings)]


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
                yield first_read_of(run, matching, needed=self._needed).capacity_units
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
