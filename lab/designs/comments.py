"""Comments of a product: the designs, the lists that they are asked for, and what they write.

The comments are the sample shop's, or those of a product of the site. All designs store what a list
shows of a comment. A long text is an item of its own in each, and is not counted: see
`lab.designs.long_texts`.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice
from uuid import NAMESPACE_OID, uuid5

from django.utils.translation import gettext_noop as _

from comments import keys
from comments.filters import RATINGS, CommentFilter
from comments.indexes.planner import plan
from comments.items import NewComment, items_of
from comments.lists.entries import entry_of
from comments.models import (
    SHOWN,
    All,
    ByLanguage,
    ByLanguageAndRating,
    ByRating,
    Comment,
    CommentBody,
    CommentItem,
)
from comments.sets.copies import CopyWriter, batches, copies_of, primary_of
from comments.sets.models import TABLE as SETS_TABLE
from comments.sets.models import BySet, CommentSetItem
from comments.sets.plans import runs as runs_of_sets
from comments.store.counts import Cell, CountChanges, write_with_counts
from comments.store.states import NEW
from demo.sample.catalogue import sample_catalogue
from demo.sample.comments import sample_comments
from dynapages.calls import Batches
from dynapages.django.options import Progress
from dynapages.errors import DynamoError
from dynapages.items import Item, table_key
from dynapages.lists import Page, PageRequest, every_entry, sort_key_of
from dynapages.process import client, current_connection, pool, read, slow_client
from dynapages.pynamodb import DynamoModel
from dynapages.streams import MemoryCheckpoints, Record, StreamWalk, build_streams_client, stream_of
from dynapages.writes import put
from lab.bench.data import CommentAnswers, counts_item, time_and_id
from lab.bench.readers import FILTER, PLANNER, RULES, Reader
from lab.designs.measuring import (
    Design,
    SubjectList,
    WriteCase,
    compare_designs,
    cut_sorted,
    filtered_items,
)
from lab.figures import SubjectFigures

SUBJECT = "comments"
POPULAR, RARE, FOUR = _("popular"), _("rare"), _("four of five")
LEFT_OUT_RATING = 3
"""The rating that the third list leaves out, as the article's picture of its page does."""
RARE_PAGES = 3
"""Pages that the rare list should have, so that it has a middle; fewer where none is so long."""
WRITE = _("a comment")
WRITES = 5
"""Comments that each design writes; what one costs is their mean."""
READ_AT_ONCE = 500

SORT_KEY = Comment.place.attr_name
ATTRIBUTES_IN_LISTS = (SORT_KEY, Comment.language.attr_name, Comment.rating.attr_name, *SHOWN)
INDEXES = tuple(index.Meta.index_name for index in (All, ByLanguage, ByRating, ByLanguageAndRating))


class NoComments(DynamoError):
    """The product has no comments to compare designs on."""


# The comments.


@dataclass(frozen=True, slots=True)
class Comments:
    """Comments of one product or several, and the product whose lists are read.

    ``origin`` says where they come from.
    """

    all: tuple[NewComment, ...]
    product_id: str
    origin: str

    @property
    def of_product(self) -> list[NewComment]:
        """The comments on the product."""
        return [comment for comment in self.all if comment.product_id == self.product_id]


def load_sample(count: int, *, now: datetime) -> Comments:
    """Return the sample shop's first ``count`` comments, and the product that most are on.

    None is later than ``now``.
    """
    comments = tuple(sample_comments(sample_catalogue(), count=count, now=now))
    numbers = Counter(comment.product_id for comment in comments)
    product_id, _number = numbers.most_common(1)[0]
    return Comments(comments, product_id, "of the sample shop")


