"""Comments: those that all designs store, the designs, the questions, and what they cost.

The comments are the sample shop's, or those of a product of the site. All designs store what a list
shows of a comment. A long text is an item of its own in each, and is not counted: long texts are
compared by themselves, in the items that lists read or apart from them (vertical partitioning, P8).
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import chain, islice
from random import Random
from uuid import NAMESPACE_OID, uuid5

from django.utils.translation import gettext_noop as _

from comments import keys
from comments.filters import RATINGS, CommentFilter
from comments.indexes.planner import plan
from comments.items import NewComment, excerpt, items_of
from comments.lists.entries import entry_of
from comments.lists.queries import find_comment
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
from comments.store.table import comment_key
from demo.sample.catalogue import sample_catalogue
from demo.sample.comments import sample_comments
from dynapages.calls import Batches
from dynapages.errors import DynamoError
from dynapages.items import Item, table_key
from dynapages.lists import PageRequest, Position, Run, every_entry, sort_key_of
from dynapages.process import client, current_connection, pool, read, slow_client
from dynapages.streams import MemoryCheckpoints, Record, StreamWalk, build_streams_client, stream_of
from dynapages.writes import put
from lab.bench.data import PRODUCT_ID, START, WORDS, CommentAnswers, counts_item
from lab.bench.pages import FILTER as FILTER_READER
from lab.bench.pages import RULES as RULES_READER
from lab.bench.pages import SITE, Reader
from lab.designs.measuring import (
    SOON,
    Answer,
    Design,
    Lab,
    LabTable,
    Layout,
    Look,
    Question,
    WriteCase,
    cut_out,
    every_item,
    measure_designs,
)
from lab.reports.results import Results

_CHUNK = 500


class NoComments(DynamoError):
    """The product has no comments to compare designs on."""


@dataclass(frozen=True, slots=True)
class Comments:
    """Comments of one product or several, and the product whose lists are read.

    ``about`` describes where they come from.
    """

    all: tuple[NewComment, ...]
    product_id: str
    about: str

    @property
    def listed(self) -> tuple[NewComment, ...]:
        """Those of the product."""
        return tuple(one for one in self.all if one.product_id == self.product_id)


def sample(count: int, *, now: datetime) -> Comments:
    """Return the sample shop's first ``count`` comments, and the product that most are on.

    None is later than ``now``.
    """
    comments = tuple(sample_comments(sample_catalogue(), count=count, now=now))
    ((product_id, _),) = Counter(one.product_id for one in comments).most_common(1)
    return Comments(comments, product_id, "of the sample shop")


def of_product(product_id: str, *, at_most: int) -> Comments:
    """Read a product's newest comments from the site, long texts included.

    Raises NoComments, and botocore's errors.
    """
    runs = plan(product_id, CommentFilter()).runs
    listed = every_entry(partial(read, runs), at_once=_CHUNK)
    found = [entry_of(one.item) for one in islice(listed, at_most)]
    if not found:
        raise NoComments(f"There are no comments on “{product_id}” here.")
    bodies = _bodies([entry.id for entry in found if entry.is_long])
    comments = tuple(
        NewComment(
            id=entry.id,
            product_id=product_id,
            language=entry.language,
            rating=entry.rating,
            created_at=entry.created,
            author=entry.author,
            title=entry.title,
            body=bodies.get(entry.id, entry.text),
            verified=entry.is_verified,
        )
        for entry in found
    )
    return Comments(comments, product_id, f"on the product “{product_id}” of this site")


def _bodies(comment_ids: list[str]) -> dict[str, str]:
    wanted = [table_key(keys.comment(i), keys.BODY) for i in comment_ids]
    found = Batches(client(), pool()).get(CommentItem.Meta.table_name, wanted)
    text = CommentBody.text.attr_name
    id_of_key = {keys.comment(comment_id): comment_id for comment_id in comment_ids}
    return {id_of_key[item["pk"]["S"]]: item[text]["S"] for item in found}


TABLE = Comment.Meta.table_name
PLACE = Comment.place.attr_name
PRODUCT = Comment.product_partition.attr_name
LISTED = (PLACE, Comment.language.attr_name, Comment.rating.attr_name, *SHOWN)
_INDEXES = tuple(one.Meta.index_name for one in (All, ByLanguage, ByRating, ByLanguageAndRating))


@dataclass(frozen=True, slots=True)
class CommentDesign:
    """A way to store comments and to read their lists.

    ``items`` are those of one comment, ``besides`` those that products have apart from them.
    ``runs`` are all that lists read a comment from; none where they scan.
    """

    layout: Layout
    items: Callable[[Item], Sequence[Item]]
    read: Callable[[str, CommentFilter, PageRequest], Answer]
    write: Callable[[NewComment], object]
    runs: Callable[[NewComment], Sequence[Run]] = lambda _comment: ()
    besides: Callable[[Sequence[NewComment]], Sequence[Item]] = lambda _comments: ()

    @property
    def name(self) -> str:
        return self.layout.name

    def looks(self, comment: NewComment) -> Sequence[Look]:
        """Return a look for a new comment at the head of each run, or of the whole list."""
        place = sort_key_of(comment.created_at, comment.id)

        def look_in(run: Run) -> bool:
            entries = read([run], PageRequest(1), look_ahead=False).entries
            return [entry.position.place for entry in entries] == [place]

        def look() -> bool:
            found = self.read(comment.product_id, CommentFilter(), PageRequest(1))
            return list(map(place_in, found)) == [place]

        return [partial(look_in, run) for run in self.runs(comment)] or [look]


def place_in(item: Item) -> str:
    """Return the place of a comment's item."""
    place: str = item[PLACE]["S"]
    return place


