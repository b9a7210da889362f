"""E-mails to authors: of which replies, with what, and how they are stopped."""

import re
from email import message_from_bytes, policy
from typing import Any

import pytest
from django.core import signing
from django.test import Client
from django.utils import timezone

from comments.posting.services import delete_comment
from comments.replies.services import ReplyChanged, delete_reply, find_reply, reply_to
from dynapages.django.rate_limits import NamedLimit
from shop.accounts import rate_limits
from shop.accounts.confirmation import REPLIES_SALT, confirm, token_for
from shop.accounts.queries import find_user
from shop.accounts.services import shut_profile
from shop.catalogue.content import NewProduct
from shop.catalogue.services import put_catalogue
from shop.work import QUEUE
from tests.support.accounts.emails import emails
from tests.support.comments.deciding import hide
from tests.support.comments.faulty import unreachable
from tests.support.comments.threads import made_comment
from tests.support.comments.writers import Writer, made_product, someone
from tests.support.work import finish_what_waits, forget_what_waits, work_off

pytestmark = [pytest.mark.newest, pytest.mark.usefixtures("tables")]
SITE = "https://shop.example.com"


@pytest.fixture(autouse=True)
def site(settings):
    settings.SITE_URL = SITE
    yield
    finish_what_waits()


@pytest.fixture
def ann() -> Writer:
    """An author whose address is confirmed."""
    ann = with_address(someone("ann"))
    confirm(ann.username, address_of(ann))
    return ann


def address_of(writer: Writer) -> str:
    return f"{writer.username}@example.com"


def with_address(writer: Writer) -> Writer:
    user = find_user(writer.username)
    user.email = address_of(writer)
    user.save()
    return writer


def replied(comment_id: str, text: str = "Thank you.", *, by: str = "sam") -> None:
    seen, now = find_reply(comment_id), timezone.now()
    reply_to(comment_id=comment_id, text=text, user_id=by, seen=seen, now=now)


def written_by(author: Writer, **said: str) -> str:
    return author.has_written(made_product(), **said).comment.id


def delete_comment_now(comment_id: str) -> None:
    delete_comment(comment_id, now=timezone.now())


def told(author: Writer) -> Any:
    """The only email there is."""
    (email,) = emails()
    assert email.to == [address_of(author)]
    return email


def opt_out_url(email: Any) -> str:
    return str(email.extra_headers["List-Unsubscribe"]).strip("<>").removeprefix(SITE)


def is_told(author: Writer) -> bool:
    """Whether a further comment of theirs, replied to, brings another email."""
    before = len(emails())
    replied(written_by(author))
    return len(emails()) > before


