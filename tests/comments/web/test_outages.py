"""The database away in mid-session: a sentence and "come back", never an error of our own."""

import socket

import pytest
from django.test import Client

from tests.support.comments.browsing import HTMX, shown, visit
from tests.support.comments.faulty import troubled
from tests.support.comments.loading import load
from tests.support.comments.outage import connected, own_engine, wait_for_answers
from tests.support.comments.spying import spied
from tests.support.comments.truth import numbered_comments, written
from tests.support.comments.writers import someone

LIST = "/products/lamp/comments/~/~/"
PAGES = ("/", "/products/lamp/", LIST, "/products/lamp/comments/de.en/1.2/", "/comments/lamp-long/")


@pytest.fixture(scope="module")
def away(tmp_path_factory):
    """An engine with a product of 30 comments, and one long one."""
    with own_engine(tmp_path_factory.mktemp("engine")) as engine:
        load(numbered_comments("lamp", count=30, languages=("de", "en")))
        load([written("lamp", id="lamp-long", body="long " * 500)])
        yield engine
        engine.stop()


@pytest.fixture
def visitor(away):
    """A visitor who has seen the list before the engine was stopped."""
    if away.pid is None:
        away.start()
        wait_for_answers()
    visitor = Client()
    assert visitor.get(LIST).status_code == 200
    away.stop()
    return visitor


class TestStoppedEngine:
    def test_is_told_in_a_sentence_on_every_page(self, visitor):
        for url in PAGES:
            answer = shown(visitor.get(url))
            assert answer.status == 503, url
            assert int(answer.response["Retry-After"]) > 0
            assert "cannot be reached" in answer.page.one(class_="lede").text
            assert [a["href"] for a in answer.page.all("a") if a.text == "Try again"] == [url]

    def test_leaves_the_list_on_screen_to_htmx(self, visitor):
        answer = shown(visitor.get(LIST, headers=HTMX))
        assert answer.status == 503
        assert answer.response["HX-Retarget"] == "#notice"
        assert answer.response["HX-Reswap"] == "innerHTML"
        assert answer.response["HX-Push-Url"] == "false"
        assert answer.response["Retry-After"]
        assert "cannot be reached" in answer.page.text
        assert answer.page.all(data_comment_id=True) == []

    def test_still_refuses_what_is_wrong_in_itself(self, visitor):
        assert visitor.get("/products/lamp/comments/xx/~/").status_code == 400
        assert visitor.get(LIST + "?after=nonsense").status_code == 400

    @pytest.mark.parametrize("url", ["/products/lamp/comments/xx/~/", "/nope/"])
    def test_is_asked_once_who_is_signed_in(self, visitor, away, url):
        """Each further question would have the visitor wait as long again."""
        away.start()
        wait_for_answers()
        browser = someone("alice").browser
        away.stop()
        with spied() as asked:
            assert browser.get(url).status_code == 503
        assert [request.operation for request in asked] == ["GetItem"]

    def test_is_no_reason_to_call_the_process_dead(self, visitor):
        assert visitor.get("/healthz").status_code == 200
        assert visitor.get("/readyz").status_code == 503

    def test_is_forgotten_when_it_is_back(self, visitor, away):
        assert visitor.get(LIST).status_code == 503
        away.start()
        wait_for_answers()
        for url in PAGES:
            assert visitor.get(url).status_code == 200, url
        assert len(shown(visitor.get(LIST)).comment_ids) == 20
        assert visitor.get("/readyz").status_code == 200


class TestSilentEngine:
    def test_is_given_up_on(self):
        """A server that takes connections and says nothing."""
        with socket.create_server(("127.0.0.1", 0)) as deaf:
            url = f"http://127.0.0.1:{deaf.getsockname()[1]}"
            with connected(url, read_seconds=0.2, attempts=1):
                response = Client().get(LIST)
        assert response.status_code == 503
        assert response["Retry-After"]


@pytest.mark.usefixtures("tables")
class TestThrottledTable:
    def test_is_told_apart_from_one_that_is_away(self):
        with troubled(seed=1, conflicts=0, throttled=1):
            answer = visit(LIST)
        assert answer.status == 503
        assert int(answer.response["Retry-After"]) > 0
        assert "too busy" in answer.page.one(class_="lede").text