def stored(comment: NewComment) -> Item:
    """Build the item of a comment as the site stores it."""
    item: Item = items_of(comment)[0].serialize()
    return item


def shown(item: Item) -> Item:
    """Cut an item down to what a list shows of it."""
    return {name: item[name] for name in LISTED if name in item}


def _bare(item: Item) -> Sequence[Item]:
    """Keep what a list shows, and the product that a FilterExpression or the index `all` needs."""
    return ({**{name: item[name] for name in ("pk", "sk", PRODUCT)}, **shown(item)},)


def _in_sets(item: Item) -> Sequence[Item]:
    primary = primary_of(item)
    return () if primary is None else (primary, *copies_of(primary))


def _counts(comments: Sequence[NewComment]) -> Sequence[Item]:
    counted: dict[str, Counter[Cell]] = {}
    for one in comments:
        counted.setdefault(one.product_id, Counter())[one.language, one.rating] += 1
    return [counts_item(product_id, counts) for product_id, counts in counted.items()]


def _scan(product_id: str, chosen: CommentFilter, request: PageRequest) -> Answer:
    condition = Comment.product_partition == keys.product_partition(product_id)
    if chosen.languages:
        condition &= Comment.language.is_in(*chosen.languages)
    if chosen.ratings:
        condition &= Comment.rating.is_in(*chosen.ratings)
    return [shown(item) for item in cut_out(every_item(TABLE, condition), request, place=place_in)]


def _read_by(reader: Reader) -> Callable[[str, CommentFilter, PageRequest], Answer]:
    return lambda product_id, chosen, request: [
        shown(entry.item) for entry in reader.read(product_id, chosen, request).page.entries
    ]


def _read_sets(product_id: str, chosen: CommentFilter, request: PageRequest) -> Answer:
    page = read(runs_of_sets(product_id, chosen), request)
    return [shown(entry.item) for entry in page.entries]


def _put(items: Callable[[Item], Sequence[Item]], table: str, comment: NewComment) -> None:
    """Write the first of a comment's items; a stream's handler writes the others."""
    client().put_item(TableName=table, Item=items(stored(comment))[0])


def _write_counted(comment: NewComment) -> None:
    changes = CountChanges()
    changes.add(comment.product_id, (comment.language, comment.rating), comment.created_at, 1)
    write_with_counts([put(Comment, stored(comment), NEW)], changes)