class TestAnAuthor:
    def test_is_told_of_a_reply_by_a_member_of_staff_at_the_site(self, ann):
        comment_id = written_by(ann)
        sam = someone("sam", is_staff=True)
        sam.send(f"/staff/comments/reply/{comment_id}/", {"text": "We are glad.", "version": "0"})
        body = told(ann).body
        assert "We are glad." in body
        assert f"{SITE}/comments/{comment_id}/" in body

    def test_is_told_once_though_the_reply_is_changed_and_deleted(self, ann):
        comment_id = written_by(ann)
        replied(comment_id, "Thank you.")
        assert "Thank you." in told(ann).body
        replied(comment_id, "Thank you!")
        delete_reply(comment_id)
        assert len(emails()) == 1

    def test_is_told_of_another_reply_in_place_of_a_deleted_one(self, ann):
        comment_id = written_by(ann)
        for _ in range(2):
            replied(comment_id)
            emails()
            delete_reply(comment_id)
        assert len(emails()) == 2

    def test_is_told_of_what_the_reply_says_by_then(self, ann):
        comment_id = written_by(ann)
        replied(comment_id, "Thank you.")
        replied(comment_id, "Thank you!")
        assert "Thank you!" in told(ann).body

    @pytest.mark.parametrize(
        "meanwhile",
        [lambda one: hide(comment_id=one), delete_comment_now, delete_reply],
        ids=["comment hidden", "comment deleted", "reply deleted"],
    )
    def test_is_not_told_of_what_is_gone_by_then(self, ann, meanwhile):
        comment_id = written_by(ann)
        replied(comment_id)
        meanwhile(comment_id)
        assert emails() == []

    def test_is_told_later_when_the_database_is_away(self, ann):
        comment_id = written_by(ann)
        replied(comment_id)
        with unreachable():
            assert emails() == []
        work_off(QUEUE)
        assert "Thank you." in told(ann).body

    def test_is_told_though_the_process_is_killed_after_the_reply(self, ann):
        replied(written_by(ann))
        forget_what_waits()
        work_off(QUEUE)
        assert "Thank you." in told(ann).body

    def test_is_owed_an_email_that_holds_no_text_and_no_name(self, ann):
        comment_id = written_by(ann)
        replied(comment_id)
        (owed,) = (one for one in QUEUE.waiting() if one.payload.get("comment") == comment_id)
        assert owed.payload == {"comment": comment_id, "site": SITE}

    def test_is_not_owed_an_email_for_what_was_not_written(self, ann):
        comment_id = written_by(ann)
        replied(comment_id)
        assert len(emails()) == 1
        with pytest.raises(ReplyChanged):
            reply_to(
                comment_id=comment_id, text="Late.", user_id="tom", seen=None, now=timezone.now()
            )
        work_off(QUEUE)
        assert len(emails()) == 1

    def test_is_not_told_of_their_own_reply(self, ann):
        replied(written_by(ann), by=ann.username)
        assert emails() == []

    def test_is_not_told_at_an_address_that_is_not_confirmed(self):
        replied(written_by(with_address(someone("bob"))))
        replied(written_by(someone("cleo")))
        assert emails() == []

    def test_is_told_a_few_times_a_day(self, ann, monkeypatch):
        few = NamedLimit(2, rate_limits.REPLIES_TO_AN_EMAIL.window, "replies-to/{}")
        monkeypatch.setattr(rate_limits, "REPLIES_TO_AN_EMAIL", few)
        for _ in range(4):
            replied(written_by(ann))
        assert len(emails()) == 2
        assert rate_limits.REPLIES_TO_AN_EMAIL.window.days == 1

    def test_who_was_imported_is_not_told(self):
        replied(made_comment(user_id="", author="Ann").id)
        assert emails() == []


def test_nobody_is_told_by_a_site_that_does_not_know_its_address(ann, settings):
    settings.SITE_URL = None
    replied(written_by(ann))
    assert emails() == []


