"""The pages of a product's comments, as a visitor without a browser reads them.

The list and its pages are read by both read models.
"""

import re
from datetime import timedelta
from urllib.parse import quote, urlsplit

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from comments.items import NewComment
from comments.rankings.services import RankHint, refresh_ranks
from shop.catalogue.services import ensure_products
from tests.support.comments.browsing import HTMX, Shown, follow, shown, visit
from tests.support.comments.loading import load
from tests.support.comments.truth import ODD_IDS, START, Truth, numbered_comments, written
from tests.support.comments.writers import someone

pytestmark = pytest.mark.usefixtures("tables")

EVERYTHING = "/products/lamp/comments/~/~/"
NASTY = """<script>alert("1")</script>'"><img src=x onerror=alert(2)>{{ 7|add:7 }}&amp;"""


@pytest.fixture(scope="module")
def lamp(tables):
    """45 comments in German and English on the product ``lamp``."""
    return loaded(numbered_comments("lamp", count=45, languages=("de", "en")))


def loaded(comments: list[NewComment]) -> Truth:
    load(comments)
    return Truth(comments)


@pytest.fixture(scope="module")
def lamp_by_both(model):
    """The same product, for each read model."""
    return loaded(numbered_comments("lamp", count=45, languages=("de", "en")))


class TestListOfComments:
    def test_shows_the_newest_first_with_what_scripts_hold_on_to(self, lamp_by_both):
        shown = visit("/products/lamp/comments/~/~/")
        newest = lamp_by_both.comments[0]
        element = shown.page.all(data_comment_id=True)[0]
        assert shown.comment_ids == lamp_by_both.ids()[:20]
        assert element["data-comment-id"] == newest.id
        assert element["data-rating"] == str(newest.rating)
        assert element["data-language"] == newest.language
        assert element["data-created"] == "2026-11-20T10:14:00.000000Z"
        assert newest.body in element.text

    def test_is_walked_back_from_its_last_page(self, lamp_by_both):
        url = "/products/lamp/comments/~/~/"
        there = list(follow(url, "older"))
        assert [i for shown in there for i in shown.comment_ids] == lamp_by_both.ids()
        assert {shown.last for shown in there} == {f"{url}?before=end", None}
        last = visit(there[0].last)
        before = visit(last.newer)
        assert before.comment_ids + last.comment_ids == lamp_by_both.ids()[-40:]
        assert (last.older, last.last, last.first, there[0].first) == (None, None, url, None)
        assert visit(before.newer).response["Location"] == url

    @pytest.mark.parametrize("filtered", ["de/1", "ja/~"])
    def test_of_one_page_has_its_first_page_for_the_last(self, lamp, filtered):
        url = f"/products/lamp/comments/{filtered}/"
        response = Client().get(f"{url}?before=end")
        assert (response.status_code, response["Location"]) == (302, url)

    @pytest.mark.fallback
    def test_of_exactly_a_page_has_no_second_one(self, fresh):
        product_id = fresh("product")
        load(numbered_comments(product_id, count=20))
        shown = visit(f"/products/{product_id}/comments/~/~/")
        assert len(shown.comment_ids) == 20
        assert shown.older is None

    def test_says_so_when_it_is_empty(self, lamp_by_both):
        shown = visit("/products/lamp/comments/ja/~/")
        assert shown.status == 200
        assert shown.comment_ids == []
        assert "No comments match" in shown.page.one(class_="empty").text
        assert (
            shown.page.one(class_="empty").one("a")["href"]
            == f"{EVERYTHING}?remember=languages#comments"
        )

    def test_of_a_product_nobody_wrote_about_is_a_page_all_the_same(self, fresh):
        product_id = fresh("product")
        ensure_products(product_ids=[product_id])
        for url in (f"/products/{product_id}/", f"/products/{product_id}/comments/~/~/"):
            assert "No comments yet" in visit(url).page.one(class_="empty").text

    @pytest.mark.fallback
    def test_leads_back_to_the_first_page_itself_when_less_than_a_page_is_in_front(self, fresh):
        product_id = fresh("product")
        comments = numbered_comments(product_id, count=30)
        load(comments[:25])
        second = visit(visit(f"/products/{product_id}/comments/~/~/").older)
        assert second.newer is not None
        load(comments[25:])
        back = Client().get(second.newer)
        assert back.status_code == 200
        shorter = visit(f"/products/{product_id}/comments/~/~/")
        third_in = visit(shorter.older).newer
        assert visit(third_in).comment_ids == shorter.comment_ids


