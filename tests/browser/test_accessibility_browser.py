"""axe-core finds nothing on any page: wide and narrow, light and dark, by those who see it."""

import pytest
from django.conf import settings
from playwright.sync_api import expect

from tests.browser.conftest import REFUSED, Visitor
from tests.support.browser.axe import AXE, axe_finds_nothing, bring_axe
from tests.support.comments.writers import new_url
from tests.support.config.addresses import address, people
from tests.support.config.page_types import PAGES, furnished

pytestmark = [
    pytest.mark.browser,
    pytest.mark.usefixtures("tables"),
    pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: 'npm ci' installs it"),
]
FIRST = {"", "products/<id:product_id>/", "basket/", "orders/", "staff/orders/", "staff/comments/"}
"""Those that `make test` looks at; the others are seconds each, and in .ci/run."""
OF_OTHERS = {"api/v1/docs"}
"""Filled by a script once it has come: test_api_page_browser.py waits for that."""
LANGUAGES = ("en", "de")
FORMS = [
    ("nobody", "/accounts/sign-up/"),
    ("nobody", "/accounts/login/"),
    ("owner", "/accounts/password_change/"),
    ("owner", "/accounts/second-factor/"),
    ("owner", new_url("{product_id}")),
    ("other", "/comments/report/{comment_id}/"),
]
IN_GERMAN = [
    ("owner", "/comments/delete/{comment_id}/"),
    ("owner", "/orders/{order_id}/cancel/"),
    ("owner", "/orders/{order_id}/"),
    ("staff", "/staff/orders/all/?status=PLACED"),
    ("staff", "/staff/orders/"),
    ("staff", "/staff/comments/"),
    ("staff", "/products/{product_id}/comments/~/~/"),
    ("nobody", "/lab/"),
]
"""Confirmations, and pages of which much folds out; those above are in English."""


@pytest.fixture(scope="module")
def known(tables):
    return people()


@pytest.fixture(scope="module")
def arguments(known):
    """What addresses name, in a shop whose lists have several pages."""
    return furnished(known)


@pytest.fixture(autouse=True)
def short_pages(settings, monkeypatch):
    settings.PAGE_SIZE = 3
    monkeypatch.setattr("config.home.SHELVES_ON_A_PAGE", 1)


@pytest.fixture
def arrive(visitor, seat, known, site):
    """Opens the browser of somebody of a role, who has chosen a language."""

    def arrive(role: str, language: str = "en") -> Visitor:
        arrived = seat(known[role]) if role in known else visitor
        chosen = {"name": settings.LANGUAGE_COOKIE_NAME, "value": language, "url": site}
        arrived.page.context.add_cookies([chosen])
        bring_axe(arrived.page)
        return arrived

    return arrive


class TestAPage:
    @pytest.mark.parametrize(
        ("route", "role"),
        [
            pytest.param(*page, marks=[pytest.mark.slow] if page[0] not in FIRST else [])
            for page in PAGES
            if page[0] not in OF_OTHERS
        ],
    )
    def test_is_clean_as_it_comes(self, arrive, arguments, route, role):
        page = arrive(role).page
        page.goto(address(route, arguments))
        assert axe_finds_nothing(page)

    @pytest.mark.parametrize("path", ["/nothing/", "/rankings/most-loved/?after=nothing"])
    def test_that_was_refused_is_clean(self, arrive, path):
        visitor = arrive("nobody")
        assert not visitor.page.goto(path).ok
        visitor.forgive(*REFUSED)
        assert axe_finds_nothing(visitor.page)

    @pytest.mark.parametrize(
        ("role", "path"),
        [
            ("owner", "/orders/{order_id}/pickup/?near=-47, -160"),
            ("staff", "/staff/orders/all/?status=PLACED"),
        ],
    )
    def test_with_a_query_is_clean(self, arrive, arguments, role, path):
        page = arrive(role).page
        page.goto(path.format_map(arguments))
        expect(page.locator("h1")).to_be_visible()
        assert axe_finds_nothing(page)

    @pytest.mark.parametrize(("role", "path"), IN_GERMAN)
    def test_in_german_is_clean(self, arrive, arguments, role, path):
        page = arrive(role, "de").page
        page.goto(path.format_map(arguments))
        assert page.locator("html").get_attribute("lang") == "de"
        assert axe_finds_nothing(page)


class TestAPageInUse:
    @pytest.mark.parametrize(
        ("route", "role"),
        [
            ("/", "nobody"),
            ("/products/{product_id}/", "nobody"),
            ("/categories/{slug}/", "nobody"),
            ("/orders/", "owner"),
            ("/staff/orders/", "staff"),
        ],
    )
    def test_is_clean_once_its_list_is_swapped(self, arrive, arguments, route, role):
        page = arrive(role).page
        page.goto(route.format_map(arguments))
        page.locator("a[rel=next]").click()
        expect(page.locator("a[rel=prev]")).to_be_visible()
        assert axe_finds_nothing(page)

    @pytest.mark.parametrize("language", LANGUAGES)
    @pytest.mark.parametrize(("role", "path"), FORMS)
    def test_is_clean_where_its_form_has_errors(self, arrive, arguments, language, role, path):
        page = arrive(role, language).page
        page.goto(path.format_map(arguments))
        page.locator("main form").evaluate_all("all => all.forEach(it => (it.noValidate = true))")
        page.locator("main form[method=post] [type=submit]").last.click()
        expect(page.locator(".form-error, .errorlist").first).to_be_visible()
        assert axe_finds_nothing(page)

    def test_is_clean_with_a_notice(self, arrive, arguments):
        visitor = arrive("nobody")
        visitor.page.goto(f"/products/{arguments['product_id']}/")
        visitor.page.route("**/comments/**", lambda route: route.abort())
        visitor.page.locator("a[rel=next]").click()
        expect(visitor.page.locator("#notice")).to_contain_text("cannot be reached")
        visitor.forgive("Failed to load resource", "htmx:")
        assert axe_finds_nothing(visitor.page)

    @pytest.mark.parametrize("language", LANGUAGES)
    def test_is_clean_with_messages_from_the_product_to_the_checkout(
        self, arrive, arguments, language
    ):
        page = arrive("owner", language).page
        page.goto(f"/products/{arguments['product_id']}/")
        page.locator(".basket-form button").click()
        expect(page.locator(".message.success")).to_be_visible()
        assert axe_finds_nothing(page)
        page.goto("/basket/")
        assert axe_finds_nothing(page)
        page.goto("/basket/order/?near=-47, -160")
        page.locator("[name=point]").last.evaluate("point => { point.value = 'gone' }")
        page.locator("[name=point]").last.check()
        page.locator("#place .place button").click()
        expect(page.locator(".message.warning")).to_be_visible()
        assert axe_finds_nothing(page)