class TestTheEmail:
    def test_names_product_reply_and_where_the_comment_is(self, ann, fresh):
        product = NewProduct(fresh("lamp"), "Desk\nlamp", (), unit_price_cents=1, currency="EUR")
        put_catalogue(categories=[], products=[product])
        comment_id = ann.has_written(product.id).comment.id
        replied(comment_id, "It is <b>bright</b> & warm.")
        email = told(ann)
        assert email.subject == "The shop replied to your comment on “Desk lamp”"
        assert "It is <b>bright</b> & warm." in email.body
        assert f"{SITE}/comments/{comment_id}/" in email.body
        assert f"{SITE}{opt_out_url(email)}\n" in email.body

    def test_shortens_a_long_reply(self, ann):
        replied(written_by(ann), "word " * 500 + "end")
        body = told(ann).body
        assert body.count("word ") == 119
        assert "…" in body
        assert "end" not in body.split()

    @pytest.mark.parametrize(
        ("language", "subject"),
        [
            ("en", "The shop replied"),
            ("de", "Der Shop hat auf Ihren Kommentar"),
            ("fr", "The shop replied"),
        ],
    )
    def test_is_in_the_language_of_the_comment_if_the_site_has_it(self, ann, language, subject):
        replied(written_by(ann, language=language))
        assert told(ann).subject.startswith(subject)

    def test_has_the_headers_of_rfc_8058_as_they_are(self, ann):
        replied(written_by(ann))
        sent = message_from_bytes(told(ann).message().as_bytes(), policy=policy.compat32)
        assert sent["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
        assert re.fullmatch(
            r"<https://shop\.example\.com/account/replies/[^>\s]+/>",
            sent["List-Unsubscribe"].strip(),
        )

    def test_about_a_password_has_no_such_header(self, ann):
        Client().post("/accounts/password_reset/", {"email": ann.username})
        assert emails()[0].extra_headers == {}


class TestOptingOut:
    @pytest.fixture
    def url(self, ann):
        replied(written_by(ann))
        return opt_out_url(told(ann))

    @pytest.fixture
    def program(self):
        """A mail program: without a session, and without a token of a form."""
        return Client(enforce_csrf_checks=True)

    def test_takes_one_post(self, ann, url, program):
        response = program.post(url, {"List-Unsubscribe": "One-Click"})
        assert (response.status_code, is_told(ann)) == (200, False)
        assert program.post(url).status_code == 200, "it can be sent again"

    def test_is_only_offered_by_get(self, ann, url, program):
        page = program.get(url).content.decode()
        assert "Stop these e-mails" in page
        assert ann.username in page
        assert is_told(ann)

    def test_is_taken_back_by_the_same_link(self, ann, url, program):
        program.post(url, {"wanted": "no"})
        assert "Send me these e-mails" in program.get(url).content.decode()
        program.post(url, {"wanted": "yes"})
        assert is_told(ann)
        assert find_user(ann.username).mutes_replies is None

    def test_is_possible_for_years(self, ann, url, program, monkeypatch):
        monkeypatch.setattr(signing.time, "time", lambda: timezone.now().timestamp() + 1e8)
        assert program.post(url).status_code == 200
        assert not is_told(ann)

    def test_is_refused_by_a_link_that_was_made_up_or_is_for_something_else(self, ann, program):
        confirms = token_for(ann.username, address_of(ann))
        for token in ("WyJhIiwiYiJd:1tMxyz:AAAA", confirms):
            assert program.post(f"/account/replies/{token}/").status_code == 404
        assert is_told(ann)

    def test_is_refused_by_a_link_to_an_address_given_up(self, ann, url, program):
        user = find_user(ann.username)
        user.email = f"new-{user.email}"
        user.save()
        assert program.post(url).status_code == 404
        assert find_user(ann.username).mutes_replies is None

    def test_is_refused_where_the_user_is_gone(self, program, fresh):
        token = token_for(fresh("nobody"), "a@example.com", salt=REPLIES_SALT)
        assert program.post(f"/account/replies/{token}/").status_code == 404

    def test_is_in_german_too(self, url, program):
        page = program.get(url, headers={"Accept-Language": "de"}).content.decode()
        assert "Diese E-Mails abbestellen" in page
        page = program.post(url, headers={"Accept-Language": "de"}).content.decode()
        assert "Diese E-Mails bekommen" in page

    def test_is_told_when_the_database_is_away(self, url, program):
        with unreachable():
            assert program.post(url).status_code == 503

    def test_is_forgotten_with_the_user(self, ann, url, program):
        program.post(url)
        shut_profile(ann.username)
        assert find_user(ann.username).mutes_replies is None


class TestTheAccountPage:
    def test_has_the_choice(self, ann):
        for button, other in [("Stop these", "Send me these"), ("Send me these", "Stop these")]:
            page = ann.get("/account/").page.one("main")
            (form,) = (one for one in page.all("form") if "/account/replies/" in one["action"])
            assert form.one("button").text == f"{button} e-mails"
            fields = {one["name"]: one["value"] for one in form.all("input")}
            changed = ann.browser.post(form["action"], fields).content.decode()
            assert f"{other} e-mails" in changed

    def test_has_none_without_a_confirmed_address(self):
        page = with_address(someone("bob")).get("/account/").page.one("main")
        assert "/account/replies/" not in str([form["action"] for form in page.all("form")])