class TestCanonicalAddress:
    def test_is_where_other_spellings_lead(self, lamp):
        url = "/products/lamp/comments/{}/?after=x&b=%C3%A4"
        response = Client().get(url.format("De.en.de/5.1"))
        assert response.status_code == 301
        assert response["Location"] == url.format("de.en/1.5")

    @pytest.mark.parametrize("spelled", ["%7E/%7e", "de%2Een/1"])
    def test_is_answered(self, lamp, spelled):
        assert visit(f"/products/lamp/comments/{spelled}/").status == 200


class TestRefusals:
    @pytest.mark.parametrize(
        ("spelled", "allowed"),
        [
            ("xx/~", "ISO 639-1"),
            ("%ff/~", "ISO 639-1"),
            ("~/6", "1, 2, 3, 4 and 5"),
            ("~/%D9%A3", "1, 2, 3, 4 and 5"),
        ],
    )
    def test_of_a_filter_says_what_is_allowed(self, lamp, spelled, allowed):
        shown = visit(f"/products/lamp/comments/{spelled}/")
        assert shown.status == 400
        assert allowed in shown.page.one(class_="lede").text
        assert shown.page.one("main").one(class_="button")["href"] == EVERYTHING

    def test_is_a_fragment_for_htmx_that_leaves_the_list(self, lamp):
        shown = visit("/products/lamp/comments/xx/~/", **HTMX)
        assert shown.status == 400
        assert shown.response["HX-Retarget"] == "#notice"
        assert shown.response["HX-Push-Url"] == "false"
        assert "ISO 639-1" in shown.page.text
        assert shown.page.all("html") == []

    @pytest.mark.parametrize("odd", ["nothing", "%00", "x" * 3_000])
    @pytest.mark.parametrize("url", ["products/{}", "products/{}/comments/de/1", "comments/{}"])
    def test_of_what_is_not_there_is_404_with_a_sentence(self, tables, url, odd):
        shown = visit(f"/{url}/".format(odd))
        assert shown.status == 404
        assert len(shown.page.one(class_="lede").text) > 20

    def test_of_what_is_not_there_is_a_fragment_for_htmx_too(self, tables):
        shown = visit("/products/nothing/", **HTMX)
        assert (shown.status, shown.response["HX-Retarget"]) == (404, "#notice")
        assert shown.page.all("html") == []
        assert shown.page.one("p").text


class TestToggles:
    def test_of_some_ratings_add_and_take_out(self, lamp):
        shown = visit("/products/lamp/comments/~/2.4/")
        leads = {r: shown.toggle("rating", r)["hx-get"].split("/")[-2] for r in "12345"}
        pressed = {r for r in "12345" if shown.toggle("rating", r)["aria-pressed"] == "true"}
        assert leads == {"1": "1.2.4", "2": "4", "3": "2.3.4", "4": "2", "5": "2.4.5"}
        assert pressed == {"2", "4"}
        assert shown.toggle("all-ratings")["aria-pressed"] == "false"
        assert shown.toggle("all-ratings")["hx-get"] == "/products/lamp/comments/~/~/"

    def test_offer_the_languages_written_in_and_those_chosen(self, lamp):
        shown = visit("/products/lamp/comments/ja/~/")
        toggles = shown.page.all("a", data_toggle="language")
        assert {toggle["data-value"] for toggle in toggles} == {"de", "en", "ja"}

    def test_start_at_the_first_page(self, lamp):
        second = visit(visit("/products/lamp/comments/~/~/").older)
        for toggle in second.page.all("a", data_toggle=True):
            assert urlsplit(toggle["hx-get"]).query in {"", "remember=languages"}