def load_product(product_id: str, *, at_most: int) -> Comments:
    """Read a product's newest comments from the site, long texts included.

    Raises NoComments, and botocore's errors.
    """
    # Not by the site's lists: their pages end, and have no more than a screen shows.
    runs = plan(product_id, CommentFilter()).runs

    def read_page(request: PageRequest) -> Page:
        return read(runs, request)

    every = every_entry(read_page, at_once=READ_AT_ONCE)
    entries = [entry_of(entry.item) for entry in islice(every, at_most)]
    if not entries:
        raise NoComments(f"There are no comments on “{product_id}” here.")
    long_texts = _read_long_texts([entry.id for entry in entries if entry.is_long])
    comments = []
    for entry in entries:
        comment = NewComment(
            id=entry.id,
            product_id=product_id,
            language=entry.language,
            rating=entry.rating,
            created_at=entry.created,
            author=entry.author,
            title=entry.title,
            body=long_texts.get(entry.id, entry.text),
            verified=entry.is_verified,
        )
        comments.append(comment)
    return Comments(tuple(comments), product_id, f"on the product “{product_id}” of this site")


def _read_long_texts(comment_ids: Sequence[str]) -> dict[str, str]:
    """Return the whole texts of comments, by their ids."""
    id_by_key = {keys.comment(comment_id): comment_id for comment_id in comment_ids}
    item_keys = [table_key(key, keys.BODY) for key in id_by_key]
    texts = {}
    for item in Batches(client(), pool()).get(CommentItem.Meta.table_name, item_keys):
        texts[id_by_key[item["pk"]["S"]]] = item[CommentBody.text.attr_name]["S"]
    return texts


# Items.


def comment_item(comment: NewComment) -> Item:
    """Build the item of a comment as the site stores it."""
    item, _long_text = items_of(comment)
    serialized: Item = item.serialize()
    return serialized


def shown_part(item: Item) -> Item:
    """Return the attributes of a comment's item that a list shows."""
    return {name: item[name] for name in ATTRIBUTES_IN_LISTS if name in item}


def sort_key_in(item: Item) -> str:
    """Return the sort key that a comment's item has in lists."""
    sort_key: str = item[SORT_KEY]["S"]
    return sort_key


# Designs.


class CommentDesign(Design[NewComment]):
    """A way to store comments and to read their lists; subclasses are the designs."""

    model: type[DynamoModel] = Comment

    def __init__(self, comments: Comments, filters: dict[str, CommentFilter]) -> None:
        self.comments = comments
        self.filters = filters

    def items(self) -> Iterator[Item]:
        for comment in self.comments.all:
            yield from self.items_of(comment_item(comment))

    def items_of(self, item: Item) -> Sequence[Item]:
        """Return what is stored of a comment, by the item that the site stores."""
        return (item,)

    def read(self, list_name: str, request: PageRequest) -> Sequence[Item]:
        chosen = self.filters[list_name]
        items = self.read_list(self.comments.product_id, chosen, request)
        return [shown_part(item) for item in items]

    def read_list(
        self, product_id: str, chosen: CommentFilter, request: PageRequest
    ) -> Sequence[Item]:
        """Read a page of a list; return its items."""
        raise NotImplementedError

    def write_cases(self) -> Iterator[WriteCase[NewComment]]:
        for comment in newer_comments(self.comments.of_product, number=WRITES):
            yield WriteCase(WRITE, {"pk": comment_item(comment)["pk"]}, comment)

    def write(self, record: NewComment) -> None:
        """Put the first item of a comment; a stream's handler writes the others, if there are."""
        items = self.items_of(comment_item(record))
        client().put_item(TableName=self.model.Meta.table_name, Item=items[0])

    def is_shown(self, record: NewComment) -> bool:
        """Return whether a comment is the newest in all kinds of lists that have it."""
        languages, ratings = [record.language], [record.rating]
        kinds_of_lists = (
            CommentFilter(),
            CommentFilter.of(languages),
            CommentFilter.of(ratings=ratings),
            CommentFilter.of(languages, ratings),
        )
        # An index may have the comment before another one has: each kind of list is looked at.
        sort_key = sort_key_of(record.created_at, record.id)
        for chosen in kinds_of_lists:
            newest = self.read_list(record.product_id, chosen, PageRequest(1))
            if [sort_key_in(item) for item in newest] != [sort_key]:
                return False
        return True


