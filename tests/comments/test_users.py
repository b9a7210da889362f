"""Users: stored by an id, shown by a name that is no e-mail address, found by a slug."""

import json
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import RequestFactory
from django.utils.translation import override

from comments.gates import is_blocked
from comments.items import NewComment
from comments.replies.services import find_reply
from comments.store.states import State
from comments.users import (
    author_name,
    display_name_of,
    find_user,
    has_address,
    slug_of,
    user_id_in,
    user_id_of,
    visitor_of,
)
from dynapages.calls import metered
from tests.support.comments.browsing import shown
from tests.support.comments.options import comments_set
from tests.support.comments.threads import moderated
from tests.support.comments.truth import START
from tests.support.comments.writers import delete_url, made_product, nobody

pytestmark = pytest.mark.usefixtures("tables")


def person(**attributes):
    return SimpleNamespace(is_authenticated=True, **attributes)


def dora_of(user):
    """What a project calls its users."""
    return f"Dora {user.last_name[:1]}"


def nothing_of(_user):
    return ""


class Reversed:
    """Slugs of a project: its ids from behind, after a word."""

    def slug_of(self, user_id):
        return f"user-{user_id[::-1]}"

    def user_id_of(self, slug):
        before, _word, user_id = slug.partition("user-")
        return "" if before else user_id[::-1]


SLUGS = Reversed()
NAMELESS = {"DISPLAY_NAME": f"{__name__}.nothing_of"}
BY_SLUGS = {"PROFILE_SLUGS": f"{__name__}.SLUGS"}


class TestTheName:
    @pytest.mark.parametrize(
        "name", ["Dora", " Dora  K. ", "@dora", "dora@home", "Dr. No", "a.b @ c.d", "1@2"]
    )
    def test_is_shown_as_it_is_but_for_blanks(self, name):
        with comments_set(DISPLAY_NAME="nick"):
            assert display_name_of(person(nick=name)) == " ".join(name.split())

    @pytest.mark.parametrize(
        "name",
        [
            "dora@example.com",
            " dora@example.com ",
            "Dora <dora@example.com>",
            "dora.k@mail.example.com (Dora)",
            "jürgen@bücher.example",
            '"dora k"@example.com',
        ],
    )
    def test_is_nothing_where_it_has_an_address(self, name):
        with comments_set(DISPLAY_NAME="nick"):
            assert display_name_of(person(nick=name)) == ""
        assert has_address(name)

    def test_is_nothing_where_it_is_the_users_own_address_in_an_intranet(self):
        with comments_set(DISPLAY_NAME="nick"):
            assert display_name_of(person(nick="dora@intranet", email="dora@intranet")) == ""
            assert display_name_of(person(nick="dora", email="dora@intranet")) == "dora"

    @pytest.mark.parametrize("given", [None, "", "   "])
    def test_may_be_missing(self, given):
        with comments_set(DISPLAY_NAME="nick"):
            assert display_name_of(person(nick=given)) == ""
            assert display_name_of(AnonymousUser()) == ""

    def test_is_what_a_method_or_a_function_of_the_project_returns(self):
        with comments_set(DISPLAY_NAME="get_short_name"):
            assert display_name_of(person(get_short_name=lambda: "Dora")) == "Dora"
        with comments_set(DISPLAY_NAME=f"{__name__}.dora_of"):
            assert display_name_of(person(last_name="Kant")) == "Dora K"

    def test_is_no_longer_than_user_names_of_django_are(self):
        with comments_set(DISPLAY_NAME="nick"):
            assert len(display_name_of(person(nick="x" * 500))) == 150


class TestTheId:
    def test_is_the_primary_key_as_text_or_the_field_that_is_named(self):
        dora = person(pk=17, code="d-17")
        assert user_id_of(dora) == "17"
        with comments_set(USER_ID="code"):
            assert user_id_of(dora) == "d-17"

    def test_of_nobody_is_empty_and_finds_nobody_without_a_read(self):
        assert user_id_of(AnonymousUser()) == ""
        with metered() as meter:
            assert find_user("") is None
        assert meter.calls == 0

    def test_is_that_of_the_session_which_is_not_read_for_it(self, alice):
        request = RequestFactory().get("/")
        request.session = alice.browser.session
        visitor = visitor_of(request)  # which has no attribute `user`: nothing can be read
        assert visitor.user_id == alice.username

    def test_is_that_of_the_user_where_the_session_has_another(self):
        request = RequestFactory().get("/")
        request.user = person(pk=17, email="d@example.com")
        with comments_set(USER_ID="email"):  # any field that is not the primary key
            visitor = visitor_of(request)
        assert (visitor.user_id, visitor.is_confirmed()) == ("d@example.com", True)


