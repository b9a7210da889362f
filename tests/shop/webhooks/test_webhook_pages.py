"""The staff's page of webhooks, and the commands that make, list and delete them."""

import logging
import re
from base64 import b64decode
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from shop.accounts.queries import find_user
from shop.webhooks.events import MEANINGS, ORDER_MOVED, ORDER_PLACED
from shop.webhooks.known import known_webhooks, list_webhooks
from shop.webhooks.services import MOST_WEBHOOKS, delete_webhook, find_webhook
from tests.support.comments.faulty import unreachable
from tests.support.security_log import events
from tests.support.webhooks import deliver_all, hearing_of, remember_no_webhooks, told

pytestmark = pytest.mark.usefixtures("tables")
PATH = "/staff/webhooks/"
URL = "https://example.com/events"
SECRET = re.compile(r"whsec_[A-Za-z0-9+/]{43}=")
FIELDS = {"url": URL, "events": [ORDER_PLACED, ORDER_MOVED]}


@pytest.fixture(autouse=True)
def no_webhooks():
    yield
    for webhook in list_webhooks():
        delete_webhook(webhook.id)
    remember_no_webhooks()


@pytest.fixture
def webhook():
    with hearing_of(URL, ORDER_PLACED) as made:
        yield made.webhook


def run(*arguments: str, **options: Any) -> tuple[str, str]:
    """What a command prints, and what it says besides."""
    out, err = StringIO(), StringIO()
    call_command(*arguments, stdout=out, stderr=err, **options)
    return out.getvalue(), err.getvalue()


def post(staff: Any, path: str = PATH, fields: Any = None, **options: Any) -> Any:
    return staff.browser.post(path, fields or {}, **options)


class TestThePage:
    def test_shows_address_events_and_day(self, sam, webhook):
        row = sam.get(PATH).page.one("tr", data_webhook=webhook.id)
        assert row.one("th").text == URL
        assert [code.text for code in row.all("code")] == [ORDER_PLACED]
        assert row.one("time")["datetime"] == f"{webhook.created_at:%Y-%m-%dT%H:%M:%S}Z"

    def test_says_that_there_are_none(self, sam):
        assert "There are no webhooks yet." in sam.get(PATH).page.one("main").text

    def test_offers_each_event_with_its_meaning(self, sam):
        choices = sam.get(PATH).page.one("fieldset").all("label")
        assert len(choices) == len(MEANINGS) == 8
        assert f"{ORDER_PLACED} An order was placed." in {choice.text for choice in choices}

    def test_is_linked_from_the_account_of_staff_alone(self, sam, alice):
        assert sam.get("/account/").page.all("a", href=PATH)
        assert not alice.get("/account/").page.all("a", href=PATH)

    def test_is_in_german_too(self, sam):
        page = sam.browser.get(PATH, headers={"Accept-Language": "de"}).content.decode()
        assert "Es gibt noch keine Webhooks." in page

    def test_says_that_the_database_is_away(self, sam):
        with unreachable():
            assert sam.browser.get(PATH).status_code == 503


class TestTheForm:
    def test_creates_a_webhook_and_shows_its_secret_once(self, sam):
        answer = post(sam, fields=FIELDS)
        assert answer.status_code == 200
        assert "no-store" in answer["Cache-Control"]
        (webhook,) = list_webhooks()
        assert (webhook.url, webhook.events) == (URL, (ORDER_MOVED, ORDER_PLACED))
        (secret,) = SECRET.findall(answer.content.decode())
        assert find_webhook(webhook.id).secret == secret
        assert len(b64decode(secret.removeprefix("whsec_"))) == 32
        again = sam.browser.get(PATH).content.decode()
        assert webhook.id in again
        assert not SECRET.search(again)

    def test_has_this_process_know_it_at_once(self, sam):
        assert known_webhooks() == ()
        post(sam, fields=FIELDS)
        assert len(known_webhooks()) == 1

    @pytest.mark.parametrize(
        ("fields", "sentence"),
        [
            ({"url": "http://example.com/"}, "begins with https://"),
            ({"url": "https://169.254.169.254/"}, "private network"),
            ({"url": "https://ann:word@example.com/"}, "no user name"),
            ({"url": ""}, "This field is required."),
            ({"events": []}, "Choose the events"),
            ({"events": ["order.lost"]}, "order.lost is not one of the available choices."),
        ],
    )
    def test_comes_back_with_a_sentence_and_what_was_typed(self, sam, fields, sentence):
        answer = post(sam, fields=FIELDS | fields)
        assert answer.status_code == 422
        assert sentence in answer.content.decode()
        assert (FIELDS | fields)["url"] in answer.content.decode()
        assert list_webhooks() == []

    def test_says_that_there_are_too_many(self, sam):
        for _ in range(MOST_WEBHOOKS):
            post(sam, fields=FIELDS)
        answer = post(sam, fields=FIELDS)
        assert answer.status_code == 422
        assert "20 webhooks already" in answer.content.decode()
        assert len(list_webhooks()) == MOST_WEBHOOKS

    def test_creates_none_without_its_token(self, sam):
        browser = Client(enforce_csrf_checks=True)
        browser.force_login(find_user(sam.username))
        assert browser.post(PATH, FIELDS).status_code == 403
        assert list_webhooks() == []

    def test_is_for_staff_alone(self, alice, webhook):
        assert post(alice, fields=FIELDS).status_code == 404
        assert post(alice, f"{PATH}{webhook.id}/delete/").status_code == 404
        assert post(alice, f"{PATH}{webhook.id}/test/").status_code == 404
        assert list_webhooks() == [webhook]


