"""What comments cost a search whatever they say: in any script, of any length, under any id."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comments.data.values import LONGEST_ID, LONGEST_USER_ID
from comments.data.writer import BulkWriter
from comments.filters import CommentFilter
from comments.items import (
    LONGEST_LISTED_TEXT,
    NewComment,
    NewReply,
    items_of,
    reply_of,
    reply_shown,
)
from comments.lists.entries import CommentEntry, entry_of
from comments.lists.search_queries import MOST_UNITS, SearchRequest, search_comments
from comments.posting.services import add_comment, delete_comment, edit_comment
from comments.search.models import TABLE
from comments.search.postings import LARGEST_POSTING, partition, postings_of, stems_of_comment
from comments.search.words import LONGEST_STEM_IN_KEYS, MOST_STEMS, digest_of, parse_search
from comments.store.comments import load_comment
from comments.store.counts import ProductCounts
from dynapages.calls import Batches, Meter, Pool, metered
from dynapages.items import Item, item_bytes
from dynapages.lists import Page, PageRequest
from dynapages.process import client
from tests.support.chance import examples
from tests.support.comments.hostile_texts import (
    BOTH_WAYS,
    COMMENTS,
    EVERY_SCRIPT,
    LONG_LETTER,
    MIXED,
    as_imports_bring_it,
    hostile,
    letters,
    word,
)
from tests.support.comments.options import comments_set
from tests.support.comments.searched import load_searched, searching
from tests.support.comments.truth import START
from tests.support.work import finish_what_waits

EDITED_OFTEN = {"e": {"S": "2026-11-20T09:30:00.000000Z"}, "n": {"N": "1234567"}}


def item_of(comment: NewComment, **attributes: Item) -> Item:
    """The item of a comment in the table, with what lists show of its reply."""
    item = dict(items_of(comment)[0].to_dynamodb_dict())
    if reply := reply_of(comment):
        item["y"] = {"M": reply_shown(reply.to_dynamodb_dict())}
    return item | attributes


def postings_for(comment: NewComment, **attributes: Item) -> list[Item]:
    return postings_of(item_of(comment, **attributes), comment.body)


def shown(comment: NewComment, **attributes: Item) -> CommentEntry:
    return entry_of(postings_for(comment, **attributes)[0])


def sizes(*texts: str) -> list[int]:
    return [len(text.encode()) for text in texts]


class TestAPosting:
    @EVERY_SCRIPT
    @BOTH_WAYS
    def test_has_a_kilobyte_at_most(self, script, brought):
        postings = postings_for(brought(hostile("p", script)), **EDITED_OFTEN)
        assert len(postings) == MOST_STEMS
        assert max(map(item_bytes, postings)) <= LARGEST_POSTING

    @settings(max_examples=examples(1_000))
    @given(comment=COMMENTS, attributes=st.sampled_from([{}, EDITED_OFTEN]))
    def test_has_a_kilobyte_at_most_of_any_comment_and_is_found(self, comment, attributes):
        item = item_of(comment, **attributes)
        postings = postings_of(item, comment.body)
        stems = stems_of_comment(item, comment.body)
        found = {posting["pk"]["S"]: {*posting["w"]["BS"]} for posting in postings}
        assert max(map(item_bytes, postings), default=0) <= LARGEST_POSTING
        assert len(found) == len(postings)
        for stem in stems:
            key = partition(comment.product_id, comment.language, stem)
            assert found[key] == {*map(digest_of, stems)}

    @BOTH_WAYS
    def test_shows_a_place_a_rating_and_texts_of_whoever_wrote_it(self, brought):
        comment = brought(hostile("p", MIXED))
        entry = shown(comment)
        assert (entry.id, entry.rating, entry.is_long) == (comment.id, 5, True)
        assert min(map(len, (entry.author, entry.title, entry.text))) > 1

    @pytest.mark.parametrize(
        ("language", "title", "letter", "between"),
        [
            ("is", "Battery died within weeks", "a", " "),
            ("ru", "Батарея разрядилась", "ж", " "),
            ("ar", "نفدت البطارية", "ف", " "),
            ("zh", "電池很快就壞了", "一", ""),
            ("th", "แบตเตอรี่หมดเร็ว", "ก", ""),
        ],
    )
    def test_shows_all_of_ordinary_comments(self, language, title, letter, between):
        """Of a text as long as lists show it whole, all words different, and a reply."""
        first = ord(letter)
        words = [letters(first, first + 20, n, length=6) for n in range(99)]
        text = between.join(words).encode()[:LONGEST_LISTED_TEXT].decode(errors="ignore").strip()
        comment = replace(
            hostile("p", "Latin"),
            language=language,
            title=title,
            body=text,
            reply=NewReply("r" * 120, replied_at=START),
        )
        assert shown(comment) == replace(entry_of(item_of(comment)), product_id="")
        assert not shown(comment).is_long


class TestTheLongestTexts:
    """A posting of this comment would have too many bytes."""

    comment = replace(hostile("p", "Latin"), author="Ada", reply=NewReply("r" * 310, START))

    def test_are_cut_to_one_length_and_shorter_ones_are_whole(self):
        entry = shown(self.comment)
        assert entry.author == "Ada"
        assert entry.reply
        assert sizes(self.comment.title, self.comment.body, self.comment.reply.text)[0] == 480
        title, text, reply = sizes(entry.title, entry.text, entry.reply.text)
        assert max(title, text, reply) - min(title, text, reply) < 40, "they are cut at a word"

    def test_are_marked_as_excerpts(self):
        entry = shown(self.comment)
        assert entry.is_long
        assert entry.reply
        assert entry.reply.is_long
        assert all(text.endswith("…") for text in (entry.title, entry.text, entry.reply.text))

    def test_are_marked_alone(self):
        words = " ".join(word("Latin", n)[:3] for n in range(50))
        reply = NewReply("r" * LONGEST_LISTED_TEXT, START)
        entry = shown(replace(self.comment, author="A" * 130, title="", body=words, reply=reply))
        assert entry.reply
        assert (entry.text, entry.is_long, entry.reply.is_long) == (words, False, True)

    def test_keep_their_characters_whole(self):
        entry = shown(replace(self.comment, title="ä😀" * 300))
        assert {*entry.title} == {*"ä😀…"}

    def test_give_way_to_the_longest_ids_and_so_does_the_reply_and_then_the_user(self):
        comment = replace(hostile("p", MIXED), reply=NewReply("r", START), title="t")
        comment = replace(comment, id=LONG_LETTER * LONGEST_ID, product_id="p" * LONGEST_ID)
        entry = shown(comment, **EDITED_OFTEN)
        assert (entry.id, entry.reply, entry.is_long) == (comment.id, None, True)
        assert entry.user_id == comment.user_id
        entry = shown(replace(comment, user_id="a" * LONGEST_USER_ID), **EDITED_OFTEN)
        assert (entry.user_id, entry.title) == ("", "t")


class TestTwoStemsOfOneDigest:
    ONE, OTHER = "langeswortnummerapksb", "langeswortnummerhooga"

    def test_share_a_posting(self):
        assert digest_of(self.ONE) == digest_of(self.OTHER)
        comment = replace(hostile("p", "Latin"), title="", body=f"{self.ONE} {self.OTHER} akku")
        keys = [posting["pk"]["S"] for posting in postings_for(comment)]
        assert len(keys) == len({*keys}) == 2
        assert {len(posting["w"]["BS"]) for posting in postings_for(comment)} == {2}


@pytest.fixture(scope="module")
def search(tables, engine_name):
    with searching(engine_name):
        yield


def page_of(product_id: str, words: str) -> Page:
    wanted, counts = SearchRequest(parse_search(words)), ProductCounts({("is", 5): 700})
    chosen, request = CommentFilter.of(["is"]), PageRequest(20)
    return search_comments(product_id, wanted, chosen, request, counts=counts).page


def units_in(meter: Meter, *operations: str) -> list[float]:
    """The units of calls to the table of words."""
    called = [call for call in meter.log if call.table == TABLE]
    return [call.capacity_units for call in called if call.operation in operations]


@pytest.mark.real_engine
@pytest.mark.usefixtures("search")
class TestAnEngine:
    @EVERY_SCRIPT
    @BOTH_WAYS
    def test_takes_a_unit_for_a_stem_and_finds_each(self, fresh, script, brought):
        """Postings are put and deleted one by one; only their change is a transaction."""
        comment = brought(hostile(fresh("p"), script))
        with metered() as meter:
            add_comment(comment)
        assert sum(units_in(meter, "BatchWriteItem")) == MOST_STEMS
        assert sum(units_in(meter, "TransactWriteItems")) <= 8
        finish_what_waits()
        for stem in stems_of_comment(load_comment(comment.id).item, comment.body):
            assert len(page_of(comment.product_id, stem).entries) == 1
        with metered() as meter:
            delete_comment(comment.id)
        finish_what_waits()
        assert sum(units_in(meter, "BatchWriteItem")) == MOST_STEMS

    @pytest.mark.parametrize("byte", [0, 1])
    def test_counts_bytes_as_they_are_counted_here(self, fresh, byte):
        posting = postings_for(as_imports_bring_it(hostile(fresh("p"), MIXED)), **EDITED_OFTEN)[0]
        padded = {**posting, "#": {"S": "x" * (LARGEST_POSTING - 1 - item_bytes(posting) + byte)}}
        put = client().put_item(TableName=TABLE, Item=padded, ReturnConsumedCapacity="TOTAL")
        assert put["ConsumedCapacity"]["CapacityUnits"] == 1 + byte

    @pytest.mark.parametrize("script", ["Gothic", MIXED])
    @BOTH_WAYS
    def test_reads_a_page_for_the_units_of_any_other(self, fresh, script, brought):
        product_id = fresh("p")
        comments = [brought(hostile(product_id, script, number)) for number in range(40)]
        load_searched(comments)
        for words in ([1], [1, 2], [1, 2, 3], [1, 110]):
            text = " ".join(word(script, number) for number in words)
            with metered() as meter:
                page = page_of(comments[0].product_id, text)
            assert len(page.entries) == (1 if 110 in words else 20)
            assert sum(units_in(meter, "Query")) <= 8 <= MOST_UNITS

    def test_takes_an_import_of_many(self, fresh):
        product_id = fresh("p")
        comments = [as_imports_bring_it(hostile(product_id, "Gothic", n)) for n in range(60)]
        BulkWriter(Batches(client(), Pool(1))).write(comments)
        finish_what_waits()
        for number in (0, 59):
            words = word("Gothic", 100 * number + 10)
            assert len(page_of(comments[0].product_id, words).entries) == 1

    def test_reads_no_more_where_long_postings_lie_behind_short_ones(self, fresh):
        product_id = fresh("p")
        rest = [
            replace(
                hostile(product_id, "Latin", number),
                created_at=START - timedelta(minutes=number),
                title="" if number < 60 else "😀" * 300,
                body=("akku", "kabel")[number % 2],
            )
            for number in range(500)
        ]
        load_searched(rest)
        with metered() as meter:
            page = page_of(product_id, "akku kabel")
        assert page.cut_at
        assert MOST_UNITS / 2 < sum(units_in(meter, "Query")) <= MOST_UNITS

    @BOTH_WAYS
    @pytest.mark.parametrize(("has_older", "most"), [(False, 4_096), (True, 5_120)])
    def test_stores_a_small_change_and_marks_that_it_reads_for_half_a_unit(
        self, fresh, brought, has_older, most
    ):
        """Of the longest stems that stand in keys as they are, all of them other ones before."""
        bodies = [
            " ".join(
                letters(0x61, 0x7A, 100 * of + n, length=LONGEST_STEM_IN_KEYS) for n in range(70)
            )
            for of in range(2)
        ]
        comment = brought(replace(hostile(fresh("p"), MIXED), body=bodies[0]))
        add_comment(comment)
        finish_what_waits()
        with comments_set(SEARCH=True, SEARCH_OLDER=has_older):
            edit_comment(load_comment(comment.id), now=START, body=bodies[1], language="fo")
        found = client().scan(TableName=TABLE)["Items"]
        (change,) = (item for item in found if item["pk"]["S"].startswith("CHANGES#"))
        (mark,) = (item for item in found if item["pk"]["S"].startswith("PENDING#"))
        assert item_bytes(change) <= most
        assert item_bytes(mark) <= 120
        finish_what_waits()


class TestAStemInAKey:
    @EVERY_SCRIPT
    def test_has_16_bytes_at_most(self, script):
        for posting in postings_for(hostile("p", script)):
            stem = posting["pk"]["S"].rpartition("/")[2]
            assert 0 < len(stem.encode()) <= LONGEST_STEM_IN_KEYS