class TestASlug:
    def test_is_the_id_unless_the_project_has_others(self):
        assert (slug_of("17"), user_id_in("17"), slug_of("")) == ("17", "17", "")
        with comments_set(**BY_SLUGS):
            assert (slug_of("17"), user_id_in("user-71"), slug_of("")) == ("user-71", "17", "")
            assert user_id_in("17") == ""

    def test_is_in_all_addresses_of_a_user_and_the_id_in_none(self, alice, sam):
        comment = alice.has_written(made_product()).comment
        slug = SLUGS.slug_of(alice.username)
        with comments_set(**BY_SLUGS):
            shown = nobody().get(f"/products/{comment.product_id}/")
            assert shown.page.one("a", class_="author")["href"] == f"/users/{slug}/"
            assert nobody().get(f"/users/{slug}/").comment_ids == [comment.id]
            assert nobody().get(f"/users/{alice.username}/").status == 404
            link = sam.get(f"/users/{slug}/").page.one("a", href=f"/staff/authors/{slug}/")
            assert sam.send(link["href"])["Location"] == f"/users/{slug}/"
        assert is_blocked(alice.username)

    def test_stands_for_the_user_in_the_api(self, alice):
        comment = alice.has_written(made_product()).comment
        slug = SLUGS.slug_of(alice.username)
        with comments_set(**BY_SLUGS):
            found = nobody().browser.get(f"/api/v1/comments/{comment.id}").json()
            assert (found["author"], found["username"]) == (alice.username, slug)
            listed = nobody().browser.get(f"/api/v1/users/{slug}/comments").json()
            assert [each["username"] for each in listed["items"]] == [slug]
            other = nobody().browser.get(f"/api/v1/users/{alice.username}/comments")
        assert other.status_code == 404


class TestAUserWithoutAName:
    @pytest.fixture
    def comment(self, alice):
        with comments_set(**NAMELESS):
            return alice.write(made_product(), title="", body="Bright.")

    def test_is_a_customer_on_pages_in_feeds_and_for_search_engines(self, alice, comment):
        product_id = comment.comment.product_id
        shown = nobody().get(f"/products/{product_id}/")
        assert shown.page.one("a", class_="author").text == "Customer"
        (data,) = shown.page.all("script", type="application/ld+json")
        things = json.loads(data.text)["@graph"]
        assert [each["author"]["name"] for each in things[0]["review"]] == ["Customer"]
        alone = nobody().get(f"/comments/{comment.comment.id}/").page
        assert alone.one("h1").text == "A comment by Customer"
        for url in (f"/products/{product_id}/comments/~/~/", f"/users/{alice.username}/"):
            feed = nobody().browser.get(f"{url}?format=atom").content.decode()
            assert "<name>Customer</name>" in feed

    def test_is_so_in_the_language_of_the_page(self, alice, comment):
        german = nobody().browser.get(
            f"/users/{alice.username}/", headers={"accept-language": "de"}
        )
        assert "Kommentare von <bdi>Kundin oder Kunde</bdi>" in german.content.decode()

    def test_is_so_on_the_pages_of_staff(self, alice, sam, comment):
        with comments_set(**NAMELESS):
            assert sam.get(delete_url(comment.comment)).page.one(class_="author").text == "Customer"
            block = sam.get(f"/staff/authors/{alice.username}/")
            assert block.page.one("h1").one("bdi").text == "Customer"

    def test_has_no_name_in_the_api_and_in_what_is_stored(self, alice, comment):
        assert (comment.comment.author, comment.comment.user_id) == ("", alice.username)
        assert "u" not in comment.item
        found = nobody().browser.get(f"/api/v1/comments/{comment.comment.id}").json()
        assert (found["author"], found["username"]) == ("", alice.username)

    def test_is_none_where_a_comment_was_imported(self):
        imported = NewComment("1", "lamp", "en", 5, START)
        assert author_name(imported) == ""
        with override("de"):
            assert author_name(imported) == ""


class TestAReport:
    @pytest.mark.parametrize(("name", "called"), [("Dora After", "Dora After"), ("", "Customer")])
    def test_is_shown_by_the_name_its_user_had_with_a_link(self, alice, bob, name, called):
        comment = alice.has_written(made_product()).comment
        option = f"{__name__}.after" if name else NAMELESS["DISPLAY_NAME"]
        with comments_set(DISPLAY_NAME=option):
            bob.send(f"/comments/report/{comment.id}/", {"reason": "spam"})
        found = moderated(comment, State.REPORTED)
        assert found
        (report,) = found.reports
        assert (report.user_id, report.author) == (bob.username, name)
        assert (report.author_name, report.profile_url) == (called, f"/users/{bob.username}/")


class TestAReply:
    def test_has_the_name_of_who_wrote_it_for_staff_who_meet_another(self, alice, sam):
        comment = alice.has_written(made_product()).comment
        with comments_set(DISPLAY_NAME=f"{__name__}.after"):
            url = f"/staff/comments/reply/{comment.id}/"
            sam.send(url, {"text": "Thanks.", "version": "0"})
            met = shown(sam.send(url, {"text": "Thank you.", "version": "0"}))
        reply = find_reply(comment.id)
        assert reply
        assert (reply.user_id, reply.author) == (sam.username, "Dora After")
        assert "Current reply, by Dora After" in met.page.one(class_="reply-title").text


class TestThePageOfAUser:
    def test_calls_them_as_the_newest_comment_on_it_does(self, alice):
        with comments_set(DISPLAY_NAME=f"{__name__}.before"):
            alice.write(made_product())
        with comments_set(DISPLAY_NAME=f"{__name__}.after"):
            alice.write(made_product())
        page = nobody().get(f"/users/{alice.username}/").page
        assert page.one("h1").text.startswith("Comments by Dora After")
        names = [each.text for each in page.all("a", class_="author")]
        assert names == ["Dora After", "Dora Before"]

    def test_calls_one_without_comments_as_the_project_does(self, alice):
        with comments_set(DISPLAY_NAME=f"{__name__}.after"):
            page = nobody().get(f"/users/{alice.username}/").page
        assert page.one("h1").text.startswith("Comments by Dora After")
        assert page.one("title").text.startswith("Comments by Dora After")


def before(_user):
    return "Dora Before"


def after(_user):
    return "Dora After"