class TestTheButtons:
    def test_delete_a_webhook_once(self, sam, webhook):
        row = sam.get(PATH).page.one("tr", data_webhook=webhook.id)
        _test, form = row.all("form")
        assert "The webhook is deleted." in post(sam, form["action"], follow=True).text
        assert list_webhooks() == []
        assert "deleted already" in post(sam, form["action"], follow=True).text

    def test_send_a_test_event(self, sam, receiver):
        with hearing_of(receiver.url, ORDER_PLACED) as made:
            row = sam.get(PATH).page.one("tr", data_webhook=made.webhook.id)
            form, _delete = row.all("form")
            assert "on its way" in post(sam, form["action"], follow=True).text
            deliver_all()
        assert [body["type"] for body in told(receiver)] == ["webhook.test"]

    def test_send_no_test_event_to_a_webhook_that_was_deleted(self, sam, webhook):
        delete_webhook(webhook.id)
        answer = post(sam, f"{PATH}{webhook.id}/test/", follow=True)
        assert "deleted already" in answer.text


class TestTheCommands:
    def test_print_the_secret_alone_and_say_that_it_is_not_shown_again(self):
        out, err = run("create_webhook", URL, "--events", f"{ORDER_PLACED}, {ORDER_MOVED}")
        (webhook,) = list_webhooks()
        assert webhook.events == (ORDER_MOVED, ORDER_PLACED)
        assert find_webhook(webhook.id).secret == out.strip()
        assert webhook.id in err
        assert "will not be shown again" in err

    @pytest.mark.parametrize(
        ("url", "names", "sentence"),
        [
            ("http://example.com/", ORDER_PLACED, "begins with https://"),
            ("https://10.0.0.1/", ORDER_PLACED, "private network"),
            (URL, "order.lost", "There is no event “order.lost”, only order.placed, "),
            (URL, ",", "Choose the events"),
        ],
    )
    def test_refuse_in_a_sentence(self, url, names, sentence):
        with pytest.raises(CommandError, match=sentence):
            run("create_webhook", url, "--events", names)

    def test_list_all_webhooks(self, webhook):
        day = webhook.created_at.date()
        line = f"{webhook.id}  {day}  {URL}  {ORDER_PLACED}"
        assert run("delete_webhook")[0].splitlines() == [line]

    def test_delete_one_once(self, webhook):
        out = run("delete_webhook", webhook.id)[0]
        assert out == f"The webhook {webhook.id} is deleted.\n"
        assert list_webhooks() == []
        with pytest.raises(CommandError, match="There is no webhook"):
            run("delete_webhook", webhook.id)

    @pytest.mark.parametrize(
        "arguments", [["create_webhook", URL, "--events", ORDER_PLACED], ["delete_webhook"]]
    )
    def test_say_in_one_line_that_the_database_is_away(self, arguments):
        with unreachable(), pytest.raises(CommandError, match="database"):
            run(*arguments)


class TestTheSecurityLog:
    def test_says_who_made_and_deleted_one(self, caplog, sam):
        with caplog.at_level(logging.INFO, "security"):
            post(sam, fields=FIELDS)
            (webhook,) = list_webhooks()
            post(sam, f"{PATH}{webhook.id}/delete/")
        (made,), (deleted,) = events(caplog, "webhook-made"), events(caplog, "webhook-deleted")
        assert (made["user"], made["webhook"]) == (sam.username, webhook.id)
        assert (deleted["user"], deleted["webhook"]) == (sam.username, webhook.id)
        assert not SECRET.search(caplog.text)

    def test_says_which_command_did(self, caplog):
        with caplog.at_level(logging.INFO, "security"):
            run("create_webhook", URL, "--events", ORDER_PLACED)
            (webhook,) = list_webhooks()
            run("delete_webhook", webhook.id)
        assert [event["by"] for event in events(caplog)] == ["create_webhook", "delete_webhook"]
        assert not SECRET.search(caplog.text)
