"""What buyers say, on a product's page: chips that lead to the comments with their word."""

from collections.abc import Sequence

import pytest
from django.test import Client
from django.utils.translation import override

from comments.filters import CommentFilter
from comments.host import NoSuchProduct
from comments.lists.listing import list_url
from comments.lists.search_queries import SearchRequest
from comments.lists.topics import find_topics, groups_of, read_groups, shown_topics
from comments.search.words import parse_search
from comments.topics.records import NO_TOPICS, TopicsOfProduct
from dynapages.calls import metered
from tests.support.comments.browsing import HTMX, visit
from tests.support.comments.loading import load
from tests.support.comments.options import comments_set
from tests.support.comments.searched import found_in, load_searched, searching
from tests.support.comments.topical import Word, put_topics, with_topics
from tests.support.comments.truth import numbered_comments, written
from tests.support.costs import Costs
from tests.support.markup import Element
from tests.support.orders.making import put_product

pytestmark = pytest.mark.usefixtures("tables")
ENGLISH = (Word("battery", 1483, 193), Word("wheels", 60, 60))
GERMAN = (Word("Akku", 47, 6),)
WORDS = {"en": ENGLISH, "de": GERMAN, "fr": ()}


@pytest.fixture
def lamp(fresh):
    """A product with topics in English and German, and comments in these and in Dutch."""
    product_id = put_product(fresh("lamp"))
    load(numbered_comments(product_id, count=30, languages=["en", "de", "nl"]))
    return put_topics(product_id, WORDS)


@pytest.fixture
def shop_has_topics(lamp):
    """What is loaded has no postings: it is loaded before."""
    with with_topics():
        yield


def page_of(product_id: str, language: str) -> Element:
    return visit(f"/products/{product_id}/", accept_language=language).page


def chips(element: Element) -> list[str]:
    return [chip.text for chip in element.all("a", class_="chip")]


def headings(element: Element) -> list[str]:
    paragraphs = [paragraph for paragraph in element.all("p") if paragraph.all("time")]
    return [paragraph.text.partition(", as of")[0] for paragraph in paragraphs]


def topics_on(page: Element) -> list[Element]:
    return page.all("section", class_="topics")


@pytest.mark.usefixtures("shop_has_topics")
class TestAProductsPage:
    def test_shows_the_words_of_the_visitors_language(self, lamp):
        (section,) = topics_on(page_of(lamp, "en"))
        folded = section.one("details")
        assert chips(section)[:2] == ["battery · 1,483 · 13 % happy", "wheels · 60 · 100 % happy"]
        assert chips(folded) == ["Akku · 47 · 13 % happy"]
        assert headings(section) == ["English", "German"]

    def test_says_all_in_german(self, lamp):
        (section,) = topics_on(page_of(lamp, "de"))
        assert section.one("h2").text == "Was Käufer sagen"
        assert chips(section) == [
            "Akku · 47 · 13 % zufrieden",
            "battery · 1.483 · 13 % zufrieden",
            "wheels · 60 · 100 % zufrieden",
        ]
        described = section.all("a", class_="chip")[1]["title"]
        assert described == "In 1.483 Kommentaren, davon 13 % mit vier oder fünf Sternen"
        assert section.one("summary").text == "In anderen Sprachen"
        assert "Deutsch, Stand 27. November 2026" in section.text

    def test_says_in_which_language_a_word_is(self, lamp):
        (section,) = topics_on(page_of(lamp, "de"))
        assert [word["lang"] for word in section.all("bdi")] == ["de", "en", "en"]

    def test_says_of_which_moment_the_numbers_are(self, lamp):
        (section,) = topics_on(page_of(lamp, "en"))
        assert "English, as of 27 November 2026" in section.text
        moments = {moment["datetime"] for moment in section.all("time")}
        assert moments == {"2026-11-27T08:30:00Z"}

    def test_folds_all_where_none_is_in_the_visitors_language(self, lamp):
        (section,) = topics_on(page_of(lamp, "nl"))
        assert chips(section) == chips(section.one("details"))
        assert headings(section) == ["English", "German"]

    def test_begins_with_most_comments_where_its_list_is_in_all_languages(self, lamp):
        (section,) = topics_on(page_of(lamp, "ja"))
        assert headings(section) == ["English", "German"]
        assert headings(section.one("details")) == ["German"]

    def test_names_no_language_where_there_is_one(self, lamp):
        put_topics(lamp, {"en": ENGLISH})
        (section,) = topics_on(page_of(lamp, "en"))
        assert headings(section) == ["As of 27 November 2026"]
        assert section.all("details") == []

    def test_leads_to_the_search_of_a_word_in_its_language(self, lamp):
        (section,) = topics_on(page_of(lamp, "en"))
        lists = f"/products/{lamp}/comments"
        assert [chip["href"] for chip in section.all("a", class_="chip")] == [
            f"{lists}/en/~/?q=battery#comments",
            f"{lists}/en/~/?q=wheels#comments",
            f"{lists}/de/~/?q=Akku#comments",
        ]

    def test_shows_nothing_where_nothing_was_found(self, lamp):
        put_topics(lamp, {"en": ()})
        assert topics_on(page_of(lamp, "en")) == []

    def test_is_another_to_caches_once_topics_are_made_anew(self, lamp):
        before = Client().get(f"/products/{lamp}/", headers={"Accept-Language": "en"})["ETag"]
        known = {"Accept-Language": "en", "If-None-Match": before}
        assert Client().get(f"/products/{lamp}/", headers=known).status_code == 304
        put_topics(lamp, {"en": ENGLISH}, version=2)
        assert Client().get(f"/products/{lamp}/", headers=known).status_code == 200

    def test_describes_no_topics_to_search_engines(self, lamp):
        page = page_of(lamp, "en")
        (described,) = page.all("script", type="application/ld+json")
        assert "battery" not in described.text

    @pytest.mark.parametrize("headers", [{}, HTMX])
    def test_of_a_list_shows_none(self, lamp, headers):
        answer = Client().get(f"/products/{lamp}/comments/en/~/", headers=headers)
        assert "What buyers say" not in answer.content.decode()


