"""Ids that do not fit into keys: a digest stands for them there, and they are whole elsewhere."""

from dataclasses import replace

import pytest

from comments import keys
from comments.erasure.user_data import comments_listed_in
from comments.filters import CommentFilter
from comments.items import items_of
from comments.keys import comment_key
from comments.lists.queries import find_comment, list_comments
from comments.models import TABLE
from comments.posting.services import add_comment, delete_comment, edit_comment
from comments.rankings.queries import list_most_helpful
from comments.replies.services import reply_to
from comments.reports.services import Reason, report_comment
from comments.store.comments import NoSuchComment, load_comment
from comments.store.counts import read_counts
from comments.store.dependents import delete_dependents
from comments.store.states import State
from comments.store.table import whole_id
from comments.votes.rank import count_votes
from comments.votes.services import cast_vote
from dynapages.items import Item
from dynapages.lists import PageRequest, timestamp
from dynapages.process import client
from tests.support.chance import unique
from tests.support.comments.deciding import hide, restore
from tests.support.comments.threads import (
    NOW,
    differences,
    differing,
    items_in,
    mended,
    moderated,
    spoil,
)
from tests.support.comments.truth import START, written

pytestmark = pytest.mark.usefixtures("tables")

LONG_IDS = {
    "a UUID": "0b6f8f2e-9d34-4b6c-8f0a-1f6c5b7a9d3e",
    "128 characters": "x" * 128,
    "128 characters of four bytes": "\U00010330" * 128,
    "33 bytes in 17 characters": "é" * 16 + "x",
    "what looks like a digest": "#" + "A" * 22,
    "a slash and a question mark": "lg:" + "a/b?c=" * 12,
}


@pytest.fixture(params=LONG_IDS.values(), ids=LONG_IDS)
def comment(request):
    """A comment with an id that is not in its keys, by ann."""
    comment_id = request.param[: 128 - 13] + unique("")[-13:]
    comment = written(unique("product"), id=comment_id, user_id="ann", title="Fine")
    add_comment(comment)
    return comment


def without_versions(items: dict[str, Item]) -> dict[str, Item]:
    """Items without the number that each repair of a rank raises."""
    return {
        sort_key: {name: item[name] for name in item if name != "w"}
        for sort_key, item in items.items()
    }


def listed_ids(product_id: str) -> list[str]:
    request = PageRequest(20)
    counts = read_counts(product_id, consistent=True)
    page = list_comments(product_id, CommentFilter(), request, counts=counts)
    return [entry.id for entry in page.comments]


class TestAKey:
    @pytest.mark.parametrize("comment_id", ["7", "01JWBDYB56GVVRDSCV6P5WD7FM", "x" * 32])
    def test_has_a_short_id_as_it_is(self, comment_id):
        assert keys.comment(comment_id) == f"COMMENT#{comment_id}"

    @pytest.mark.parametrize("comment_id", LONG_IDS.values(), ids=LONG_IDS)
    def test_has_a_digest_of_a_long_one(self, comment_id):
        key = keys.comment(comment_id)
        assert len(key) == len("COMMENT#") + 23
        assert comment_id not in key

    @pytest.mark.parametrize("comment_id", LONG_IDS.values(), ids=LONG_IDS)
    def test_leads_back_to_itself(self, comment_id):
        for key in (keys.comment(comment_id), keys.tally(comment_id, 3)["pk"]):
            assert keys.comment(keys.comment_id_in(key)) == keys.comment(comment_id)

    @pytest.mark.parametrize("comment_id", LONG_IDS.values(), ids=LONG_IDS)
    def test_cannot_be_chosen_by_an_id_that_is_the_digest_of_another(self, comment_id):
        digest = keys.comment(comment_id).removeprefix("COMMENT#")
        assert keys.comment(digest) != keys.comment(comment_id)

    def test_of_a_comment_comes_between_its_body_and_its_reply(self):
        assert keys.BODY < keys.COMMENT < keys.REPLY < keys.REPORT_PREFIX < keys.VOTE_PREFIX


class TestAnItem:
    def test_has_the_id_once(self):
        comment_id = LONG_IDS["a UUID"]
        item = items_of(written("lamp", id=comment_id))[0].serialize()
        assert str(item).count(comment_id) == 1
        assert item["o"]["S"].endswith(f"#{comment_id}")

    def test_of_an_app_review_has_at_most_355_bytes_in_the_index_of_all(self):
        """Google's ids have up to 90 characters; 103 bytes of text are the mean of real ones."""
        comment = written(
            "gov.fema.mobile.android", id="lg:" + "A" * 87, author="66051db5218f", body="x" * 103
        )
        item = items_of(comment)[0].serialize()
        entry = {name: item[name] for name in ("pk", "sk", "a", "o", "g", "s", "u", "x")}
        texts = [value.get("S", value.get("N")) for value in entry.values()]
        assert len("".join([*entry, *texts])) <= 355


