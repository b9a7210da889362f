"""A comment is deleted by its author or staff, once, with all that belongs to it."""

from datetime import UTC, datetime, timedelta

import pytest

from comments import keys
from comments.items import NewComment
from comments.keys import comment_key
from comments.models import Comment
from comments.posting.services import TOMBSTONE_DAYS, CommentGone, add_comment, delete_comment
from comments.store.comments import load_comment
from comments.store.counts import read_counts
from comments.store.dependents import delete_dependents
from comments.store.table import read_item
from dynapages.process import client
from dynapages.writes import SHARDS
from tests.support.comments.loading import load
from tests.support.comments.ranked import index_that_lags, last_comment
from tests.support.comments.threads import items_in, mended
from tests.support.comments.truth import START
from tests.support.comments.writers import delete_url, load_older, someone

pytestmark = pytest.mark.usefixtures("tables")

TABLE = Comment.Meta.table_name


def put_belongings(comment_id: str, *, votes: int) -> None:
    """Put what others add to a comment: votes, a reply, a tally of three shares."""
    items = [comment_key(comment_id, keys.vote(str(n))) for n in range(votes)]
    items.append({**comment_key(comment_id, keys.REPLY), "x": {"S": "Hi"}})
    for shard in range(3):
        key = {name: {"S": value} for name, value in keys.tally(comment_id, shard).items()}
        items.append(key | ({SHARDS: {"N": "3"}} if shard == 0 else {}))
    for item in items:
        client().put_item(TableName=TABLE, Item=item)


def tallies(comment_id: str) -> int:
    shares = [keys.tally(comment_id, shard) for shard in range(3)]
    found = [
        client().get_item(TableName=TABLE, Key={n: {"S": v} for n, v in key.items()}).get("Item")
        for key in shares
    ]
    return sum(item is not None for item in found)


class TestDeletingByItsPage:
    def test_asks_first_where_there_is_no_script(self, alice, lamp):
        comment = alice.has_written(lamp).comment
        shown = alice.get(delete_url(comment))
        assert shown.page.one("h1").text == "Delete this comment?"
        assert load_comment(comment.id).comment == comment

    def test_takes_it_out_of_lists_counts_and_ranks(self, alice, lamp):
        comment = alice.has_written(lamp).comment
        shown = alice.post(delete_url(comment))
        assert shown.response.redirect_chain == [(f"/products/{lamp}/", 302)]
        assert shown.comment_ids == []
        assert read_counts(lamp, consistent=True).total == 0
        assert last_comment(lamp) is None

    def test_leads_back_to_the_list_it_was_on_and_to_no_other_site(self, alice, lamp):
        url = f"/products/{lamp}/comments/en/~/"
        for asked, led in ((url, url), ("https://example.com/", f"/products/{lamp}/")):
            comment = alice.write(lamp).comment
            assert alice.send(f"{delete_url(comment)}?next={asked}")["Location"] == led


class TestDeletingFromAListByHtmx:
    def test_closes_the_gap_on_the_same_page(self, alice, lamp):
        older = load_older(lamp, count=45)
        sam = someone("sam", is_staff=True)
        second = sam.get(sam.get(f"/products/{lamp}/comments/~/~/").older)
        gone = second.comment_ids[3]
        links = [a["href"] for a in second.page.all("a", href=True)]
        (link,) = [href for href in links if href.startswith(f"/comments/delete/{gone}/")]
        shown = sam.post(link, htmx=True)
        assert shown.comment_ids == [i for i in older[20:41] if i != gone]
        assert shown.page.elements[0]["id"] == "comments"

    def test_shows_it_no_more_although_the_index_lags(self, alice, lamp):
        comment = alice.has_written(lamp).comment
        with index_that_lags(gone=comment):
            shown = alice.post(f"{delete_url(comment)}?next=/products/{lamp}/", htmx=True)
        assert shown.comment_ids == []


class TestWhatBelongedToIt:
    def test_goes_too_however_much_it_is(self, alice, lamp):
        comment = alice.has_written(lamp, body="long " * 800).comment
        put_belongings(comment.id, votes=230)
        alice.send(delete_url(comment))
        assert list(items_in(comment.id)) == [keys.COMMENT]
        assert tallies(comment.id) == 0

    def test_goes_when_it_is_deleted_again_after_being_cut_off(self, alice, lamp):
        comment = alice.has_written(lamp).comment
        delete_comment(comment.id)
        put_belongings(comment.id, votes=3)
        assert not delete_comment(comment.id)
        assert (list(items_in(comment.id)), tallies(comment.id)) == ([keys.COMMENT], 0)

    def test_is_found_by_the_check_and_goes_by_its_repair(self, alice, lamp):
        comment = alice.has_written(lamp).comment
        delete_comment(comment.id)
        put_belongings(comment.id, votes=3)
        assert "leftovers" in [difference.kind for difference in mended(comment)]

    def test_stays_while_the_comment_is_there(self, alice, lamp):
        comment = alice.has_written(lamp).comment
        put_belongings(comment.id, votes=3)
        delete_dependents(comment.id)
        assert len(items_in(comment.id)) == 5


class TestTheTombstone:
    def test_keeps_the_id_from_being_used_again(self, alice, lamp):
        comment = alice.has_written(lamp).comment
        delete_comment(comment.id)
        with pytest.raises(CommentGone):
            add_comment(comment)

    def test_expires(self, alice, lamp):
        comment = alice.has_written(lamp).comment
        now = datetime(2026, 1, 1, tzinfo=UTC)
        delete_comment(comment.id, now=now)
        key = comment_key(comment.id)
        expiry = now + timedelta(days=TOMBSTONE_DAYS)
        item = read_item(key)
        assert item == {**key, "h": {"S": lamp}, "z": {"N": f"{expiry:%s}"}}

    def test_gives_way_to_an_import(self, lamp):
        comment = NewComment(f"imported-{lamp}", lamp, "en", 5, START)
        load([comment])
        delete_comment(comment.id)
        load([comment])
        assert load_comment(comment.id).comment == comment
        assert read_counts(lamp, consistent=True).total == 1
