"""A user finds a comment helpful, and takes it back; the most helpful ones are listed first."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import pytest
from django.conf import settings

from comments.items import NewComment
from comments.lists.entries import CommentEntry
from comments.models import TABLE
from comments.posting.services import EditLost, add_comment, delete_comment, edit_comment
from comments.profiles.queries import list_written_by
from comments.rankings.queries import list_most_helpful
from comments.store.comments import NoSuchComment, load_comment
from comments.store.counts import tallies
from comments.store.states import State
from comments.votes.rank import count_votes, store_rank
from comments.votes.services import cast_vote, votes_of, withdraw_vote
from comments.votes.views import PENDING, PENDING_FOR
from dynapages.calls import metered
from dynapages.lists import PageRequest, Toward
from dynapages.process import client
from dynapages.pynamodb import FAILURES
from dynapages_testing.conflicts import conflicts
from shop.accounts.services import create_profile
from tests.support.chance import examples, unique
from tests.support.comments.browsing import Shown, Visitor
from tests.support.comments.deciding import hide
from tests.support.comments.faulty import Fault, troubled
from tests.support.comments.threads import (
    NOW,
    differing,
    helpful,
    made_comment,
    mended,
    moderated,
    spoil,
)
from tests.support.comments.writers import nobody, someone

pytestmark = pytest.mark.usefixtures("few_items")

FROM_HERE = {"Sec-Fetch-Site": "same-origin"}
PASSWORD = "long enough for anybody"  # noqa: S105 - of nobody


def written_by_author(comment: NewComment) -> Sequence[CommentEntry]:
    return list_written_by(comment.user_id, PageRequest(1)).items


def vote_url(comment: NewComment) -> str:
    return f"/comments/vote/{comment.id}/"


class TestVoting:
    def test_on_an_imported_comment_is_for_everybody(self):
        imported = made_comment(user_id="")
        assert cast_vote(comment_id=imported.id, user_id="ann") == 1

    def test_of_those_who_meet_spreads_the_tally(self, comment):
        cast_vote(comment_id=comment.id, user_id="ann2")
        with conflicts(2):
            cast_vote(comment_id=comment.id, user_id="bob")
        assert tallies().ensure(comment.id) == 2
        for name in "cdefgh":
            cast_vote(comment_id=comment.id, user_id=name)
        assert helpful(comment) == [8]
        assert differing(comment) == []

    def test_on_what_is_hidden_is_refused_but_can_be_taken_back(self, comment):
        cast_vote(comment_id=comment.id, user_id="cat")
        hide(comment_id=comment.id, now=NOW)
        with pytest.raises(NoSuchComment):
            cast_vote(comment_id=comment.id, user_id="bob")
        assert withdraw_vote(comment_id=comment.id, user_id="cat") == 0
        assert differing(comment) == []
        delete_comment(comment.id)
        with pytest.raises(NoSuchComment):
            withdraw_vote(comment_id=comment.id, user_id="cat")


def test_ones_votes_are_found_by_product_in_one_query(comment):
    for one in (comment, made_comment()):
        cast_vote(comment_id=one.id, user_id=f"bob-{comment.id}")
    with metered() as meter:
        found = votes_of(f"bob-{comment.id}", comment.product_id)
    assert found == {comment.id}
    assert len(meter.log) == 1


@pytest.mark.real_engine
class TestManyVoters:
    def test_at_once_are_all_counted(self, comment):
        """Every voter votes twice; every other one takes it back."""
        count = 2 * examples(20)
        with troubled(seed=5, conflicts=0.1, throttled=0.02), ThreadPoolExecutor(10) as threads:
            list(threads.map(partial(_vote_twice, comment.id), range(count)))
        cast_vote(comment_id=comment.id, user_id="last")
        assert helpful(comment) == [count // 2 + 1]
        assert differing(comment) == []


def _vote_twice(comment_id: str, number: int) -> None:
    username = f"voter-{number}"
    _until_done(lambda: cast_vote(comment_id=comment_id, user_id=username))
    _until_done(lambda: cast_vote(comment_id=comment_id, user_id=username))
    if number % 2:
        _until_done(lambda: withdraw_vote(comment_id=comment_id, user_id=username))


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
        fault = Fault("before it is sent", kind=f"UpdateItem {TABLE}  COMMENT C")
        with fault.injected():
            assert cast_vote(comment_id=comment.id, user_id="bob") is None
        assert fault.failed
        assert [difference.kind for difference in mended(comment)] == ["rank"]
        assert helpful(comment) == [1]


class TestTallyThatIsWrong:
    def test_is_found_and_recounted(self, comment):
        cast_vote(comment_id=comment.id, user_id="bob")
        client().transact_write_items(TransactItems=[tallies().change(comment.id, {"helpful": 5})])
        assert [(d.kind, d.stored, d.expected) for d in mended(comment)] == [("votes", "6", "1")]
        assert count_votes(comment.id) == 1


@pytest.mark.real_engine
class TestCapacity:
    """docs/moderation.md says what these are made of."""

    @pytest.mark.parametrize(
        ("write", "before", "units"),
        [
            (cast_vote, [], 18.0),
            (cast_vote, ["cat"], 17.0),
            (cast_vote, ["bob"], 4.0),
            (withdraw_vote, ["bob"], 16.0),
        ],
    )
    def test_of_a_vote(self, comment, write, before, units):
        for username in before:
            cast_vote(comment_id=comment.id, user_id=username)
        with metered() as meter:
            write(comment_id=comment.id, user_id="bob")
        assert meter.units == units


class TestAHiddenComment:
    """Its votes are not stored with it: lists do not know them, and do not say none."""

    def test_has_no_number_of_votes_in_the_lists_of_its_author_and_of_staff(self):
        comment = made_comment(user_id=unique("ann"))
        cast_vote(comment_id=comment.id, user_id="cat")
        assert [one.helpful_votes for one in written_by_author(comment)] == [1]
        hide(comment_id=comment.id, now=NOW)
        assert [one.helpful_votes for one in written_by_author(comment)] == [None]
        found = moderated(comment, State.HIDDEN)
        assert found
        assert found.helpful_votes is None


class TestARankedComment:
    @pytest.fixture(autouse=True)
    def votes(self, comment):
        for number in range(7):
            cast_vote(comment_id=comment.id, user_id=f"user-{number}")

    def test_keeps_its_rank_when_it_is_edited_also_while_it_is_voted_on(self, comment):
        read = load_comment(comment.id)
        cast_vote(comment_id=comment.id, user_id="user-7")
        edited = edit_comment(read, now=NOW, rating=2, language="de", title="Worse")
        assert edited.version == read.version + 1 == load_comment(comment.id).version
        (found,) = list_most_helpful(comment.product_id, PageRequest(1)).items
        assert (found.helpful_votes, found.title, found.rating) == (8, "Worse", 2)
        with pytest.raises(EditLost):
            edit_comment(read, now=NOW, title="Mine")

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("k", {"S": "RANK#HELPFUL#x"}),
            ("p", {"S": "0000000007#x"}),
            ("hv", {"N": "3"}),
        ],
    )
    def test_whose_rank_is_spoilt_is_found_and_mended(self, comment, name, value):
        spoil(comment, name, value)
        assert len(mended(comment)) == 1
        assert helpful(comment) == [7]

    def test_that_is_hidden_but_ranks_is_found_and_mended(self, comment):
        hide(comment_id=comment.id, now=NOW)
        spoil(comment, "k", {"S": f"RANK#HELPFUL#{comment.product_id}"})
        spoil(comment, "p", {"S": f"0000000007#{comment.id}"})
        spoil(comment, "hv", {"N": "7"})
        assert helpful(comment) == [7]
        assert [difference.kind for difference in mended(comment)] == ["rank"]
        assert helpful(comment) == []


@pytest.mark.parametrize("size", [1, 4])
def test_the_most_helpful_comments_are_walked_there_and_back(comment, size):
    votes = {f"{comment.id}-{number}": (2, 9, 11, 100)[number % 4] for number in range(13)}
    for comment_id, number in votes.items():
        add_comment(replace(comment, id=comment_id))
        store_rank(comment_id, count=partial(int, number))
    request, there = PageRequest(size), []
    while request:
        found = list_most_helpful(comment.product_id, request)
        there += [c.id for c in found.items]
        last = found.page.entries[-1].position
        request = PageRequest(size, last) if found.page.has_next else None
    assert there == sorted(votes, key=lambda i: (votes[i], i), reverse=True)
    back = [c.id for c in found.items]
    while found.page.has_previous:
        first = found.page.entries[0].position
        found = list_most_helpful(comment.product_id, PageRequest(size, first, Toward.PREVIOUS))
        back = [*(c.id for c in found.items), *back]
    assert back == there


class TestButton:
    def test_is_pressed_by_those_who_found_it_helpful(self, comment, bob):
        product = f"/products/{comment.product_id}/"
        for value, pressed, text in (
            ("yes", "true", "Helpful · 1 , the comment by"),
            ("no", "false", "Helpful , the comment by"),
        ):
            shown = bob.post(vote_url(comment), {"helpful": value})
            button = shown.page.one("button", class_="helpful")
            assert button["aria-pressed"] == pressed
            assert button.text.startswith(text)
            button = bob.get(product).page.one("button", class_="helpful")
            assert button["aria-pressed"] == pressed

    def test_is_a_link_to_sign_in_for_visitors(self, comment):
        page = nobody().get(f"/products/{comment.product_id}/").page
        link = page.one("a", class_="helpful")
        assert link["href"] == vote_url(comment)
        assert page.all(id="votes") == []

    def test_is_refused_to_the_author(self):
        ann = someone("ann")
        comment = made_comment(author=ann.username, user_id=ann.username)
        assert ann.send(vote_url(comment), {"helpful": "yes"}).status_code == 400
        assert count_votes(comment.id) == 0


class TestAVisitorWhoPressesTheButton:
    """Signs in, has voted, and is back at the comment."""

    @pytest.fixture
    def product(self, comment):
        return f"/products/{comment.product_id}/"

    @pytest.fixture
    def visitor(self):
        """Somebody with an account who is not signed in yet."""
        username = unique("vera")
        create_profile(username=username, password=PASSWORD, now=NOW)
        return Visitor(username, nobody().browser)

    def press(self, visitor: Visitor, comment: NewComment, **headers: str) -> str:
        """Follow the button's link; the address to sign in at."""
        response = visitor.browser.get(vote_url(comment), headers=headers)
        assert response.status_code == 302
        return str(response["Location"])

    def sign_in(self, visitor: Visitor, url: str) -> Shown:
        fields = {"username": visitor.username, "password": PASSWORD}
        return visitor.post(url, fields)

    @pytest.mark.parametrize("headers", [FROM_HERE, {}])
    def test_has_voted_and_is_back_where_they_were(self, visitor, comment, product, headers):
        page = f"{product}comments/~/~/?order=oldest"
        url = self.press(visitor, comment, Referer=f"http://testserver{page}", **headers)
        shown = self.sign_in(visitor, url)
        assert shown.response.redirect_chain[-1] == (f"{page}#comment-{comment.id}", 302)
        assert shown.page.one(id=f"comment-{comment.id}")["tabindex"] == "-1"
        assert shown.page.one("button", class_="helpful")["aria-pressed"] == "true"
        assert shown.messages == ["You find this comment helpful."]
        assert count_votes(comment.id) == 1

    def test_without_a_page_to_go_back_to_is_at_the_comment(self, visitor, comment):
        url = self.press(visitor, comment, **FROM_HERE)
        shown = self.sign_in(visitor, url)
        there = f"/comments/{comment.id}/#comment-{comment.id}"
        assert shown.response.redirect_chain[-1] == (there, 302)
        assert count_votes(comment.id) == 1

    def test_creates_an_account_just_as_well(self, comment, product):
        visitor = Visitor(unique("new"), nobody().browser)
        url = self.press(visitor, comment, Referer=f"http://testserver{product}")
        typed = dict.fromkeys(("password1", "password2"), PASSWORD)
        fields = {"username": visitor.username, "email": "", **typed}
        visitor.post(url.replace("login", "sign-up"), fields)
        assert count_votes(comment.id) == 1

    def test_is_told_what_to_sign_in_for(self, visitor, comment):
        url = self.press(visitor, comment, **FROM_HERE)
        assert "say that a comment is helpful" in visitor.get(url).page.one(class_="lede").text

    @pytest.mark.parametrize(
        "headers",
        [
            {"Sec-Fetch-Site": "cross-site", "Referer": "http://testserver/"},
            {"Sec-Fetch-Site": "none"},
            {"Referer": "https://evil.example/"},
            {},
        ],
    )
    def test_from_another_site_has_not_voted(self, visitor, comment, headers):
        url = self.press(visitor, comment, **headers)
        self.sign_in(visitor, url)
        visitor.get(vote_url(comment))
        assert count_votes(comment.id) == 0

    def test_on_another_comment_has_not_voted_on_this_one(self, visitor, comment):
        self.press(visitor, made_comment(), **FROM_HERE)
        self.sign_in(visitor, f"/accounts/login/?next={vote_url(comment)}")
        assert count_votes(comment.id) == 0

    def test_more_than_an_hour_before_they_sign_in_has_not_voted(self, visitor, comment):
        url = self.press(visitor, comment, **FROM_HERE)
        session = visitor.browser.session
        session[PENDING] = [comment.id, session[PENDING][1] - PENDING_FOR.total_seconds() - 1]
        session.save()
        visitor.browser.cookies[settings.SESSION_COOKIE_NAME] = session.session_key
        self.sign_in(visitor, url)
        assert count_votes(comment.id) == 0

    def test_has_voted_once_however_often_the_address_is_asked_for(self, visitor, comment):
        url = self.press(visitor, comment, **FROM_HERE)
        self.sign_in(visitor, url)
        visitor.send(vote_url(comment), {"helpful": "no"})
        assert visitor.get(vote_url(comment)).status == 302
        assert count_votes(comment.id) == 0

    def test_on_a_comment_of_their_own_is_told(self, visitor):
        own = made_comment(author=visitor.username, user_id=visitor.username)
        url = self.press(visitor, own, **FROM_HERE)
        assert self.sign_in(visitor, url).messages == ["You cannot vote on your own comment."]


class TestARankThatIsNotWhatTheVotesSay:
    """As where a process ended between a vote and its rank."""

    def test_is_put_right_by_the_next_vote(self, comment):
        cast_vote(comment_id=comment.id, user_id="bob")
        store_rank(comment.id, count=partial(int, 7))
        assert cast_vote(comment_id=comment.id, user_id="cat") == 2
        assert helpful(comment) == [2]
        assert differing(comment) == []

    def test_is_put_right_when_a_vote_is_taken_back(self, comment):
        for username in ("bob", "cat"):
            cast_vote(comment_id=comment.id, user_id=username)
        store_rank(comment.id, count=partial(int, 7))
        assert withdraw_vote(comment_id=comment.id, user_id="bob") == 1
        assert helpful(comment) == [1]


@pytest.mark.real_engine
class TestRounds:
    def test_of_a_vote_are_the_comment_the_transaction_and_the_rank(self, comment):
        for username in ("bob", "cat"):
            with metered() as meter:
                cast_vote(comment_id=comment.id, user_id=username)
            assert (meter.calls, meter.rounds) == (4, 3)
