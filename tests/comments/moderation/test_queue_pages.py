"""What a page of the queue shows: tabs with counts, filters, one first decision, what is empty."""

from dataclasses import replace

import pytest

from comments.items import NewComment
from comments.moderation import queries
from comments.moderation.filters import QueueFilter
from comments.moderation.queries import count_in, list_moderated
from comments.posting.services import add_comment, delete_comment
from comments.reports.services import Reason, report_comment
from comments.store.comments import load_comment
from comments.store.states import State
from dynapages.calls import metered
from dynapages.lists import PageRequest
from tests.support.chance import unique
from tests.support.comments.deciding import hide
from tests.support.comments.threads import NOW, made_comment
from tests.support.comments.writers import someone
from tests.support.markup import Element

pytestmark = pytest.mark.usefixtures("few_items")
PAGES = {
    State.REPORTED: "/staff/comments/",
    State.HELD: "/staff/comments/held/",
    State.HIDDEN: "/staff/comments/hidden/",
}
FIRST = {State.REPORTED: "Keep", State.HELD: "Publish", State.HIDDEN: "Restore"}
each_state = pytest.mark.parametrize("state", PAGES)


@pytest.fixture(autouse=True)
def empty_queue():
    """The queue is of the whole shop: what other tests left in it is out of the way."""
    for state in PAGES:
        while found := list_moderated(state, PageRequest(100)).items:
            for each in found:
                delete_comment(each.id)


@pytest.fixture
def sam():
    return someone("sam", is_staff=True)


def made(state: State, **told: object) -> NewComment:
    """A comment that is in a state."""
    comment = made_comment(**told)
    if state is State.HELD:
        comment = replace(comment, id=unique("held"))
        add_comment(comment, held_for="every comment")
    elif state is State.HIDDEN:
        hide(comment_id=comment.id, now=NOW)
    else:
        report_comment(comment_id=comment.id, user_id="bob", reason=Reason.SPAM, text="", now=NOW)
    return comment


def tabs(page: Element) -> dict[str, str]:
    """The counts of the tabs, by their labels."""
    counts = {}
    for tab in page.one("nav", class_="tabs").all("a"):
        label, count = tab.text.rsplit(maxsplit=1)
        counts[label] = count
    return counts


class TestTabs:
    @each_state
    def test_count_each_queue(self, sam, state):
        for each, number in ((State.REPORTED, 1), (State.HELD, 2), (State.HIDDEN, 3)):
            for _ in range(number):
                made(each)
        shown = sam.get(PAGES[state])
        assert tabs(shown.page) == {"Reported": "1", "Waiting": "2", "Hidden": "3"}

    def test_count_as_far_as_they_read(self, monkeypatch):
        monkeypatch.setattr(queries, "MOST_COUNTED", 2)
        for expected in ("1", "2", "2+"):
            made(State.HIDDEN)
            assert count_in(State.HIDDEN) == expected

    @pytest.mark.real_engine
    def test_take_a_query_for_each_other_queue(self, sam):
        sam.get(PAGES[State.HELD])
        with metered() as meter:
            sam.get(PAGES[State.HELD])
        assert len(meter.labelled("counts")) == 2


class TestARow:
    @each_state
    def test_has_one_first_decision_and_the_deletion_apart(self, sam, state):
        comment = made(state)
        row = sam.get(PAGES[state]).page.one(data_comment_id=comment.id)
        (first,) = row.all("button", class_="button-primary")
        assert first.text.startswith(FIRST[state])
        assert first["title"] == "Enter, while the comment is marked"
        others = [each for each in row.all("button") if "button-primary" not in each["class"]]
        assert all("button-quiet" in each["class"] for each in others)
        delete = row.one(class_="button-danger")
        assert delete["href"].startswith(f"/comments/delete/{comment.id}/?next=")

    def test_is_deleted_after_a_page_has_asked_which_leads_back(self, sam):
        comment = made(State.REPORTED)
        row = sam.get(PAGES[State.REPORTED]).page.one(data_comment_id=comment.id)
        asked = sam.get(row.one(class_="button-danger")["href"])
        no = next(a for a in asked.page.all("a") if a.text == "Do not delete it")
        assert no["href"].startswith(PAGES[State.REPORTED])
        form = asked.page.one("form", class_="form")
        shown = sam.post(form["action"], {})
        assert shown.response.redirect_chain[0][0].startswith(PAGES[State.REPORTED])
        assert comment.id not in shown.comment_ids