class Scan(CommentDesign):
    """No index: a Scan reads the whole table for each page."""

    name = "scan"

    def items_of(self, item: Item) -> Sequence[Item]:
        return (_without_index_keys(item),)

    def read_list(
        self, product_id: str, chosen: CommentFilter, request: PageRequest
    ) -> Sequence[Item]:
        condition = Comment.product_partition == keys.product_partition(product_id)
        if chosen.languages:
            condition &= Comment.language.is_in(*chosen.languages)
        if chosen.ratings:
            condition &= Comment.rating.is_in(*chosen.ratings)
        items = filtered_items(Comment.Meta.table_name, condition)
        return cut_sorted(items, request, sort_key=sort_key_in)


class _ReadByReader(CommentDesign):
    """A design that one of the benchmarks' readers reads."""

    reader: Reader

    def read_list(
        self, product_id: str, chosen: CommentFilter, request: PageRequest
    ) -> Sequence[Item]:
        page = self.reader.read(product_id, chosen, request).page
        return [entry.item for entry in page.entries]


class QueryAndFilter(_ReadByReader):
    """One index of all comments, and a FilterExpression."""

    name = "filter"
    indexes = INDEXES[:1]
    reader = FILTER

    def items_of(self, item: Item) -> Sequence[Item]:
        return (_without_index_keys(item),)


class CopyForEverySet(CommentDesign):
    """A copy of each comment for every set of ratings that holds its own, made by a stream."""

    name = "sets"
    model = CommentSetItem
    indexes = (BySet.Meta.index_name,)

    def items_of(self, item: Item) -> Sequence[Item]:
        primary = primary_of(item)
        if primary is None:
            return ()
        return (primary, *copies_of(primary))

    def read_list(
        self, product_id: str, chosen: CommentFilter, request: PageRequest
    ) -> Sequence[Item]:
        page = read(runs_of_sets(product_id, chosen), request)
        return [entry.item for entry in page.entries]

    def write_cases(self) -> Iterator[WriteCase[NewComment]]:
        # Not before the table is full: the handler would have to pass over all that was put.
        self._stream = _switch_on_stream()
        yield from super().write_cases()

    def follow(self) -> None:
        """Make the copies that are due, as the handler of the stream does."""
        self._stream.drain(looks=1)


class IndexesByRule(_ReadByReader):
    """Four indexes, of which a rule chooses one."""

    name = "rules"
    indexes = INDEXES
    reader = RULES


class IndexesByCost(_ReadByReader):
    """Four indexes, and counts by which the cheapest plan is chosen: the site's design."""

    name = "planner"
    indexes = INDEXES
    reader = PLANNER

    def items(self) -> Iterator[Item]:
        yield from super().items()
        counts: dict[str, Counter[Cell]] = defaultdict(Counter)
        for comment in self.comments.all:
            counts[comment.product_id][comment.language, comment.rating] += 1
        for product_id, of_product in counts.items():
            yield counts_item(product_id, of_product)

    def write(self, record: NewComment) -> None:
        changes = CountChanges()
        changes.add(record.product_id, (record.language, record.rating), record.created_at, 1)
        write_with_counts([put(Comment, comment_item(record), NEW)], changes)


DESIGNS: Sequence[type[CommentDesign]] = (
    Scan,
    QueryAndFilter,
    CopyForEverySet,
    IndexesByRule,
    IndexesByCost,
)


def _without_index_keys(item: Item) -> Item:
    """Return what a list shows, and the product that a filter or the index `all` needs."""
    product = Comment.product_partition.attr_name
    key = {"pk": item["pk"], "sk": item["sk"], product: item[product]}
    return {**key, **shown_part(item)}