class TestAllLanguages:
    """Chosen once, they are chosen on the next product too."""

    @pytest.fixture(autouse=True)
    def next_lamp(self, lamp):
        loaded(numbered_comments("next-lamp", count=4, languages=("de", "en")))

    @pytest.fixture
    def visitor(self):
        return Client(headers={"Accept-Language": "de"})

    def press(self, visitor: Client, url: str, kind: str, value: str = "~") -> Shown:
        """Follow a toggle of the page at a URL."""
        toggle = shown(visitor.get(url)).toggle(kind, value)
        return shown(visitor.get(toggle["hx-get"], follow=True))

    def test_are_remembered_on_the_next_product(self, visitor):
        assert self.languages(visitor) == ["de"]
        pressed = self.press(visitor, "/products/lamp/", "all-languages")
        assert pressed.response.redirect_chain == [(EVERYTHING, 302)]
        assert self.languages(visitor) == ["~"]

    def test_are_chosen_too_by_taking_out_the_last_language(self, visitor):
        self.press(visitor, "/products/lamp/", "language", "de")
        assert self.languages(visitor) == ["~"]

    def test_are_forgotten_once_one_is_chosen(self, visitor):
        self.press(visitor, "/products/lamp/", "all-languages")
        self.press(visitor, "/products/lamp/", "language", "en")
        assert self.languages(visitor) == ["de"]

    def test_are_not_chosen_by_another_link_to_them(self, visitor):
        visitor.get(EVERYTHING)
        assert self.languages(visitor) == ["de"]

    def test_are_kept_by_this_browser_for_a_year_and_by_no_shared_cache(self, visitor):
        response = visitor.get(f"{EVERYTHING}?order=oldest&remember=languages&month=2026-01")
        assert response["Location"] == f"{EVERYTHING}?order=oldest&month=2026-01"
        cookie = response.cookies[settings.COMMENTS["LANGUAGES_COOKIE"]]
        assert (cookie["max-age"], cookie["httponly"]) == (365 * 24 * 3600, True)
        assert "private" in response["Cache-Control"]

    def languages(self, visitor: Client) -> list[str]:
        """Which languages the page of another product shows, `~` for all."""
        page = shown(visitor.get("/products/next-lamp/")).page
        kinds = page.all("a", data_toggle="all-languages") + page.all("a", data_toggle="language")
        return [toggle["data-value"] for toggle in kinds if toggle["aria-pressed"] == "true"]


class TestProductPage:
    @pytest.mark.parametrize(
        ("header", "languages"),
        [("fr, en;q=0.2, de;q=0.7", ["de"]), ("fr, ja", []), ("", [])],
    )
    def test_shows_the_visitors_language(self, lamp, header, languages):
        shown = visit("/products/lamp/", Accept_Language=header)
        assert shown.comment_ids == lamp.ids(languages)[:20]

    def test_has_all_languages_one_click_away(self, lamp):
        shown = visit("/products/lamp/", Accept_Language="de")
        links = [a["href"] for a in shown.page.all("a") if a.text == "Filter zurücksetzen"]
        assert "In Ihrer Sprache." in shown.page.text
        assert set(links) == {f"{EVERYTHING}#comments"}

    def test_leads_from_the_number_of_all_comments_to_all_of_them(self, lamp):
        for languages, words, href in (
            ("de", "45 Kommentaren", f"{EVERYTHING}#comments"),
            ("", "45 comments", "#comments"),
        ):
            page = visit("/products/lamp/", Accept_Language=languages).page
            link = page.one(class_="average").one("a")
            assert (link.text, link["href"]) == (words, href)

    def test_goes_on_in_the_language_it_began_with(self, lamp):
        second = visit(visit("/products/lamp/", Accept_Language="de").older, Accept_Language="en")
        assert second.comment_ids == lamp.ids(["de"])[20:40]

    def test_tells_the_latest_praise_and_criticism_and_when_it_was_commented_on(self, lamp):
        shown = visit("/products/lamp/")
        praise, criticism = shown.page.all(class_="highlight")
        newest = {
            ratings: next(c for c in lamp.comments if c.rating in ratings)
            for ratings in ((4, 5), (1, 2))
        }
        assert newest[4, 5].body in praise.text
        assert newest[1, 2].body in criticism.text
        facts = shown.page.one(class_="product-facts")
        assert facts.one("time")["datetime"].startswith("2026-11-20T10:14:00")

    def test_takes_praise_and_criticism_from_the_visitors_language(self, fresh):
        product_id = fresh("product")
        later = START + timedelta(days=1)
        load(
            [
                written(product_id, id=f"{product_id}-1", language="de", rating=5, body="Gut."),
                written(product_id, id=f"{product_id}-2", rating=5, body="Good.", created_at=later),
            ]
        )
        refresh_ranks({product_id: RankHint()})
        shown = visit(f"/products/{product_id}/", Accept_Language="de")
        praise, criticism = shown.page.all(class_="highlight")
        assert "Gut." in praise.text
        assert "Noch hat niemand" in criticism.text
        assert "21. November 2026" in shown.page.one(class_="product-facts").text


