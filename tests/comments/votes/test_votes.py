"""A user finds a comment helpful: once, and not their own; and takes it back."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from comments.items import NewComment
from comments.moderation.services import hide
from comments.posting.services import delete_comment
from comments.store.comments import NoSuchComment, OwnComment
from comments.store.counts import tallies
from comments.votes.services import has_voted, helpful_votes, take_back, vote, votes_of
from dynamo.calls.client import client
from dynamo.calls.faults import FAILURES
from dynamo.calls.meter import metered
from tests.support.chance import examples
from tests.support.comments.conflicts import conflicts
from tests.support.comments.faulty import Fault, troubled
from tests.support.comments.threads import NOW, differing, helpful, made_comment, mended
from tests.support.comments.writers import nobody, someone

pytestmark = pytest.mark.usefixtures("few_items")


def vote_url(comment: NewComment) -> str:
    return f"/comments/vote/{comment.id}/"


class TestVoting:
    def test_counts_and_ranks(self, comment):
        assert vote(comment_id=comment.id, username="bob") == 1
        assert vote(comment_id=comment.id, username="cat") == 2
        assert helpful(comment) == [2]
        assert differing(comment) == []

    def test_is_taken_back_once(self, comment):
        vote(comment_id=comment.id, username="bob")
        for _ in range(2):
            assert take_back(comment_id=comment.id, username="bob") == 0
        assert helpful(comment) == []
        assert differing(comment) == []

    def test_on_ones_own_comment_is_refused(self, comment):
        with pytest.raises(OwnComment):
            vote(comment_id=comment.id, username="ann")
        assert helpful_votes(comment.id) == 0

    def test_on_an_imported_comment_is_for_everybody(self):
        imported = made_comment(username="")
        assert vote(comment_id=imported.id, username="ann") == 1

    def test_of_those_who_meet_spreads_the_tally(self, comment):
        vote(comment_id=comment.id, username="ann2")
        with conflicts(2):
            vote(comment_id=comment.id, username="bob")
        assert tallies().ensure(comment.id) == 2
        for name in "cdefgh":
            vote(comment_id=comment.id, username=name)
        assert helpful(comment) == [8]
        assert differing(comment) == []


class TestVoteOnACommentThatIs:
    def test_deleted_is_refused(self, comment):
        vote(comment_id=comment.id, username="cat")
        delete_comment(comment.id)
        with pytest.raises(NoSuchComment):
            vote(comment_id=comment.id, username="bob")
        with pytest.raises(NoSuchComment):
            take_back(comment_id=comment.id, username="cat")
        assert differing(comment) == []

    def test_hidden_is_refused_but_can_be_taken_back(self, comment):
        vote(comment_id=comment.id, username="cat")
        hide(comment_id=comment.id, now=NOW)
        with pytest.raises(NoSuchComment):
            vote(comment_id=comment.id, username="bob")
        assert take_back(comment_id=comment.id, username="cat") == 0
        assert differing(comment) == []


class TestOnesVotes:
    def test_are_found_by_product_in_one_query(self, comment):
        other = made_comment()
        for one in (comment, other):
            vote(comment_id=one.id, username=f"bob-{comment.id}")
        with metered() as meter:
            found = votes_of(f"bob-{comment.id}", comment.product_id)
        assert found == {comment.id}
        assert len(meter.calls) == 1

    def test_are_told_one_by_one(self, comment):
        vote(comment_id=comment.id, username="bob")
        assert has_voted(comment_id=comment.id, username="bob")
        assert not has_voted(comment_id=comment.id, username="cat")


@pytest.mark.real_engine
class TestManyVoters:
    def test_at_once_are_all_counted(self, comment):
        """Every voter votes twice; every other one takes it back."""
        count = 2 * examples(20)
        with troubled(seed=5, conflicts=0.1, throttled=0.02), ThreadPoolExecutor(10) as threads:
            list(threads.map(partial(_vote_twice, comment.id), range(count)))
        vote(comment_id=comment.id, username="last")
        assert helpful(comment) == [count // 2 + 1]
        assert differing(comment) == []


def _vote_twice(comment_id: str, number: int) -> None:
    username = f"voter-{number}"
    _until_done(lambda: vote(comment_id=comment_id, username=username))
    _until_done(lambda: vote(comment_id=comment_id, username=username))
    if number % 2:
        _until_done(lambda: take_back(comment_id=comment_id, username=username))


def _until_done(write: Callable[[], object]) -> None:
    for _ in range(20):
        try:
            write()
        except FAILURES:
            continue
        return
    raise AssertionError("never done")


@pytest.mark.real_engine
class TestFailures:
    def test_of_the_rank_alone_do_not_fail_the_vote(self, comment):
        fault = Fault("before it is sent", number=3)
        with fault.injected():
            assert vote(comment_id=comment.id, username="bob") is None
        assert fault.failed
        assert fault.calls[-1].startswith("GetItem")
        assert [difference.kind for difference in mended(comment)] == ["rank"]
        assert helpful(comment) == [1]


class TestTallyThatIsWrong:
    def test_is_found_and_recounted(self, comment):
        vote(comment_id=comment.id, username="bob")
        client().transact_write_items(TransactItems=[tallies().change(comment.id, {"helpful": 5})])
        assert [(d.kind, d.stored, d.expected) for d in mended(comment)] == [("votes", "6", "1")]
        assert helpful_votes(comment.id) == 1


@pytest.mark.real_engine
class TestCapacity:
    """docs/moderation.md says what these are made of."""

    @pytest.mark.parametrize(
        ("write", "before", "units"),
        [(vote, [], 12.0), (vote, ["cat"], 11.0), (vote, ["bob"], 4.0), (take_back, ["bob"], 9.0)],
    )
    def test_of_a_vote(self, comment, write, before, units):
        for username in before:
            vote(comment_id=comment.id, username=username)
        with metered() as meter:
            write(comment_id=comment.id, username="bob")
        assert meter.capacity_units() == units


class TestButton:
    def test_is_pressed_by_those_who_found_it_helpful(self, comment, bob):
        shown = bob.post(vote_url(comment), {"helpful": "yes"})
        button = shown.page.one("button", class_="helpful")
        assert button["aria-pressed"] == "true"
        assert button.text.startswith("Helpful · 1 , the comment by")
        again = bob.post(vote_url(comment), {"helpful": "no"})
        button = again.page.one("button", class_="helpful")
        assert button["aria-pressed"] == "false"
        assert button.text.startswith("Helpful , the comment by")

    def test_is_pressed_in_lists_too(self, comment, bob):
        vote(comment_id=comment.id, username=bob.username)
        product = f"/products/{comment.product_id}/"
        for url in (product, f"{product}most-helpful/"):
            button = bob.get(url).page.one("button", class_="helpful")
            assert button["aria-pressed"] == "true"

    def test_is_swapped_by_htmx_and_says_what_was_done(self, comment, bob):
        response = bob.send(vote_url(comment), {"helpful": "yes"}, htmx=True)
        content = response.content.decode()
        assert "Helpful · " in content
        assert "You find this comment helpful." in content
        assert "<html" not in content

    def test_leads_back_to_the_page_it_stands_on(self, comment, bob):
        url = f"/products/{comment.product_id}/"
        page = bob.get(url).page
        action = page.one("button", class_="helpful")["formaction"]
        here = page.one("form", id="votes").one("input", name="next")["value"]
        response = bob.send(action, {"helpful": "yes", "next": here})
        assert (response.status_code, response["Location"]) == (302, url)

    def test_is_a_link_to_sign_in_for_visitors(self, comment):
        page = nobody().get(f"/products/{comment.product_id}/").page
        link = page.one("a", class_="helpful")
        assert link["href"] == f"/accounts/login/?next=%2Fcomments%2F{comment.id}%2F%23thread"
        assert page.all(id="votes") == []

    def test_is_not_there_for_the_author(self):
        ann = someone("ann")
        comment = made_comment(author=ann.username, username=ann.username)
        page = ann.get(f"/comments/{comment.id}/").page
        assert page.all("button", class_="helpful") == []
        assert ann.send(vote_url(comment), {"helpful": "yes"}).status_code == 400

    def test_of_a_comment_that_is_gone_is_404(self, comment, bob):
        delete_comment(comment.id)
        assert bob.send(vote_url(comment), {"helpful": "yes"}).status_code == 404