def _runs_of_indexes(comment: NewComment) -> Sequence[Run]:
    languages, ratings = (comment.language,), (comment.rating,)
    return [
        run
        for chosen in (
            CommentFilter(),
            CommentFilter.of(languages),
            CommentFilter.of((), ratings),
            CommentFilter.of(languages, ratings),
        )
        for run in plan(comment.product_id, chosen).runs
    ]


def _runs_of_copies(comment: NewComment) -> Sequence[Run]:
    (any_set,) = runs_of_sets(comment.product_id, CommentFilter())
    return [Run(any_set.index, item["sk"]["S"]) for item in _in_sets(stored(comment))]


SCAN = CommentDesign(
    layout=Layout("scan", Comment), items=_bare, read=_scan, write=partial(_put, _bare, TABLE)
)
FILTER = CommentDesign(
    layout=Layout("filter", Comment, _INDEXES[:1]),
    items=_bare,
    read=_read_by(FILTER_READER),
    write=partial(_put, _bare, TABLE),
    runs=lambda comment: plan(comment.product_id, CommentFilter()).runs,
)
SETS = CommentDesign(
    layout=Layout("sets", CommentSetItem, (BySet.Meta.index_name,)),
    items=_in_sets,
    read=_read_sets,
    write=partial(_put, _in_sets, CommentSetItem.Meta.table_name),
    runs=_runs_of_copies,
)
BY_RULE = CommentDesign(
    layout=Layout("rules", Comment, _INDEXES),
    items=lambda item: (item,),
    read=_read_by(RULES_READER),
    write=partial(_put, lambda item: (item,), TABLE),
    runs=_runs_of_indexes,
)
PLANNED = CommentDesign(
    layout=Layout("planner", Comment, _INDEXES),
    items=lambda item: (item,),
    read=_read_by(SITE),
    write=_write_counted,
    runs=_runs_of_indexes,
    besides=_counts,
)
DESIGNS = (SCAN, FILTER, SETS, BY_RULE, PLANNED)


NAME = "comments"
POPULAR, RARE, FOUR = _("popular"), _("rare"), _("four of five")
SWITCHED_OFF = 3
"""The rating that the third question leaves out, as the article's picture of its page does."""
RARE_PAGES = 3
"""Pages that the rare list should have, so that it has a middle; fewer where none is so long."""
WRITE = _("a comment")


def compare_comments(lab: Lab, data: Comments) -> Results:
    """Load the comments into each design and measure it. Raises WrongAnswer, NeverConsistent."""
    chosen = questions(data.listed, size=lab.page_size)
    answers = CommentAnswers(data.listed)
    by_place = {place_in(item): item for item in map(shown, map(stored, data.listed))}
    asked = {
        name: Question(
            about=f"{_words(wanted)}: {len(places):,} of {len(data.listed):,}",
            positions=[Position(place) for place in places],
            shown_at=lambda places: [by_place[place] for place in places],
        )
        for name, wanted in chosen.items()
        for places in [answers.places(wanted)]
    }

    def on_table(design: CommentDesign) -> Design:
        table = _load(lab, design, data.all)

        def read(question: str, request: PageRequest) -> Answer:
            return design.read(data.product_id, chosen[question], request)

        return Design(design.name, table, read, partial(_writes, lab, design, table, data.listed))

    designs = [on_table(design) for design in DESIGNS]
    return measure_designs(lab, name=NAME, data=_sentence(data), questions=asked, designs=designs)


def questions(comments: Sequence[NewComment], *, size: int) -> dict[str, CommentFilter]:
    """Choose a popular filter, a rare one, and four ratings of five."""
    cells = Counter((one.language, one.rating) for one in comments)
    ratings = Counter(one.rating for one in comments)
    rare: Cell = min(cells, key=lambda of: _rarity(cells[of], of, size=size))
    return {
        POPULAR: CommentFilter.of(ratings=[max(ratings, key=lambda r: (ratings[r], r))]),
        RARE: CommentFilter.of([rare[0]], [rare[1]]),
        FOUR: CommentFilter.of(ratings=[r for r in RATINGS if r != SWITCHED_OFF]),
    }