class TestPageOfAList:
    @pytest.mark.parametrize("part", ["~/~", "de/~", "~/1.2"])
    def test_shows_the_product_in_brief(self, lamp, part):
        page = visit(f"/products/lamp/comments/{part}/").page
        heading = page.one("h1")
        assert (heading.text, heading.one("a")["href"]) == ("lamp", "/products/lamp/")
        assert page.all(class_="highlights") == []
        assert page.all(id="also-bought") == []

    def test_leads_on_to_the_list_on_its_page(self, lamp):
        page = visit("/products/lamp/comments/~/~/").page
        link = page.one("a", rel="next")
        assert link["href"] == f"{link['hx-get']}#list-heading"

    def test_says_which_part_of_the_list_it_is(self, lamp):
        first = visit(EVERYTHING)
        second = visit(first.older or "")
        extent = "21\u201340 of 45"
        assert first.page.one("head").one("title").text == "Comments · lamp · Dynashop"
        assert second.page.one("head").one("title").text == f"Comments, {extent} · lamp · Dynashop"
        assert second.page.one(id="comments")["data-announce"] == f"Comments: {extent}"

    def test_is_reached_from_the_keyboard_without_what_is_above_it(self, lamp):
        links = visit("/products/lamp/").page.all(class_="skip-link")
        assert [link["href"] for link in links] == ["#main", "#list-heading"]


class TestFragments:
    @pytest.mark.fallback
    def test_are_what_htmx_gets(self, lamp):
        url = visit(EVERYTHING).older
        page, shown = visit(url), visit(url, **HTMX)
        (root,) = shown.page.elements
        assert (root.tag, root["id"]) == ("section", "comments")
        for hook in ("older", "newer", "comment_ids"):
            assert getattr(page, hook) == getattr(shown, hook)

    @pytest.mark.parametrize("header", ["HX-History-Restore-Request", "HX-Boosted"])
    def test_are_not_what_restores_a_page(self, lamp, header):
        shown = visit("/products/lamp/comments/~/~/", **HTMX, **{header: "true"})
        assert shown.page.one("html")
        assert shown.comment_ids == lamp.ids()[:20]

    @pytest.mark.parametrize("headers", [{}, HTMX])
    def test_are_told_apart_by_caches(self, lamp, headers):
        assert "HX-Request" in visit(EVERYTHING, **headers).response["Vary"]


ODD_PLACES = ("a/b 50%#c", "a.b", "a_b", "a b", "a:b", "ä", "a/b", "a_2Fb", "a%2Fb")
"""Ids of comments that differ only by signs which are not in ids of elements."""


