"""Lists of a product's comments in each design of keys, compared with the right answer.

The lists are those of `lab.designs.comments`, newest first, and three orders of the most frequent
language. Each is read from the index that answers its filter, without a FilterExpression: so a
Query can be priced by the bytes that it returns. How much of each run is read first is decided by
counts, as the site does it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from comments.filters import RATINGS, CommentFilter
from comments.indexes.planner import ListPlan, exact_pattern, plan_list
from comments.items import NewComment
from comments.keys import comment_item as comment_key
from comments.lists.by_rating import read_by_rating
from comments.lists.orders import CommentOrder
from comments.models import TABLE, All, ByLanguage, ByLanguageAndRating, ByRating
from comments.store.counts import ProductCounts
from dynapages.lists import Index, Ordinal, Page, PageRequest, Position, Run, id_at
from dynapages.process import read
from lab.bench.data import time_and_id
from lab.bench.readers import WrongAnswer
from lab.designs.comments import choose_filters, comment_item, shown_part
from lab.designs.measuring import pages_of
from lab.figures import Question, Reading
from lab.native_keys.byte_prices import TABLE_KEY, IndexShape, priced_queries
from lab.native_keys.designs import LANGUAGE, PRODUCT, RATING, Concatenated, KeyDesign

ORDERS = {
    "newest first": CommentOrder.NEWEST,
    "highest rating first": CommentOrder.HIGHEST,
    "lowest rating first": CommentOrder.LOWEST,
}
"""Of one language. Within a rating the newest come first in both orders by rating."""
NATIVE_INDEXES = {
    frozenset[str](): All.Meta.index_name,
    frozenset({LANGUAGE}): ByLanguage.Meta.index_name,
    frozenset({RATING}): ByRating.Meta.index_name,
    frozenset({LANGUAGE, RATING}): ByLanguageAndRating.Meta.index_name,
}
"""The indexes by what they answer of a filter."""


@dataclass(frozen=True, slots=True)
class KeyQuestion:
    """A list of a product's comments: its name, what is in it, and its comments in their order."""

    name: str
    chosen: CommentFilter
    order: CommentOrder
    answer: tuple[NewComment, ...]

    def pages(self, size: int) -> list[int]:
        """Return the pages to read: the first, page 100 or the middle one, and the last.

        Of an order by rating the second one is that on which the first rating ends.
        """
        pages = pages_of(len(self.answer), size=size)
        if not self.order.is_by_rating:
            return pages
        of_first_rating = Counter(one.rating for one in self.answer)[self.answer[0].rating]
        return sorted({1, of_first_rating // size + 1, pages[-1]})


def questions_about(comments: Sequence[NewComment], *, size: int) -> Iterator[KeyQuestion]:
    """Yield the lists and the orders of some comments of a product."""
    for name, chosen in choose_filters(comments, size=size).items():
        answer = _answer(comments, chosen, CommentOrder.NEWEST)
        yield KeyQuestion(name, chosen, CommentOrder.NEWEST, answer)
    languages = Counter(comment.language for comment in comments)
    # Of equal numbers the same one each time.
    _most, language = max((number, language) for language, number in languages.items())
    in_language = CommentFilter.of([language])
    for name, order in ORDERS.items():
        yield KeyQuestion(name, in_language, order, _answer(comments, in_language, order))


def _answer(
    comments: Sequence[NewComment], chosen: CommentFilter, order: CommentOrder
) -> tuple[NewComment, ...]:
    """Return the right answer, from the comments themselves."""
    matching = []
    for comment in comments:
        if chosen.languages and comment.language not in chosen.languages:
            continue
        if chosen.ratings and comment.rating not in chosen.ratings:
            continue
        matching.append(comment)
    matching.sort(key=time_and_id, reverse=True)
    if order.is_by_rating:
        # Sorting keeps the order of comments that are equal in this.
        matching.sort(key=_rating, reverse=order is CommentOrder.HIGHEST)
    return tuple(matching)


def _rating(comment: NewComment) -> int:
    return comment.rating


# Reading


class ProductLists:
    """Reads the lists of a product in the keys of the site. ``comments`` are the product's."""

    def __init__(self, design: KeyDesign, comments: Sequence[NewComment]) -> None:
        self.design = design
        self.product_id = comments[0].product_id
        cells = Counter((comment.language, comment.rating) for comment in comments)
        self._counts = ProductCounts(cells)

    def run(self, language: str | None, rating: int | None) -> Run:
        """Return the run of a language and a rating; None stands for all of them."""
        languages = () if language is None else (language,)
        ratings = () if rating is None else (rating,)
        chosen = CommentFilter(languages, ratings)
        (run,) = exact_pattern(chosen).runs(self.product_id, chosen)
        return run

    def run_of_all_ratings(self, _language: str) -> Run | None:
        """Return the run that has a language's comments by rating; None where there is none."""
        return None

    def read(self, question: KeyQuestion, request: PageRequest) -> Page:
        """Read a page of a list."""
        chosen = question.chosen
        single = self._single_run(question)
        if single is not None:
            return read([single], request)
        if not question.order.is_by_rating:
            plan = self._plan(chosen, request.size + 1)
            return read(plan.runs, request, first_reads=plan.first_reads)

        def plan_part(part: CommentFilter, needed: int, _most_units: float) -> ListPlan:
            return self._plan(part, needed)

        planned = read_by_rating(
            chosen, request, counts=self._counts, order=question.order, plan_part=plan_part
        )
        return planned.page

    def position_of(self, question: KeyQuestion, number: int) -> Position:
        """Return the position of a list's item, by its number from 1."""
        comment = question.answer[number - 1]
        run = self._single_run(question)
        if run is None:
            chosen = question.chosen
            language = comment.language if chosen.languages else None
            is_by_rating = bool(chosen.ratings) or question.order.is_by_rating
            rating = comment.rating if is_by_rating else None
            section = question.order.section(comment.rating)
            run = replace(self.run(language, rating), section=section)
        position = run.position_of(self.design.item_of(comment_item(comment)))
        return replace(position, ordinal=Ordinal(number))

    def _plan(self, chosen: CommentFilter, needed: int) -> ListPlan:
        """Plan by the index that answers a filter, as the site does by its counts."""
        name = exact_pattern(chosen).name
        plan = plan_list(self.product_id, chosen, self._counts, needed=needed, forced=name)
        return replace(plan, runs=tuple(self._same_run(run) for run in plan.runs))

    def _same_run(self, run: Run) -> Run:
        """Return the run in the keys of the design that has the comments of one of the site's."""
        language: str | None = None
        rating: int | None = None
        if LANGUAGE in run.known:
            language = run.known[LANGUAGE]["S"]
        if RATING in run.known:
            rating = int(run.known[RATING]["N"])
        return self.run(language, rating)

    def _single_run(self, question: KeyQuestion) -> Run | None:
        """Return the run that has a whole list by rating, if one has it."""
        # Read upwards, such a run has the oldest of each rating first.
        if question.order is not CommentOrder.HIGHEST:
            return None
        (language,) = question.chosen.languages
        return self.run_of_all_ratings(language)


class NativeLists(ProductLists):
    """Reads the lists of a product in keys of several attributes."""

    def run(self, language: str | None, rating: int | None) -> Run:
        known: dict[str, str | int] = {PRODUCT: self.product_id}
        if language is not None:
            known[LANGUAGE] = language
        if rating is not None:
            known[RATING] = rating
        shape = self._index_that_answers(frozenset(known) - {PRODUCT})
        partition = tuple(known[name] for name in shape.partition)
        fixed = tuple(known[name] for name in shape.sort if name in known)
        return Run(_index(shape), partition, prefix=fixed or "")

    def run_of_all_ratings(self, language: str) -> Run | None:
        shape = self._index_that_answers(frozenset({LANGUAGE, RATING}))
        # Where the rating is in the partition key, no partition has all of them.
        if RATING in shape.partition:
            return None
        return Run(_index(shape), (self.product_id, language))

    def _index_that_answers(self, attributes: frozenset[str]) -> IndexShape:
        name = NATIVE_INDEXES[attributes]
        (shape,) = (index for index in self.design.indexes if index.name == name)
        return shape


def _index(shape: IndexShape) -> Index:
    """Describe an index to the reader of lists."""
    if len(shape.sort) == 1:
        (sort,) = shape.sort
        return Index(TABLE, shape.name, partition=shape.partition, sort=sort, table_key=_key_at)
    return Index(TABLE, shape.name, partition=shape.partition, sort=shape.sort, table_key=TABLE_KEY)


def _key_at(position: Position) -> Mapping[str, str]:
    """Return the table key of the comment at a position, whose place ends in its id."""
    return comment_key(id_at(position.place))


def lists_of(design: KeyDesign, comments: Sequence[NewComment]) -> ProductLists:
    """Return what reads the lists of a product's comments in the keys of a design."""
    if isinstance(design, Concatenated):
        return ProductLists(design, comments)
    return NativeLists(design, comments)


# Measuring


def describe_questions(questions: Sequence[KeyQuestion], *, size: int) -> Iterator[Question]:
    """Yield what is stored of the questions with their figures."""
    for question in questions:
        number = len(question.answer)
        last_page = question.pages(size)[-1]
        chosen = question.chosen
        ratings = ", ".join(map(str, chosen.ratings or RATINGS))
        languages = ", ".join(chosen.languages) or "any"
        about = f"language {languages}, ratings {ratings}; {question.order}: {number:,} comments"
        yield Question(question.name, about, last_page)


def price_readings(
    lists: ProductLists, questions: Sequence[KeyQuestion], *, size: int
) -> Iterator[Reading]:
    """Yield what pages of lists take. Raises WrongAnswer."""
    for question in questions:
        for page in question.pages(size):
            yield _price_reading(lists, question, page=page, size=size)


def _price_reading(lists: ProductLists, question: KeyQuestion, *, page: int, size: int) -> Reading:
    first = (page - 1) * size
    behind = None
    if first:
        behind = lists.position_of(question, first)
    with priced_queries() as price:
        shown = lists.read(question, PageRequest(size, behind))
    expected = [shown_part(comment_item(one)) for one in question.answer[first : first + size]]
    if [shown_part(entry.item) for entry in shown.entries] != expected:
        raise WrongAnswer(
            f"Page {page} of “{question.name}”, with the keys “{lists.design.name}”, is not what "
            "that page holds: nothing was priced."
        )
    return Reading(question.name, page, price.calls, price.items, price.units)
