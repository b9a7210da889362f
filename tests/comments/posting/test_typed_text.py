"""What somebody has typed is kept on every error, with JavaScript and without."""

from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from django.conf import settings as site_settings
from django.test import Client

from comments.posting.services import delete_comment
from comments.replies.services import find_reply
from comments.reports.services import Reason, report_comment
from comments.store.comments import StoredComment
from comments.web import rate_limits
from shop.accounts.queries import find_user
from tests.support.comments.browsing import HTMX, Shown, shown
from tests.support.comments.faulty import unreachable
from tests.support.comments.threads import NOW, items_in
from tests.support.comments.writers import (
    WORDS,
    Writer,
    edit_url,
    made_product,
    new_url,
    nobody,
    sign_in,
    someone,
)
from tests.support.markup import Element, read_markup

pytestmark = pytest.mark.usefixtures("tables")

TYPED = "Typed for half an hour. <b>&amp;"
KINDS = ["new", "edit", "report", "reply"]
OUR_PAGE = {"Origin": "http://testserver", "Sec-Fetch-Site": "same-origin"}
SENDERS = [
    {},
    {"Origin": "null"},
    {"Origin": "http://evil.example"},
    {"Origin": "https://testserver"},
    {"Origin": "http://testserver:81"},
    {"Referer": "http://evil.example/http://testserver/"},
    {"Referer": "http://[/"},
    {"Origin": "http://evil.example", "Referer": "http://testserver/"},
    {**OUR_PAGE, "Sec-Fetch-Site": "cross-site"},
    {**OUR_PAGE, "Sec-Fetch-Site": "same-site"},
]
"""Headers of what no page of ours has sent."""


@dataclass(frozen=True)
class Sent:
    """A form with something typed in it, and who sends it."""

    writer: Writer
    url: str
    fields: dict[str, str]
    stored: StoredComment

    def send(self, browser: Client | None = None, **headers: str) -> Shown:
        browser = browser or self.writer.browser
        return shown(browser.post(self.url, self.fields, headers=headers))


def form_of(kind: str) -> Sent:
    """A form of this kind that could be sent as it is."""
    alice = someone("alice")
    stored = alice.has_written(made_product())
    comment = stored.comment
    if kind == "new":
        fields = {**alice.open_form(comment.product_id), **WORDS, "body": TYPED}
        return Sent(alice, new_url(comment.product_id), fields, stored)
    if kind == "edit":
        return Sent(alice, edit_url(comment), {**WORDS, "body": TYPED, "version": "1"}, stored)
    if kind == "report":
        fields = {"reason": "spam", "text": TYPED}
        return Sent(someone("bob"), f"/comments/report/{comment.id}/", fields, stored)
    url = f"/staff/comments/reply/{comment.id}/"
    return Sent(someone("sam", is_staff=True), url, {"text": TYPED, "version": "0"}, stored)


def typed_in(shown: Shown) -> str:
    return shown.page.one("textarea").text


def said(shown: Shown) -> str:
    return shown.page.one(class_="form-error").text


def cautious_browser(writer: Writer) -> Client:
    """Another browser of somebody, which knows no token."""
    browser = Client(enforce_csrf_checks=True, REMOTE_ADDR="10.88.0.1")
    browser.force_login(find_user(writer.username))
    return browser


@pytest.fixture(params=KINDS)
def sent(request):
    return form_of(request.param)


@pytest.fixture(params=[{}, HTMX], ids=["whole page", "htmx"])
def headers(request):
    return request.param