def _rarity(number: int, of: Cell, *, size: int) -> tuple[bool, int, Cell]:
    """Sort by number; those too short to have a middle page come last."""
    too_short = number <= (RARE_PAGES - 1) * size
    return too_short, -number if too_short else number, of


def _load(lab: Lab, design: CommentDesign, comments: Sequence[NewComment]) -> LabTable:
    table = lab.make(design.layout)
    items = (item for one in comments for item in design.items(stored(one)))
    each = len(design.items(stored(comments[0])))
    besides = design.besides(comments)
    lab.fill(table, chain(items, besides), total=len(comments) * each + len(besides))
    return table


def _writes(
    lab: Lab, design: CommentDesign, table: LabTable, comments: Sequence[NewComment]
) -> list[WriteCase]:
    follow = _following(lab, table) if design is SETS else lambda: None
    return [
        WriteCase(
            action=WRITE,
            write=partial(design.write, one),
            looks=design.looks(one),
            key={"pk": stored(one)["pk"]},
            follow=follow,
        )
        for one in _newer(comments, number=lab.turns)
    ]


def _following(lab: Lab, table: LabTable) -> Callable[[], object]:
    """Switch on the stream of a full table; return a function that makes the copies due since.

    It reads without a pause: a Lambda polls four times a second.
    """
    patient = slow_client()
    patient.update_table(
        TableName=table.name,
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    )
    patient.get_waiter("table_exists").wait(TableName=table.name, WaiterConfig=SOON)
    with lab.redirection.to(table.in_place):
        arn = stream_of(client(), SETS_TABLE)

    def apply(records: Sequence[Record]) -> None:
        CopyWriter(batches()).apply(records)  # by the client whose calls are redirected and counted

    walk = StreamWalk(
        api=build_streams_client(current_connection()),
        arn=arn,
        checkpoints=MemoryCheckpoints(),
        apply=apply,
        pause=0.0,
    )
    return lambda: walk.drain(looks=1)


def _newer(comments: Sequence[NewComment], *, number: int) -> list[NewComment]:
    """Return comments like the last ones, each newer than all, the same for every design."""
    ordered = sorted(comments, key=lambda one: (one.created_at, one.id))
    models = [ordered[-1 - n % len(ordered)] for n in range(number)]
    return [
        replace(
            model,
            id=uuid5(NAMESPACE_OID, f"{model.id} {n}").hex,
            created_at=ordered[-1].created_at + timedelta(minutes=n),
        )
        for n, model in enumerate(models, 1)
    ]


def _words(chosen: CommentFilter) -> str:
    *others, last = chosen.ratings
    ratings = f"{', '.join(map(str, others))} or {last}" if others else str(last)
    stars = "star" if chosen.ratings == (1,) else "stars"
    languages = f"in “{chosen.languages_in_url}”" if chosen.languages else "in any language"
    return f"{ratings} {stars}, {languages}"


def _sentence(data: Comments) -> str:
    whole, listed = f"{len(data.all):,} comments {data.about}; ", len(data.listed)
    if listed == len(data.all):
        return f"{whole}the tables hold nothing else, which flatters Scan."
    return f"{whole}the lists are those of one product, with {listed:,} of them."


TEXTS = "long texts"
LIST, WHOLE = _("a list"), _("one, whole")
INLINE, APART = "inline", "apart"
LONG_COMMENTS = 400
SHORTEST, LONGEST = 1_200, 8_000
"""Characters of a text."""
WRITE_TEXT = _("a long comment")
_TEXT = Comment.text.attr_name
_UNUSED = {
    Comment.language_partition.attr_name,
    Comment.rating_partition.attr_name,
    Comment.language_rating_partition.attr_name,
}
"""Keys of indexes that the tables do not have."""


