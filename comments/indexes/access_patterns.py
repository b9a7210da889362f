"""The ways to read a list of comments, declared as data, and the rule that chooses among them.

=======  ==========================================  ===========================
pattern  question                                    plan
=======  ==========================================  ===========================
AP1      all comments of a product                   ``all``
AP2      in any set of languages                     ``by_language``
AP3      of any set of ratings                       ``by_rating``
AP3      both                                        ``by_language_and_rating``
AP6      older and newer pages of any of these       the same, from a position
=======  ==========================================  ===========================

Follows "Query planning" of part 2 of "Efficient filtering with DynamoDB".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from comments import keys
from comments.filters import CommentFilter
from comments.models import All, ByLanguage, ByLanguageAndRating, ByRating, Comment
from comments.store.table import index_of
from dynapages.lists import Alternative, Fallback, Index, OneOf, Run

LANGUAGE, RATING = "language", "rating"
LANGUAGE_ATTRIBUTE, RATING_ATTRIBUTE = Comment.language.attr_name, Comment.rating.attr_name
_ATTRIBUTES = {LANGUAGE: (LANGUAGE_ATTRIBUTE, "S"), RATING: (RATING_ATTRIBUTE, "N")}


@dataclass(frozen=True, slots=True)
class AccessPattern:
    """An index of comments and the parts of a filter that its partition key answers, in order."""

    name: str
    index: Index
    answers: tuple[str, ...]

    def runs(
        self, product_id: str, chosen: CommentFilter, keep: tuple[OneOf, ...] = ()
    ) -> list[Run]:
        """Return one run for every combination of chosen values that the partition key holds."""
        values: dict[str, Sequence[str | int]] = {
            LANGUAGE: chosen.languages,
            RATING: chosen.ratings,
        }
        # What the index omits because its partition key has it.
        attributes = [_ATTRIBUTES[part] for part in self.answers]
        return [
            Run(
                index=self.index,
                partition=keys.product_partition(product_id, *combination),
                known={
                    name: {kind: str(value)}
                    for (name, kind), value in zip(attributes, combination, strict=True)
                },
                keep=keep,
            )
            for combination in product(*(values[part] for part in self.answers))
        ]


@dataclass(frozen=True, slots=True)
class ListPlan:
    """How a page is read, and what the other ways were expected to cost.

    ``estimated_capacity_units`` is None without counts, and where the plan would find nothing. The
    ``empty_partitions`` are read at the end of the list alone.
    """

    name: str
    runs: tuple[Run, ...]
    first_reads: tuple[int, ...] | None = None
    fallback: Fallback | None = None
    empty_partitions: tuple[Run, ...] = ()
    estimated_capacity_units: float | None = None
    alternatives: tuple[Alternative, ...] = ()


def _pattern(
    model: type[All | ByLanguage | ByRating | ByLanguageAndRating], *answers: str
) -> AccessPattern:
    return AccessPattern(name=model.Meta.index_name, index=index_of(model), answers=answers)


PATTERNS = (
    _pattern(All),
    _pattern(ByLanguage, LANGUAGE),
    _pattern(ByRating, RATING),
    _pattern(ByLanguageAndRating, LANGUAGE, RATING),
)
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
    kept = {one_of.attribute: one_of.values for one_of in run.keep}
    values = {name: (value,) for name, value in run.known.items()} | kept
    languages = values.get(LANGUAGE_ATTRIBUTE, ())
    ratings = values.get(RATING_ATTRIBUTE, ())
    part = CommentFilter(tuple(v["S"] for v in languages), tuple(int(v["N"]) for v in ratings))
    return plan(product_id, part).runs