class TestFormThatIsRefused:
    def test_for_a_mistake_is_shown_again(self, sent, headers):
        name = "version" if "version" in sent.fields else "reason"
        name = "rating" if "rating" in sent.fields else name
        shown = Sent(sent.writer, sent.url, {**sent.fields, name: "x"}, sent.stored).send(**headers)
        assert (shown.status, typed_in(shown)) == (422, TYPED)

    def test_as_its_user_is_signed_out_is_shown_again(self, sent, headers):
        shown = sent.send(nobody().browser, **headers)
        assert (shown.status, typed_in(shown)) == (403, TYPED)
        assert "not signed in any more" in said(shown)
        assert shown.page.one(class_="form-error").one("a")["href"] == "/accounts/login/"

    def test_as_too_many_were_sent_is_shown_again(self, sent, headers, settings, monkeypatch):
        settings.COMMENTS = {**settings.COMMENTS, "WRITES_PER_USER": 1}
        monkeypatch.setattr(rate_limits, "STAFF_WRITES_PER_USER", 1)
        again = form_of("reply") if "reply" in sent.url else form_of("report")
        Sent(sent.writer, again.url, again.fields, again.stored).send()
        for _ in range(2):
            shown = sent.send(**headers)
        assert (shown.status, typed_in(shown)) == (429, TYPED)
        assert int(shown.response["Retry-After"]) > 0
        assert "Try again in" in said(shown)

    def test_as_the_database_is_away_is_shown_again(self, sent, headers):
        with unreachable():
            shown = sent.send(**headers)
        assert (shown.status, typed_in(shown)) == (503, TYPED)
        assert int(shown.response["Retry-After"]) > 0
        assert "won't be posted twice" in said(shown)
        assert sent.send().status == 302

    @pytest.mark.parametrize("kind", ["edit", "report", "reply"])
    def test_as_its_comment_is_gone_is_shown_again(self, kind, headers):
        sent = form_of(kind)
        delete_comment(sent.stored.comment.id)
        shown = sent.send(**headers)
        assert (shown.status, typed_in(shown)) == (404, TYPED)
        assert "There is no such comment" in said(shown)

    def test_is_swapped_for_itself_by_htmx(self, sent):
        shown = sent.send(nobody().browser, **HTMX)
        assert shown.response["HX-Reswap"] == "outerHTML"
        assert shown.response["HX-Retarget"] in {"#comment-form", "this", "closest .reply-tools"}
        assert shown.page.all("html") == []


@pytest.mark.newest
class TestFormWithATokenFromBeforeItsUserSignedInAnew:
    """The sign-in on another page makes a new token; the form has the old one."""

    @pytest.fixture
    def browser(self, sent):
        return cautious_browser(sent.writer)

    def test_is_shown_again_changes_nothing_and_can_then_be_sent(self, sent, headers, browser):
        before = items_in(sent.stored.comment.id)
        shown = sent.send(browser, **OUR_PAGE, **headers)
        assert (shown.status, typed_in(shown)) == (403, TYPED)
        assert "send it once more" in said(shown)
        assert items_in(sent.stored.comment.id) == before
        form = next(f for f in shown.page.all("form") if f.all("textarea"))
        fields = {i["name"]: i["value"] for i in form.all("input", type="hidden")}
        assert browser.cookies[site_settings.CSRF_COOKIE_NAME].value
        sent = Sent(sent.writer, form["action"], {**sent.fields, **fields}, sent.stored)
        assert sent.send(browser, **OUR_PAGE).status == 302

    def test_is_shown_again_to_a_browser_that_names_the_page_alone(self, sent, browser):
        shown = sent.send(browser, Referer=f"http://testserver{sent.url}")
        assert (shown.status, typed_in(shown)) == (403, TYPED)


@pytest.mark.newest
class TestFormThatNoPageOfOursHasSent:
    @pytest.mark.parametrize(
        ("kind", "sender"),
        [
            *(("new", sender) for sender in SENDERS),
            *((kind, {**SENDERS[2], **HTMX}) for kind in KINDS),
        ],
    )
    def test_comes_back_without_a_word_of_it(self, kind, sender):
        sent = form_of(kind)
        before = items_in(sent.stored.comment.id)
        shown = sent.send(cautious_browser(sent.writer), **sender)
        answer = shown.response.content.decode()
        assert (shown.status, "Typed" in answer, "<textarea" in answer) == (403, False, False)
        assert items_in(sent.stored.comment.id) == before


@pytest.mark.newest
class TestButtonWithAnOldToken:
    @pytest.mark.parametrize(
        ("url_of", "fields"),
        [
            ("/comments/vote/{}/", {"helpful": "yes"}),
            ("/staff/comments/reply/{}/", {"delete": "yes"}),
            ("/comments/delete/{}/", {}),
        ],
    )
    def test_is_told_to_load_the_page_anew(self, url_of, fields):
        stored = someone("alice").has_written(made_product())
        url = url_of.format(stored.comment.id)
        browser = Client(enforce_csrf_checks=True)
        browser.force_login(find_user(someone("sam", is_staff=True).username))
        whole, part = browser.post(url, fields), browser.post(url, fields, headers=HTMX)
        assert whole.status_code == part.status_code == 403
        assert "Please send that again" in whole.content.decode()
        assert (part["HX-Retarget"], "reload it" in part.content.decode()) == ("#notice", True)


class TestReportOfOnesOwnComment:
    def test_is_told_in_the_form(self):
        sent = form_of("report")
        shown = sent.send(sign_in(sent.stored.comment.user_id).browser)
        assert (shown.status, typed_in(shown)) == (400, TYPED)


