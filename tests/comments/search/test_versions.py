"""A site whose postings are of an older version of stems goes over to this one while it runs."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta

import pytest

from comments.data.writer import BulkWriter
from comments.erasure.user_data import TRACES
from comments.filters import CommentFilter
from comments.items import NewComment, items_of
from comments.lists.search_queries import SearchRequest, search_comments
from comments.moderation.services import Decision, carry_out
from comments.posting.services import delete_comment, edit_comment
from comments.search import integrity
from comments.search.integrity import word_differences
from comments.search.models import TABLE
from comments.search.pending import PENDING
from comments.search.postings import STEMS, older_names_of, postings_of, stems_of_comment
from comments.search.words import OLDER, VERSION, digest_of, parse_search
from comments.search.writer import CHANGES
from comments.store.comments import load_comment
from comments.store.counts import read_counts
from dynapages.calls import Batches, Pool
from dynapages.items import Item
from dynapages.lists import PageRequest, id_at
from dynapages.process import client
from dynapages.upkeep import erase, every_item
from tests.support.comments.loading import load
from tests.support.comments.options import comments_set
from tests.support.comments.truth import START, written
from tests.support.work import finish_what_waits

pytestmark = [pytest.mark.usefixtures("searchable"), pytest.mark.real_engine]


@pytest.fixture
def older():
    """Postings of the older version may be in the table."""
    with comments_set(SEARCH=True, SEARCH_OLDER=True):
        yield


@pytest.fixture
def comments(fresh) -> list[NewComment]:
    """Comments with postings of the older version alone, of no others; the newest is the last."""
    for difference in word_differences():
        assert difference.repair
        difference.repair()
    finish_what_waits()
    product_id = fresh("product")
    found = [
        written(
            product_id,
            id=f"{product_id}-{number}",
            language="fr",
            created_at=START + timedelta(minutes=number),
            user_id=fresh("user"),
            title="Très déçu",
            body=f"L'écran s'est cassé, numéro n{number}.",
        )
        for number in range(6)
    ]
    with comments_set(SEARCH=False):
        load(found)
    put_older(found)
    return found


def put_older(comments: Iterable[NewComment]) -> None:
    """Put the postings that the version before has written."""
    for comment in comments:
        item = items_of(comment)[0].to_dynamodb_dict()
        digests = sorted(map(digest_of, stems_of_comment(item, comment.body, OLDER)))
        shown = {**postings_of(item, comment.body)[0], STEMS: {"BS": digests}}
        postings = [{**shown, "pk": {"S": key}} for key, _ in older_names_of(item, comment.body)]
        Batches(client(), Pool(1)).put(TABLE, postings)


def postings(*comments: NewComment) -> list[Item]:
    ids = {one.id for one in comments}
    return [
        item
        for item in every_item(client(), TABLE)
        if not item["pk"]["S"].startswith((CHANGES, PENDING)) and id_at(item["o"]["S"]) in ids
    ]


def versions(*comments: NewComment) -> set[str]:
    """Return the versions of which these comments have postings."""
    return {item["pk"]["S"].split("/")[1] for item in postings(*comments)}


def ids_with(words: str, product_id: str, *, with_hidden: bool = False) -> list[str]:
    """Return the comments of a product that are found by these words, on one page."""
    wanted, counts = SearchRequest(parse_search(words), with_hidden), read_counts(product_id)
    found = search_comments(product_id, wanted, CommentFilter(), PageRequest(20), counts=counts)
    return [comment.id for comment in found.comments]


def newest_first(comments: Iterable[NewComment]) -> list[str]:
    return [one.id for one in comments][::-1]


@pytest.mark.usefixtures("older")
class TestACommentWithOlderPostings:
    def test_is_found_as_it_was_until_now(self, comments):
        product_id = comments[0].product_id
        for words in ("déçu", "écran cassé", "très"):
            assert ids_with(words, product_id) == newest_first(comments), words
        assert ids_with("n3", product_id) == [comments[3].id]

    def test_is_found_once_that_has_newer_ones_as_well(self, comments):
        one = comments[2]
        item = items_of(one)[0].to_dynamodb_dict()
        Batches(client(), Pool(1)).put(TABLE, postings_of(item, one.body))
        assert versions(one) == {OLDER, VERSION}
        assert ids_with("cassé", one.product_id) == newest_first(comments)

    def test_has_newer_ones_alone_after_a_change(self, comments):
        one = comments[3]
        edit_comment(load_comment(one.id), now=START, title="Ravi", body="Tout va bien")
        finish_what_waits()
        assert versions(one) == {VERSION}
        assert ids_with("ravi", one.product_id) == [one.id]
        assert one.id not in ids_with("déçu", one.product_id)
        assert ids_with("n3", one.product_id) == []

    def test_has_none_where_visitors_search_after_it_was_hidden(self, comments):
        one = comments[3]
        carry_out(Decision.HIDE, comment_id=one.id, now=START)
        finish_what_waits()
        assert versions(one) == {VERSION}
        assert {item["pk"]["S"].partition("#")[0] for item in postings(one)} == {"HIDDEN"}
        assert ids_with("n3", one.product_id) == []
        assert ids_with("n3", one.product_id, with_hidden=True) == [one.id]

    def test_has_none_after_it_was_deleted(self, comments):
        one = comments[3]
        delete_comment(one.id)
        finish_what_waits()
        assert postings(one) == []
        assert ids_with("n3", one.product_id) == []

    def test_has_none_after_its_author_was_erased(self, comments):
        one = comments[3]
        erase(TRACES, one.user_id)
        finish_what_waits()
        assert postings(one) == []

    def test_has_newer_ones_alone_after_an_import(self, comments):
        newer = [
            replace(one, body="word " * 900 + "fin", created_at=START + timedelta(days=1))
            for one in comments
        ]
        BulkWriter(Batches(client(), Pool(1))).write(newer)
        finish_what_waits()
        assert versions(*comments) == {VERSION}
        assert ids_with("fin", comments[0].product_id) != []

    def test_of_a_long_text_has_newer_ones_alone_after_a_change(self, fresh):
        long = written(fresh("product"), id=fresh("long"), language="fr", body="déçu " * 900 + "é")
        with comments_set(SEARCH=False):
            load([long])
        put_older([long])
        edit_comment(load_comment(long.id), now=START, title="Ravi")
        finish_what_waits()
        assert versions(long) == {VERSION}


class TestAChange:
    def test_names_no_older_postings_unless_there_may_be_some(self, comments):
        edit_comment(load_comment(comments[0].id), now=START, title="Ravi")
        finish_what_waits()
        assert versions(comments[0]) == {OLDER, VERSION}


@pytest.mark.usefixtures("older")
class TestTheIntegrityCheck:
    def test_finds_one_difference_for_comments_with_older_postings(self, comments):
        (found,) = word_differences()
        assert (found.kind, found.stored) == ("words", f"postings of {OLDER}")

    def test_writes_newer_postings_and_deletes_the_older_ones(self, comments):
        for difference in word_differences():
            assert difference.repair()
        finish_what_waits()
        assert versions(*comments) == {VERSION}
        assert [*word_differences()] == []

    def test_leaves_all_comments_found_at_every_step(self, comments, monkeypatch):
        monkeypatch.setattr(integrity, "WRITTEN_AT_ONCE", 2)
        product_id, expected = comments[0].product_id, newest_first(comments)
        differences = [*word_differences()]
        assert len(differences) == 3
        for difference in differences:
            assert ids_with("déçu cassé", product_id) == expected
            assert difference.repair()
            assert ids_with("déçu cassé", product_id) == expected
            finish_what_waits()
        assert ids_with("decu", product_id) == expected
        with comments_set(SEARCH_OLDER=False):
            assert ids_with("decu casse", product_id) == expected
            assert versions(*comments) == {VERSION}