def _switch_on_stream() -> StreamWalk:
    """Switch on the stream of the table of copies; return a walk that makes those due since.

    It reads without a pause: a Lambda polls four times a second.
    """
    slow = slow_client()
    slow.update_table(
        TableName=SETS_TABLE,
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    )
    slow.get_waiter("table_exists").wait(TableName=SETS_TABLE, WaiterConfig={"Delay": 1})

    def make_copies(records: Sequence[Record]) -> None:
        CopyWriter(batches()).apply(records)  # by the client whose calls are metered

    return StreamWalk(
        api=build_streams_client(current_connection()),
        arn=stream_of(client(), SETS_TABLE),
        checkpoints=MemoryCheckpoints(),
        apply=make_copies,
        pause=0.0,
    )


# The comparison.


def compare_comments(
    comments: Comments,
    *,
    page_size: int,
    progress: Progress,
    designs: Sequence[type[CommentDesign]] = DESIGNS,
) -> SubjectFigures:
    """Compare the designs on some comments. Raises WrongAnswer and NeverConsistent."""
    filters = choose_filters(comments.of_product, size=page_size)
    answers = CommentAnswers(comments.of_product)
    shown: dict[str, Item] = {}
    for comment in comments.of_product:
        item = shown_part(comment_item(comment))
        shown[sort_key_in(item)] = item

    def shown_at(sort_keys: Sequence[str]) -> list[Item]:
        return [shown[sort_key] for sort_key in sort_keys]

    subject_lists = []
    for name, chosen in filters.items():
        positions = answers.positions(chosen)
        about = f"{_in_words(chosen)}: {len(positions):,} of {len(comments.of_product):,}"
        subject_lists.append(SubjectList(name, about, positions, shown_at))
    return compare_designs(
        SUBJECT,
        _describe(comments),
        subject_lists,
        [design(comments, filters) for design in designs],
        page_size=page_size,
        progress=progress,
    )


def choose_filters(comments: Sequence[NewComment], *, size: int) -> dict[str, CommentFilter]:
    """Choose a popular filter, a rare one, and four ratings of five."""
    cells = Counter((comment.language, comment.rating) for comment in comments)
    ratings = Counter(comment.rating for comment in comments)
    # Of equal numbers the higher one, so that the choice is the same each time.
    _number, popular = max((number, rating) for rating, number in ratings.items())
    by_number = sorted((number, cell) for cell, number in cells.items())
    # A list too short to have a middle page is rarer than what is looked for.
    least = (RARE_PAGES - 1) * size + 1
    long_enough = [cell for number, cell in by_number if number >= least]
    language, rating = long_enough[0] if long_enough else by_number[-1][1]
    four = [one for one in RATINGS if one != LEFT_OUT_RATING]
    return {
        POPULAR: CommentFilter.of(ratings=[popular]),
        RARE: CommentFilter.of([language], [rating]),
        FOUR: CommentFilter.of(ratings=four),
    }


def newer_comments(comments: Sequence[NewComment], *, number: int) -> Iterator[NewComment]:
    """Yield comments like the newest ones, each newer than all before it."""
    newest_first = sorted(comments, key=time_and_id, reverse=True)
    latest = newest_first[0].created_at
    for n in range(1, number + 1):
        model = newest_first[(n - 1) % len(newest_first)]
        yield replace(
            model,
            id=uuid5(NAMESPACE_OID, f"{model.id} {n}").hex,
            created_at=latest + timedelta(minutes=n),
        )


def _in_words(chosen: CommentFilter) -> str:
    *others, last = map(str, chosen.ratings)
    ratings = last
    if others:
        ratings = f"{', '.join(others)} or {last}"
    stars = "star" if chosen.ratings == (1,) else "stars"
    if not chosen.languages:
        return f"{ratings} {stars}, in any language"
    return f"{ratings} {stars}, in “{chosen.languages_in_url}”"


def _describe(comments: Comments) -> str:
    whole = f"{len(comments.all):,} comments {comments.origin}; "
    number = len(comments.of_product)
    if number == len(comments.all):
        return f"{whole}the tables hold nothing else, which flatters Scan."
    return f"{whole}the lists are those of one product, with {number:,} of them."