class TestReportsInOneList:
    def test_have_fields_with_ids_of_their_own(self):
        bob = someone("bob")
        ids = [form_of("report").stored.comment.id for _ in range(2)]
        areas = [bob.get(f"/comments/report/{each}/").page.one("textarea")["id"] for each in ids]
        assert len({*areas}) == 2


class TestReplyInPlace:
    @pytest.fixture
    def sent(self):
        return form_of("reply")

    def shown_reply(self, shown: Shown) -> Element:
        """What is swapped into the reply's place in the comment."""
        (place,) = shown.page.all("div", hx_swap_oob=True)
        assert place["hx-swap-oob"].endswith("'] .shop-reply")
        return place

    def test_swaps_form_and_reply_and_says_so(self, sent):
        shown = sent.send(**HTMX)
        assert shown.status == 200
        assert typed_in(shown) == TYPED
        assert shown.page.one("input", name="version")["value"] == "1"
        assert TYPED in self.shown_reply(shown).one(class_="reply").text
        assert "The reply is saved." in shown.response["HX-Trigger-After-Settle"]

    def test_that_is_deleted_leaves_an_empty_form(self, sent):
        sent.send()
        shown = Sent(sent.writer, sent.url, {"delete": "yes"}, sent.stored).send(**HTMX)
        assert typed_in(shown) == ""
        assert self.shown_reply(shown).elements == []
        assert find_reply(sent.stored.comment.id) is None

    def test_that_is_there_by_somebody_else_is_shown_beside_it(self, sent):
        sent.send()
        other = Sent(sent.writer, sent.url, {"text": "Mine", "version": "0"}, sent.stored)
        shown = other.send(**HTMX)
        assert (shown.status, typed_in(shown)) == (409, "Mine")
        assert TYPED in shown.page.one(class_="reply").text


class TestPickInPlace:
    def test_swaps_the_button_and_says_so(self):
        stored = someone("alice").has_written(made_product())
        sam, url = someone("sam", is_staff=True), f"/staff/comments/feature/{stored.comment.id}/"
        for value, pressed, sentence in (("yes", "true", "is picked."), ("no", "false", "longer")):
            response = sam.send(url, {"featured": value}, htmx=True)
            button = read_markup(response.content.decode()).one("button")
            assert (response.status_code, button["aria-pressed"]) == (200, pressed)
            assert sentence in response["HX-Trigger-After-Settle"]


class TestLimitOfStaff:
    SENDS: ClassVar[dict[str, tuple[str, dict[str, str]]]] = {
        "decision": ("/staff/comments/decide/{}/", {"decision": "keep", "seen": "REPORTED.1.1"}),
        "pick": ("/staff/comments/feature/{}/", {}),
        "reply": ("/staff/comments/reply/{}/", {"text": "Hello.", "version": "0"}),
        "deleted reply": ("/staff/comments/reply/{}/", {"delete": "yes"}),
        "deletion": ("/comments/delete/{}/", {}),
    }

    def send(self, sam: Writer, stored: StoredComment, what: str) -> Any:
        url, fields = self.SENDS[what]
        return sam.send(url.format(stored.comment.id), fields)

    @pytest.mark.parametrize("what", SENDS)
    def test_holds_for_all_they_do_and_says_when_to_come_back(self, what, monkeypatch):
        monkeypatch.setattr(rate_limits, "STAFF_WRITES_PER_USER", 1)
        sam, stored = someone("sam", is_staff=True), someone("alice").has_written(made_product())
        report_comment(
            comment_id=stored.comment.id, user_id="z", reason=Reason.SPAM, text="", now=NOW
        )
        assert self.send(sam, stored, "decision").status_code == 302
        before = items_in(stored.comment.id)
        response = self.send(sam, stored, what)
        assert (response.status_code, int(response["Retry-After"]) > 3_000) == (429, True)
        assert "Try again in 60 minutes" in response.content.decode()
        assert items_in(stored.comment.id) == before

    def test_is_another_than_that_of_what_they_write_themselves(self, settings):
        settings.COMMENTS = {**settings.COMMENTS, "WRITES_PER_USER": 1}
        sam = someone("sam", is_staff=True)
        sam.write(made_product())
        for _ in range(3):
            stored = someone("alice").has_written(made_product())
            assert self.send(sam, stored, "deletion").status_code == 302

    def test_holds_for_their_address_too(self, monkeypatch):
        monkeypatch.setattr(rate_limits, "STAFF_WRITES_PER_ADDRESS", 1)
        address = {"REMOTE_ADDR": "10.77.9.9"}
        stored = someone("alice").has_written(made_product())
        sams = [someone("sam", is_staff=True, **address) for _ in range(2)]
        statuses = [self.send(sam, stored, "pick").status_code for sam in sams]
        assert statuses == [302, 429]
