"""The staff's page of work that was given up."""

import pytest
from django.core import mail

from dynapages.calls import clock, metered
from dynapages.process import write_actions
from shop.accounts.emails import owed_email
from shop.work import QUEUE
from tests.support.comments.faulty import unreachable
from tests.support.comments.writers import someone
from tests.support.work import finish_what_waits

pytestmark = pytest.mark.usefixtures("tables")
FAILURE = "The mail server did not take it (SMTPDataError 550)."


@pytest.fixture(scope="module")
def sam(tables):
    return someone("sam", is_staff=True)


@pytest.fixture
def bob(tables):
    """Whom an e-mail is owed to."""
    return someone("bob")


@pytest.fixture
def dead(bob):
    """An e-mail to Bob that was given up."""
    owed = owed_email("reset", bob.username, "https://shop.example.com")
    given_up = owed.after_failure(clock.now(), FAILURE, counts=True).given_up()
    write_actions([given_up.action])
    yield given_up
    QUEUE.discard(given_up)


def row_of(staff, dead):
    return staff.get("/staff/work/").page.one("tr", data_given_up=dead.sort_key)


def press(staff, dead, decision: str) -> str:
    fields = {"queue": "shop", "id": dead.sort_key, "decision": decision}
    return staff.browser.post("/staff/work/decide/", fields, follow=True).content.decode()


class TestThePage:
    def test_shows_kind_attempts_and_the_last_failure(self, sam, dead):
        cells = [cell.text for cell in row_of(sam, dead).all("th") + row_of(sam, dead).all("td")]
        assert cells[0] == "email"
        assert cells[3:5] == ["1", FAILURE]

    def test_says_since_when(self, sam, dead):
        since, given_up = row_of(sam, dead).all("time")
        assert since["datetime"] <= given_up["datetime"]

    def test_names_nobody(self, sam, dead, bob):
        assert bob.username not in str(row_of(sam, dead))

    def test_says_that_there_is_nothing(self, sam):
        assert "Nothing was given up." in sam.get("/staff/work/").page.one("main").text

    def test_costs_two_units_and_the_user(self, sam):
        with metered() as cost:
            sam.get("/staff/work/")
        assert cost.units_of("list") <= 4.0

    def test_is_linked_from_the_account_of_staff_alone(self, sam, bob):
        assert sam.get("/account/").page.all("a", href="/staff/work/")
        assert not bob.get("/account/").page.all("a", href="/staff/work/")

    def test_is_in_german_too(self, sam, dead):
        page = sam.browser.get("/staff/work/", headers={"Accept-Language": "de"}).content.decode()
        assert "Gescheiterte Arbeit" in page
        assert "Verwerfen" in page

    def test_says_that_the_database_is_away(self, sam):
        with unreachable():
            assert sam.browser.get("/staff/work/").status_code == 503


class TestTryingAgain:
    def test_is_done_at_once(self, sam, dead, bob):
        assert "It is being tried again." in press(sam, dead, "retry")
        finish_what_waits()
        assert list(QUEUE.dead()) == []
        assert bob.username not in {one.payload["whom"] for one in QUEUE.waiting()}
        assert mail.outbox == [], "Bob has no address"

    def test_is_said_to_be_late_where_somebody_else_was_faster(self, sam, dead):
        press(sam, dead, "retry")
        assert "Somebody else has decided" in press(sam, dead, "retry")


class TestDiscarding:
    def test_does_away_with_it(self, sam, dead, bob):
        assert "Discarded" in press(sam, dead, "discard")
        assert list(QUEUE.dead()) == []
        assert bob.username not in {one.payload["whom"] for one in QUEUE.waiting()}

    def test_is_not_for_customers(self, dead, bob):
        fields = {"queue": "shop", "id": dead.sort_key, "decision": "discard"}
        assert bob.browser.post("/staff/work/decide/", fields).status_code == 404
        assert QUEUE.find_dead(dead.sort_key)


@pytest.mark.parametrize(
    "wrong",
    [{"queue": "other"}, {"id": "made up"}, {"id": "x" * 3_000}, {"decision": "do"}],
    ids=["queue", "id", "long id", "decision"],
)
def test_what_no_form_sends_is_refused(sam, dead, wrong):
    fields = {"queue": "shop", "id": dead.sort_key, "decision": "discard"} | wrong
    assert sam.browser.post("/staff/work/decide/", fields).status_code == 400
    assert QUEUE.find_dead(dead.sort_key)