class TestALongId:
    def test_is_whole_wherever_a_comment_is_shown(self, comment):
        assert find_comment(comment.id).id == comment.id
        assert load_comment(comment.id).comment == comment
        assert listed_ids(comment.product_id) == [comment.id]
        assert [*comments_listed_in(keys.author("ann"))].count(comment.id) == 1

    def test_is_whole_in_rankings_and_queues(self, comment):
        cast_vote(comment_id=comment.id, user_id="bob")
        report_comment(comment_id=comment.id, user_id="bob", reason=Reason.SPAM, text="", now=NOW)
        (ranked,) = list_most_helpful(comment.product_id, PageRequest(20)).items
        assert (ranked.id, ranked.helpful_votes) == (comment.id, 1)
        assert moderated(comment, State.REPORTED)
        assert [*comments_listed_in(keys.voter("bob"))].count(comment.id) == 1
        assert differing(comment) == []

    def test_survives_edits_hiding_and_restoring(self, comment):
        edit_comment(load_comment(comment.id), now=NOW, body="Better now. " * 50)
        reply_to(comment_id=comment.id, text="Thank you!", user_id="sam", seen=None, now=NOW)
        hide(comment_id=comment.id)
        assert listed_ids(comment.product_id) == []
        restore(comment_id=comment.id)
        assert listed_ids(comment.product_id) == [comment.id]
        assert find_comment(comment.id).body.startswith("Better")
        assert differing(comment) == []

    def test_leaves_nothing_of_itself_when_it_is_deleted(self, comment):
        cast_vote(comment_id=comment.id, user_id="bob")
        delete_comment(comment.id, now=NOW)
        assert list(items_in(comment.id)) == [keys.COMMENT]
        assert count_votes(comment.id) == 0
        with pytest.raises(NoSuchComment):
            find_comment(comment.id)


class TestTheCheck:
    """Of a digest it is told which comment is meant, by reading it."""

    def test_tells_the_whole_id(self, comment):
        digest = keys.comment_id_in(keys.comment(comment.id))
        assert whole_id(digest) == comment.id

    @pytest.mark.parametrize("attribute", ["l", "r", "b", "c"])
    def test_derives_keys_anew(self, comment, attribute):
        right = load_comment(comment.id)
        spoil(comment, attribute, {"S": "PRODUCT#other"})
        (difference,) = mended(comment)
        assert (difference.kind, difference.subject) == ("keys", f"comment {comment.id}")
        assert load_comment(comment.id) == right

    def test_derives_the_places_of_votes_and_ranks_anew(self, comment):
        cast_vote(comment_id=comment.id, user_id="bob")
        right = items_in(comment.id)
        spoil(comment, "p", {"S": "0000000009#other"})
        spoil(comment, "o", {"S": "product#other"}, sort_key=keys.vote("bob"))
        assert {difference.kind for difference in mended(comment)} == {"keys", "rank"}
        assert without_versions(items_in(comment.id)) == without_versions(right)

    def test_counts_votes_anew(self, comment):
        cast_vote(comment_id=comment.id, user_id="bob")
        client().delete_item(TableName=TABLE, Key=comment_key(comment.id, keys.vote("bob")))
        assert {difference.kind for difference in mended(comment)} == {"votes", "rank"}
        assert count_votes(comment.id) == 0

    def test_says_that_a_place_with_another_id_cannot_be_repaired(self, comment):
        spoil(comment, "o", {"S": f"{timestamp(START)}#other"})
        digest = keys.comment_id_in(keys.comment(comment.id))
        found = [one for one in differences(replace(comment, id=digest)) if one.kind == "keys"]
        assert [one.subject for one in found] == [f"comment {digest}"]
        assert [one.repair() for one in found] == [False]
        assert load_comment(comment.id).comment.id == "other"

    def test_deletes_what_belonged_to_a_comment_that_is_gone(self, comment):
        cast_vote(comment_id=comment.id, user_id="bob")
        client().delete_item(TableName=TABLE, Key=comment_key(comment.id))
        delete_dependents(keys.comment_id_in(keys.comment(comment.id)))
        assert items_in(comment.id) == {}
        assert count_votes(comment.id) == 0