class TestWithoutTheOption:
    @pytest.mark.parametrize("options", [{}, {"TOPICS": True}, {"SEARCH": True}])
    def test_nothing_is_shown_or_read(self, lamp, options):
        with comments_set(**options):
            assert topics_on(page_of(lamp, "en")) == []
            with metered() as meter:
                assert find_topics(lamp) == NO_TOPICS
        assert meter.calls == 0

    def test_a_search_needs_topics_no_more_than_before(self, lamp):
        assert shown_topics(lamp, NO_TOPICS) is None


@pytest.mark.real_engine
class TestCosts:
    def costs(self, product_id: str, path: str = "") -> Costs:
        url = f"/products/{product_id}/{path}"
        visit(url, accept_language="en")
        with metered() as meter:
            visit(url, accept_language="en")
        return Costs.of(meter)

    def test_of_the_products_page_are_half_a_unit_more(self, lamp):
        without = self.costs(lamp)
        with with_topics():
            assert self.costs(lamp) == Costs(without.calls, without.rounds, without.units + 0.5)

    def test_of_its_lists_are_the_same(self, lamp):
        without = self.costs(lamp, "comments/en/~/")
        with with_topics():
            assert self.costs(lamp, "comments/en/~/") == without


@pytest.mark.real_engine
class TestALink:
    @pytest.fixture
    def comments(self, fresh, engine_name):
        """Comments in English and German; every third has a word that is a topic."""
        product_id = fresh("linked")
        comments = []
        for number in range(30):
            comments.append(
                written(
                    product_id,
                    id=f"{product_id}-{number}",
                    language=("en", "de")[number % 2],
                    title="",
                    body="The batteries are weak" if number % 3 == 0 else "A lamp",
                )
            )
        with searching(engine_name), with_topics():
            put_product(product_id)
            load_searched(comments)
            yield comments

    def test_finds_the_comments_with_the_word_in_its_language(self, comments):
        product_id = comments[0].product_id
        put_topics(product_id, {"en": [Word("battery", 5, 0)]})
        (section,) = topics_on(page_of(product_id, "en"))
        found = visit(section.one("a", class_="chip")["href"])
        wanted = found_in(comments, "battery", ["en"])
        assert found.comment_ids == wanted
        assert len(wanted) == 5


class TestGroups:
    def languages(self, topics: Sequence[object]) -> list[str]:
        return [group.language for group in topics]

    def test_are_read_with_the_product(self, lamp):
        with with_topics():
            assert self.languages(read_groups(lamp)) == ["en", "de"]

    def test_of_an_unknown_product_are_refused(self, fresh):
        with with_topics(), pytest.raises(NoSuchProduct):
            read_groups(fresh("nothing"))

    def test_name_their_language_in_the_active_one(self, lamp):
        with with_topics(), override("de"):
            assert [group.language_name for group in read_groups(lamp)] == ["Englisch", "Deutsch"]

    def test_have_the_addresses_that_searches_by_the_field_have(self, lamp):
        with with_topics():
            topics = [topic for group in read_groups(lamp) for topic in group.topics]
        chosen = [CommentFilter.of([language]) for language in ("en", "en", "de")]
        for topic, language in zip(topics, chosen, strict=True):
            search = SearchRequest(parse_search(topic.form))
            assert topic.url == list_url(lamp, language, search=search)

    def test_of_no_topics_are_none(self):
        assert groups_of("lamp", TopicsOfProduct()) == ()