class TestAFilter:
    @each_state
    @pytest.mark.parametrize("kind", ["product", "language", "rating"])
    def test_shows_what_is_like_that_alone(self, sam, state, kind):
        wanted = made(state, language="de", rating=2)
        made(state)
        chosen = {
            "product": wanted.product_id,
            "language": wanted.language,
            "rating": str(wanted.rating),
        }
        shown = sam.get(f"{PAGES[state]}?{kind}={chosen[kind]}")
        assert shown.comment_ids == [wanted.id]

    def test_of_a_product_is_a_link_in_its_row(self, sam):
        comment = made(State.REPORTED)
        made(State.REPORTED)
        row = sam.get(PAGES[State.REPORTED]).page.one(data_comment_id=comment.id)
        link = next(a for a in row.all("a") if a.text == "Only this product")
        assert sam.get(f"{PAGES[State.REPORTED]}{link['href']}").comment_ids == [comment.id]

    def test_that_finds_nothing_says_so_and_leads_to_all(self, sam):
        made(State.REPORTED, rating=5)
        empty = sam.get(f"{PAGES[State.REPORTED]}?rating=1").page.one(class_="empty")
        assert "No comment here is about this product" in empty.text
        assert empty.one("a")["href"] == PAGES[State.REPORTED]

    @pytest.mark.parametrize("query", ["language=xx", "rating=9", "rating=1.2", "rating=x"])
    def test_of_nothing_that_there_is_is_refused(self, sam, query):
        assert sam.get(f"{PAGES[State.REPORTED]}?{query}").status == 400

    @pytest.mark.real_engine
    def test_reads_no_more_than_a_few_units_and_goes_on(self, monkeypatch):
        monkeypatch.setattr(queries, "MOST_UNITS", 0.5)
        long = "Words. " * 500
        for _ in range(4):
            made(State.HIDDEN, body=long, rating=5)
        wanted = made(State.HIDDEN, rating=1)
        chosen, found = QueueFilter(rating=1), []
        request: PageRequest | None = PageRequest(20)
        pages = 0
        while request:
            result = list_moderated(State.HIDDEN, request, chosen)
            found += [comment.id for comment in result.items]
            pages += 1
            position = result.page.next_position
            request = PageRequest(20, position) if position else None
        assert found == [wanted.id]
        assert pages > 1


class TestAnEmptyQueue:
    @each_state
    def test_says_what_comes_here_and_leads_on(self, sam, state):
        empty = sam.get(PAGES[state]).page.one(class_="empty")
        assert empty.one(class_="empty-title").text.startswith("Nothing ")
        assert empty.one("a")["href"] == "/rankings/recently-commented/"


class TestReportsInBulk:
    @pytest.mark.parametrize(
        ("decision", "state", "sentence"),
        [
            ("keep", State.LISTED, "2 comments were kept."),
            ("hide", State.HIDDEN, "2 comments were hidden. Hidden comments"),
        ],
    )
    def test_are_kept_or_hidden_and_all_come_back(self, sam, decision, state, sentence):
        comments = [made(State.REPORTED) for _ in range(2)]
        page = sam.get(PAGES[State.REPORTED]).page
        boxes = [box["value"] for box in page.all("input", name="comment")]
        bulk = page.one("form", id="bulk")
        shown = sam.post(bulk["action"], {"decision": decision, "comment": boxes})
        assert shown.messages == [sentence]
        assert {load_comment(one.id).state for one in comments} == {state}
        undo = shown.page.one("li", class_="message").one("form")
        sam.send(undo["action"], {"undo": undo.one("input", name="undo")["value"]})
        assert {load_comment(one.id).state for one in comments} == {State.REPORTED}