def compare_bodies(lab: Lab) -> Results:
    """Measure long comments inline and apart. Raises WrongAnswer and NeverConsistent."""
    made = list(_long_comments(LONG_COMMENTS + lab.turns))
    comments, new = made[:LONG_COMMENTS], made[LONG_COMMENTS:]
    by_place = {sort_key_of(one.created_at, one.id): one for one in comments}
    one = sorted(comments, key=lambda comment: len(comment.body))[len(comments) // 2]
    letters = round(sum(len(one.body) for one in comments) / len(comments))

    def on_table(
        name: str, build: Callable[[NewComment], list[Item]], whole: Callable[[str], str]
    ) -> Design:
        table = lab.make(Layout(f"texts-{name}", Comment, (All.Meta.index_name,)))
        items = [item for comment in comments for item in build(comment)]
        lab.fill(table, items, total=len(items))

        def read_page(question: str, request: PageRequest) -> Answer:
            return _read_texts(request) if question == LIST else [{_TEXT: {"S": whole(one.id)}}]

        writes = [
            WriteCase(
                action=WRITE_TEXT,
                write=partial(_put_items, build(comment)),
                looks=[partial(_is_first, comment)],
                key={"pk": {"S": keys.comment(comment.id)}},
            )
            for comment in new
        ]
        return Design(name, table, read_page, lambda: writes)

    return measure_designs(
        lab,
        name=TEXTS,
        data=(
            f"{LONG_COMMENTS} comments on one product, made for this, of {letters:,} letters on "
            "average."
        ),
        questions={
            LIST: Question(
                "a page of the product's comments, of which it shows the first lines",
                [Position(place) for place in sorted(by_place, reverse=True)],
                lambda places: [_shown_text(place, by_place[place].body) for place in places],
            ),
            WHOLE: Question(
                "a single comment by its id, with its whole text",
                [Position(sort_key_of(one.created_at, one.id))],
                lambda _places: [{_TEXT: {"S": one.body}}],
            ),
        },
        designs=[
            on_table(INLINE, _inline, _whole_inline),
            on_table(APART, _apart, lambda comment_id: find_comment(comment_id).body),
        ],
    )


def _read_texts(request: PageRequest) -> Answer:
    """Read a page of a list, which shows the first lines of each text."""
    page = read(plan(PRODUCT_ID, CommentFilter()).runs, request)
    return [_shown_text(entry.position.place, entry.item[_TEXT]["S"]) for entry in page.entries]


def _shown_text(place: str, text: str) -> Item:
    shown = text if text.endswith("…") else excerpt(text)
    return {Comment.place.attr_name: {"S": place}, _TEXT: {"S": shown}}


def _whole_inline(comment_id: str) -> str:
    key = comment_key(comment_id)
    text: str = client().get_item(TableName=TABLE, Key=key)["Item"][_TEXT]["S"]
    return text


def _apart(comment: NewComment) -> list[Item]:
    items = [item.serialize() for item in items_of(comment) if item is not None]
    return [{name: item[name] for name in item if name not in _UNUSED} for item in items]


def _inline(comment: NewComment) -> list[Item]:
    item, *_ = _apart(comment)
    return [{**item, _TEXT: {"S": comment.body}}]


def _put_items(items: Sequence[Item]) -> None:
    Batches(client(), pool()).put(TABLE, items)


def _is_first(comment: NewComment) -> bool:
    (entry,) = _read_texts(PageRequest(1))
    place: str = entry[Comment.place.attr_name]["S"]
    return place == sort_key_of(comment.created_at, comment.id)


def _long_comments(number: int) -> Iterator[NewComment]:
    """Make comments an hour apart, each of a thousand letters or more."""
    rng = Random(2_024)  # noqa: S311 - repeatable data, nothing secret
    filler = " ".join(rng.choices(WORDS, k=20_000))
    for n in range(number):
        start = rng.randrange(len(filler) - LONGEST)
        body = filler[start : start + rng.randint(SHORTEST, LONGEST)].strip()
        yield NewComment(
            id=f"{rng.getrandbits(64):016x}",
            product_id=PRODUCT_ID,
            language="en",
            rating=rng.randint(1, 5),
            created_at=START + timedelta(hours=n),
            author=f"reader {n}",
            title="At length",
            body=body,
        )
