"""A line of the log for each request: what it says, and what it never says."""

import json
import logging
from collections.abc import Callable, Iterator

import pytest
from django.conf import settings
from django.test import Client, RequestFactory

from config.wsgi import application
from dynamo.telemetry.log_format import FACTS, JsonFormatter
from dynamo.web import shedding
from shop.accounts.queries import find_user
from tests.support.comments.loading import load
from tests.support.comments.truth import numbered_comments
from tests.support.comments.writers import Writer, made_product, someone
from tests.support.config.addresses import Belongings, address, belongings, browser_of, routes
from tests.support.config.environments import settings_of

pytestmark = pytest.mark.usefixtures("tables")
Lines = Callable[[], list[dict[str, object]]]


@pytest.fixture(autouse=True)
def log(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO, "requests")
    return caplog


@pytest.fixture
def lines(log: pytest.LogCaptureFixture) -> Lines:
    return lambda: [getattr(record, FACTS) for record in told(log)]


def told(log: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    return [record for record in log.records if record.name == "requests"]


class TestARequest:
    def test_is_one_line_with_what_its_list_cost(self, client: Client, lines: Lines) -> None:
        product = made_product()
        load(numbered_comments(product, count=30, languages=("de", "en")))
        page = client.get(f"/products/{product}/comments/de.en/1.2.5/")
        total = page.context["explanation"].total
        (line,) = lines()
        assert line.pop("ms")
        assert line == {
            "view": "comments",
            "method": "GET",
            "status": 200,
            "list": "comments",
            "filter": {"languages": 2, "ratings": 3},
            "plan": page.context["explanation"].plan,
            "calls": total.calls,
            "rounds": total.rounds,
            "units": total.capacity_units,
            "list_units": page.context["explanation"].capacity_units,
            "shed": False,
        }

    def test_is_told_to_people_in_one_line(
        self, client: Client, log: pytest.LogCaptureFixture
    ) -> None:
        client.get("/rankings/most-loved/?format=json")
        (record,) = told(log)
        said = record.getMessage()
        assert said.startswith("GET most_loved 200 list=ranking filter=format:1 plan=")
        assert " rounds=1 units=" in said

    def test_of_a_later_page_says_that_it_is_one(self, client: Client, lines: Lines) -> None:
        product = made_product()
        load(numbered_comments(product, count=50))
        first = client.get(f"/products/{product}/comments/~/~/")
        client.get(first.context["links"].older_url)
        assert [line["filter"] for line in lines()] == [
            {"languages": 0, "ratings": 0},
            {"languages": 0, "ratings": 0, "after": 1},
        ]

    @pytest.mark.parametrize(
        ("path", "view", "status"),
        [
            ("/no/such/page/", "", 404),
            ("/staff/orders/", "staff_orders", 302),
            ("/products/x/comments/~/9/", "comments", 400),
            ("/?" + "a=1&" * 2_000, "home", 400),
        ],
    )
    def test_that_is_refused_is_told_too(
        self, client: Client, lines: Lines, path: str, view: str, status: int
    ) -> None:
        assert client.get(path).status_code == status
        (line,) = lines()
        assert (line["view"], line["status"]) == (view, status)

    @pytest.mark.parametrize("path", ["/healthz", "/readyz", "/static/css/base.css"])
    def test_for_health_or_a_static_file_is_not_told(
        self, client: Client, lines: Lines, path: str
    ) -> None:
        client.get(path).close()
        assert lines() == []

    def test_whose_answer_is_sent_in_parts_is_told_with_all_its_calls(self, lines: Lines) -> None:
        staff = someone("sheets", is_staff=True)
        answer = staff.browser.get("/staff/orders.csv")
        assert lines() == []
        assert b"".join(answer.streaming_content)
        (line,) = lines()
        assert line["view"] == "staff_orders_csv"
        assert line["calls"]

    def test_that_was_cut_off_while_it_was_sent_is_told(self, lines: Lines) -> None:
        staff = someone("sheets", is_staff=True)
        answer = staff.browser.get("/staff/orders.csv")
        next(iter(answer.streaming_content))
        answer.close()
        assert [line["view"] for line in lines()] == ["staff_orders_csv"]

    def test_that_is_one_too_many_is_told(
        self, lines: Lines, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(shedding.Slots, "take", lambda _slots: False)
        list(application(RequestFactory().get("/").environ, lambda *_: None))
        (line,) = lines()
        assert (line["status"], line["shed"]) == (503, True)


class TestTheLog:
    """Every address is asked by somebody whose names and words would be known again."""

    KNOWN_AGAIN = "wanda.geheim@example.com"

    @pytest.fixture
    def known(self) -> Belongings:
        return belongings(someone("wanda-geheim"))

    def addresses(self, known: Belongings) -> Iterator[str]:
        for route in routes():
            yield address(route, known.arguments)

    def test_tells_nothing_of_a_person(
        self, known: Belongings, log: pytest.LogCaptureFixture
    ) -> None:
        people: dict[str, Writer] = {"owner": known.owner, "staff": someone("s", is_staff=True)}
        for role, somebody in people.items():
            browser = browser_of(role, people, raise_request_exception=False)
            for path in self.addresses(known):
                names = ("q", "near", "after", "before", "month", "next", "kind", "status", "from")
                for query in ({}, dict.fromkeys(names, self.KNOWN_AGAIN), {self.KNOWN_AGAIN: "1"}):
                    browser.get(
                        path, query, headers={"Referer": f"http://testserver/{self.KNOWN_AGAIN}"}
                    )
                browser.post(path, {"email": self.KNOWN_AGAIN, "body": self.KNOWN_AGAIN})
                if browser.session.is_empty():  # it was signed out
                    browser.force_login(find_user(somebody.username))
        spoken = "\n".join(JsonFormatter().format(record) for record in told(log))
        assert len(told(log)) > 300
        for secret in (
            self.KNOWN_AGAIN,
            "wanda",
            known.product_id,
            known.order_id,
            known.comment_id,
        ):
            assert secret not in spoken


class TestAsJson:
    def test_a_request_has_its_fields(self, client: Client, log: pytest.LogCaptureFixture) -> None:
        client.get("/rankings/most-loved/")
        told_of = json.loads(JsonFormatter().format(told(log)[0]))
        assert told_of["view"] == "most_loved"
        assert told_of["level"] == "INFO"
        assert told_of["time"].endswith("Z")
        assert "message" not in told_of

    def test_a_bug_has_its_traceback(self) -> None:
        bug = ZeroDivisionError("by zero")
        of_bug = (type(bug), bug, None)
        record = logging.LogRecord("x", logging.ERROR, "f", 1, "Wrong: %s", ("that",), of_bug)
        told_of = json.loads(JsonFormatter().format(record))
        assert told_of["message"] == "Wrong: that"
        assert "ZeroDivisionError: by zero" in told_of["traceback"]


class TestTheSettings:
    def test_choose_the_form_of_lines(self, tmp_path) -> None:
        for form in ("line", "json"):
            chosen = settings_of(tmp_path, KNOWN_AGAIN_KEY="k" * 50, LOG_FORMAT=form)
            assert chosen["LOGGING"]["handlers"]["stderr"]["formatter"] == form

    @pytest.mark.parametrize(
        ("given", "level"),
        [({}, "INFO"), ({"REQUEST_LOG": "0"}, "WARNING")],
    )
    def test_choose_whether_requests_are_told(self, tmp_path, given, level) -> None:
        chosen = settings_of(tmp_path, KNOWN_AGAIN_KEY="k" * 50, **given)
        assert chosen["LOGGING"]["loggers"]["requests"]["level"] == level

    def test_have_the_telemetry_before_all_other_middleware(self) -> None:
        assert settings.MIDDLEWARE[0] == "dynamo.telemetry.middleware.TelemetryMiddleware"