class TestWhatVisitorsWrote:
    def test_is_found_by_its_odd_id(self, fresh, settings):
        settings.PAGE_SIZE = 50
        product_id = fresh("product")
        odd_ids = [*ODD_IDS, "x" * 128, "/a", "a//b", "a/", "%2F", "a\\b", "-", "a.b", "BODY"]
        comments = {odd: written(product_id, id=odd, body=f"It is {n}.")
                    for n, odd in enumerate(odd_ids)}  # fmt: skip
        load(comments.values())
        listed = visit(f"/products/{product_id}/comments/~/~/")
        assert {*listed.comment_ids} == comments.keys()
        for odd, comment in comments.items():
            links = listed.page.one(data_comment_id=odd).one("footer").all("a")
            link = next(each["href"] for each in links if each.all("time"))
            assert link == f"/comments/{quote(odd, safe='/~:@!$&*+,;=()' + chr(39))}/"
            alone = visit(link)
            assert alone.comment_ids == [odd]
            assert comment.body in alone.page.one(class_="comment-body").text

    def test_has_ids_of_elements_that_selectors_can_name(self, fresh, settings):
        settings.PAGE_SIZE = 50
        product_id = fresh("product")
        load([written(product_id, id=odd) for odd in ODD_PLACES])
        reader, staff = someone("reader"), someone("staff", is_staff=True)
        url = f"/products/{product_id}/comments/~/~/"
        report_url = reverse("comments:report_comment", args=["a/b 50%#c"])
        pages = [each.browser.get(url) for each in (reader, staff)]
        pages.append(reader.browser.get(report_url))
        pages.append(reader.browser.post(report_url, {}))  # without a reason: with an error
        for answer in pages:
            html = answer.content.decode()
            ids = re.findall(r'(?<= id=")[^"]*', html)
            assert len({*ids}) == len(ids) > 2
            assert [
                each for each in ids if not re.fullmatch(r"[A-Za-z][\w-]*", each, re.ASCII)
            ] == []
            for names in re.findall(r'(?<= aria-describedby=")[^"]*', html):
                assert {*ids}.issuperset(names.split())

    @pytest.mark.parametrize("body", [NASTY, NASTY + " long" * 400])
    def test_is_inert(self, fresh, body):
        product_id = fresh("product")
        comment = written(product_id, author=NASTY, title=NASTY, body=body)
        load([comment])
        urls = (
            f"/products/{product_id}/",
            f"/products/{product_id}/comments/~/~/",
            f"/comments/{comment.id}/",
        )
        for url in urls:
            page = visit(url).page
            assert all(one["src"].endswith("/drawing.svg") for one in page.all("img"))
            run = [one for one in page.all("script") if one.get("type") != "application/ld+json"]
            assert all(script.get("src") for script in run)
            element = page.one(data_comment_id=comment.id)
            assert element.text.count("""<script>alert("1")</script>'">""") >= 3
            assert "{{ 7|add:7 }}&amp;" in element.text

    @pytest.mark.fallback
    def test_is_shown_by_an_excerpt_and_as_a_whole_on_its_own_page(self, fresh):
        product_id = fresh("product")
        body = "word " * 900 + "THE END"
        comment = written(product_id, body=body)
        load([comment])
        listed = visit(f"/products/{product_id}/comments/~/~/").page.one(data_comment_id=comment.id)
        assert "THE END" not in listed.text
        read_on = listed.one(class_="read-on").one("a")
        assert visit(read_on["href"]).page.one(class_="comment-body").text == body

    def test_keeps_its_paragraphs_and_is_marked_with_its_language(self, fresh):
        comment = written(fresh("product"), language="ja", title="題", body="1.\r\n\r\n2.\n3.")
        load([comment])
        shown = visit(f"/comments/{comment.id}/").page
        assert [p.text for p in shown.one(class_="comment-body").all("p")] == ["1.", "2. 3."]
        assert shown.one("h1")["lang"] == "ja"

    def test_may_be_only_stars(self, fresh):
        comment = written(fresh("product"), author="", title="", body="")
        load([comment])
        assert "only stars" in visit(f"/comments/{comment.id}/").page.text
