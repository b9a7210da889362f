"""How a page was read is told when somebody asks for it, and not before."""

import pytest

from comments.lists import explain as lists_explain
from comments.lists import page as lists_page
from config.templatetags import site
from dynapages.calls import metered
from dynapages.django import paging
from tests.support.comments.browsing import HTMX, Shown, visit, with_explanation
from tests.support.comments.loading import load
from tests.support.comments.truth import numbered_comments
from tests.support.comments.writers import someone
from tests.support.orders.making import put_product

pytestmark = pytest.mark.usefixtures("tables")

OPEN_LIST = {**HTMX, "Dynapages-Explained": "true"}
"""What the script asks with for a list while the explanation of the one before it is open."""


@pytest.fixture(scope="module")
def lamp(tables):
    load(numbered_comments(put_product("explained-lamp"), count=45))
    return "/products/explained-lamp/"


@pytest.fixture
def everything(lamp):
    return f"{lamp}comments/~/~/"


def chip(shown: Shown):
    return shown.page.one("a", id="explanation-chip")


def summary(shown: Shown) -> str:
    """What a page cost, without its time."""
    return shown.page.one(class_="explanation-summary").text.rpartition(" · ")[0]


class TestAPage:
    def test_says_what_it_cost_and_leads_to_how_it_was_read(self, everything):
        shown = visit(f"{everything}?order=oldest")
        assert summary(shown).startswith("2 calls · ")
        assert shown.page.all(class_="explanation-body") == []
        link = chip(shown)
        assert link["href"] == f"{everything}?order=oldest&explain=1#explanation"
        assert link["hx-get"] == f"{everything}?order=oldest&explain=1"
        assert (link["rel"], link["aria-expanded"]) == ("nofollow", "false")

    def test_says_it_at_the_foot_of_its_list(self, everything):
        markup = visit(everything).response.content.decode()
        assert markup.index('class="pager') < markup.index('id="explanation-chip"')

    def test_of_a_shop_that_hides_costs_says_nothing_of_them(self, everything, settings):
        settings.SHOW_COSTS = False
        for url in (everything, with_explanation(everything), "/", "/categories/"):
            assert visit(url).page.all(class_="explanation") == []

    @pytest.mark.parametrize("headers", [{}, HTMX])
    def test_computes_nothing_that_it_does_not_show(self, lamp, everything, monkeypatch, headers):
        for module, name in (
            (lists_explain, "explain"),
            (lists_page, "explain_page"),
            (paging, "explain"),
            (site, "picture_of"),
            (site, "program_of"),
        ):
            monkeypatch.setattr(module, name, pytest.fail)
        for url in (lamp, everything, "/", "/categories/", "/rankings/most-loved/"):
            assert visit(url, **headers).status == 200

    def test_has_no_address_of_its_own_for_programs_to_show(self, everything):
        assert "here_url" not in visit(everything).response.context


class TestAPageOpenedWithItsExplanation:
    def test_shows_it_unfolded_at_its_anchor(self, everything):
        details = visit(with_explanation(everything)).page.one("details", id="explanation")
        assert "open" in details.attributes
        assert details.one("summary", id="explanation-chip")
        assert details.one("table", class_="ledger-queries")

    def test_reads_what_the_page_reads_without_it(self, lamp):
        visit(lamp)
        found = []
        whole = with_explanation(lamp)
        for url, headers in ((lamp, {}), (whole, {}), (whole, HTMX)):
            with metered() as meter:
                shown = visit(url, **headers)
            found.append((meter.calls, meter.rounds, meter.units, summary(shown)))
        assert found == [found[0]] * 3

    def test_is_in_no_index_and_names_the_page_without_it(self, lamp):
        head = visit(with_explanation(lamp)).page.one("head")
        assert head.one("meta", name="robots")["content"] == "noindex, follow"
        assert head.one("link", rel="canonical")["href"].endswith(lamp)
        assert visit(lamp).page.one("head").all("meta", name="robots") == []

    @pytest.mark.parametrize("headers", [{}, HTMX])
    def test_is_kept_by_no_cache(self, lamp, everything, headers):
        for url in (lamp, everything, "/", "/comments/explained-lamp-0000/"):
            response = visit(with_explanation(url), **headers).response
            assert response["Cache-Control"] == "private, no-store", url
            assert "ETag" not in response, url

    def test_has_no_links_with_it(self, lamp, everything):
        for url in (lamp, f"{everything}?order=oldest", "/"):
            page = visit(with_explanation(url)).page
            addresses = [
                element[name]
                for name in ("href", "hx-get", "action")
                for element in page.all(**{name.replace("-", "_"): True})
            ]
            assert [one for one in addresses if "explain=" in one] == []

    def test_stays_so_where_it_has_become_the_first_page(self, everything, settings):
        settings.PAGE_SIZE = 50
        answer = visit(with_explanation(visit(everything).last or f"{everything}?before=end"))
        assert answer.response["Location"] == with_explanation(everything)


class TestWhatAScriptGets:
    def test_is_the_explanation_alone(self, lamp):
        (details,) = visit(with_explanation(lamp), **HTMX).page.elements
        assert (details.tag, details["id"]) == ("details", "explanation")

    def test_is_nothing_but_that_of_a_member_of_staff_either(self):
        sam = someone("sam", is_staff=True)
        page = sam.get("/staff/comments/?explain=1", htmx=True).page
        assert [element.tag for element in page.elements] == ["details"]

    def test_is_with_a_list_what_was_open_before_it(self, everything):
        shown = visit(everything, **OPEN_LIST)
        (root,) = shown.page.elements
        assert root["id"] == "comments"
        assert root.one("details", id="explanation").one("table", class_="ledger-queries")
        assert shown.response["Cache-Control"] == "private, no-store"

    def test_is_told_apart_by_caches(self, everything):
        assert "Dynapages-Explained" in visit(everything).response["Vary"]
