"""The page on which staff see the topics of a product, and ban words as topics."""

import pytest

from comments import keys
from comments.models import TABLE
from comments.topics import banning
from comments.topics.banning import ban
from comments.topics.bans import read_banned, read_banned_for_all
from dynapages.calls import clock
from dynapages.process import client
from tests.support.comments.browsing import Shown, shown
from tests.support.comments.faulty import before_the_next_transaction
from tests.support.comments.topical import Word, put_topics, with_topics
from tests.support.comments.writers import Writer, made_product
from tests.support.markup import Element

pytestmark = pytest.mark.usefixtures("few_items", "shop_has_topics")
BATTERY, WHEEL = ("en", "batteri"), ("en", "wheel")
WORDS = {
    "en": (Word("battery", 1483, 193), Word("wheels", 60, 60)),
    "de": (Word("Akku", 47, 6),),
    "fr": (),
}


@pytest.fixture
def shop_has_topics():
    client().delete_item(TableName=TABLE, Key=keys.banned_topics())
    with with_topics():
        yield


@pytest.fixture
def scooter():
    return put_topics(made_product(), WORDS)


def url(product_id: str) -> str:
    return f"/staff/products/{product_id}/topics/"


def send(writer: Writer, product_id: str, **fields: str) -> Shown:
    return writer.post(url(product_id), fields)


def in_german(writer: Writer, address: str) -> Element:
    return shown(writer.browser.get(address, headers={"Accept-Language": "de"})).page


def section(page: Element, title: str) -> Element:
    return page.one("section", aria_labelledby=title)


def topics_on(page: Element) -> list[str]:
    """The topics, as they are listed, each without its buttons."""
    found = []
    for item in section(page, "topics-title").all("li"):
        found.append(item.text.partition(" Not for this product")[0])
    return found


def banned_on(page: Element) -> list[list[str]]:
    """What is banned for the product, and for all."""
    lists = []
    for form in section(page, "banned-title").all("form"):
        lists.append([button["value"] for button in form.all("button")])
    return lists


class TestThePage:
    def test_shows_the_topics_in_all_languages(self, sam, scooter):
        page = sam.get(url(scooter)).page
        assert topics_on(page) == [
            "battery · 1,483 · 13 % happy",
            "wheels · 60 · 100 % happy",
            "Akku · 47 · 13 % happy",
        ]
        assert [each.text for each in section(page, "topics-title").all("h3")] == [
            "English",
            "German",
        ]
        assert {each["datetime"] for each in page.all("time")} == {"2026-11-27T08:30:00Z"}

    def test_leads_to_the_comments_with_a_word(self, sam, scooter):
        links = section(sam.get(url(scooter)).page, "topics-title").all("a")
        assert links[0]["href"] == f"/products/{scooter}/comments/en/~/?q=battery#comments"

    def test_says_all_in_german(self, sam, scooter):
        ban(scooter, WHEEL, everywhere=False, now=clock.now())
        page = in_german(sam, url(scooter))
        assert page.one("h1").text == "Themen und gesperrte Wörter"
        assert "battery · 1.483 · 13 % zufrieden" in page.text
        assert "wheel Englisch Wieder erlauben" in page.text

    def test_says_that_there_are_no_topics(self, sam):
        page = sam.get(url(made_product())).page
        assert "no topics: they are looked for" in section(page, "topics-title").text
        assert banned_on(page) == []

    def test_is_of_a_product_that_there_is(self, sam):
        assert sam.get(url("no-such-product")).status == 404
        assert send(sam, "no-such-product", ban="all", word="lamp", language="en").status == 404
        assert read_banned_for_all() == frozenset()

    def test_is_for_staff_alone(self, ann, scooter):
        assert ann.get(url(scooter)).status == 404
        assert send(ann, scooter, ban="product", word="battery", language="en").status == 404
        assert read_banned(scooter) == frozenset()

    def test_says_where_topics_are_switched_off(self, sam, scooter, settings):
        settings.COMMENTS = {**settings.COMMENTS, "TOPICS": False}
        assert "shows no topics at present" in sam.get(url(scooter)).page.text

    def test_is_linked_for_staff_on_the_products_page(self, sam, ann, scooter):
        link = f'href="{url(scooter)}"'
        assert link in sam.get(f"/products/{scooter}/").response.content.decode()
        assert link not in ann.get(f"/products/{scooter}/").response.content.decode()
        # Also where nothing is left to be shown: something may be banned.
        bare = made_product()
        assert url(bare) in sam.get(f"/products/{bare}/").response.content.decode()

    def test_is_not_linked_where_there_are_no_topics(self, sam, scooter, settings):
        settings.COMMENTS = {**settings.COMMENTS, "TOPICS": False}
        assert url(scooter) not in sam.get(f"/products/{scooter}/").response.content.decode()


class TestAButton:
    def test_bans_a_topic_of_the_product(self, sam, scooter):
        form = section(sam.get(url(scooter)).page, "topics-title").all("form")[0]
        (word, language) = (form.one("input", name=name)["value"] for name in ("word", "language"))
        answer = send(sam, scooter, ban="product", word=word, language=language)
        assert answer.response.redirect_chain == [(url(scooter), 302)]
        assert answer.messages == ["“battery” is no topic of this product any more."]
        assert topics_on(answer.page)[0] == "wheels · 60 · 100 % happy"
        assert banned_on(answer.page) == [["en/batteri"]]
        assert read_banned_for_all() == frozenset()

    def test_bans_a_topic_of_all_products(self, sam, scooter):
        answer = send(sam, scooter, ban="all", word="battery", language="en")
        assert answer.messages[0].startswith("“battery” is banned for all products: it is gone")
        assert read_banned_for_all() == {BATTERY}
        assert banned_on(answer.page) == [["en/batteri"]]

    def test_says_what_was_banned_already(self, sam, scooter):
        ban(scooter, BATTERY, everywhere=False, now=clock.now())
        answer = send(sam, scooter, ban="product", word="Batteries", language="en")
        assert answer.messages == ["“Batteries” was banned already."]

    @pytest.mark.parametrize(("of", "everywhere"), [("product", False), ("all", True)])
    def test_allows_a_word_again(self, sam, scooter, of, everywhere):
        ban(scooter, BATTERY, everywhere=everywhere, now=clock.now())
        answer = send(sam, scooter, allow="en/batteri", of=of)
        assert answer.messages == [
            "“batteri” is allowed again: it comes back when topics are made anew."
        ]
        assert read_banned(scooter) == frozenset()
        answer = send(sam, scooter, allow="en/batteri", of=of)
        assert answer.messages == ["“batteri” was allowed already."]

    @pytest.mark.parametrize(
        "fields",
        [
            {},
            {"word": "battery", "language": "en"},
            {"word": "battery", "language": "en", "ban": "some"},
            {"allow": "en/batteri"},
            {"allow": "en/batteri", "of": "some"},
            {"allow": "en/", "of": "all"},
            {"allow": "batteri", "of": "all"},
        ],
    )
    def test_says_which_word_is_meant_and_for_what(self, sam, scooter, fields):
        answer = send(sam, scooter, **fields)
        assert answer.status == 400
        assert "does not say which word to ban or to allow" in answer.page.text
        assert read_banned(scooter) == frozenset()


class TestAWordThatIsTyped:
    def test_need_not_be_shown(self, sam, scooter):
        answer = send(sam, scooter, ban="product", word=" Brakes ", language="en")
        assert answer.messages == ["“Brakes” is no topic of this product any more."]
        assert read_banned(scooter) == {("en", "brake")}

    @pytest.mark.parametrize(
        ("word", "language", "sentence"),
        [
            ("", "en", "This field is required."),
            ("two words", "en", "Enter one word, of letters and digits."),
            ("e-bike", "en", "Enter one word, of letters and digits."),
            ("!?", "en", "Enter one word, of letters and digits."),
            ("the", "en", "This word is so common in the language that it is never a topic."),
            ("der", "de", "This word is so common in the language that it is never a topic."),
            ("x" * 41, "en", "at most 40 characters"),
            ("lamp", "xx", "xx is not one of the available choices"),
            ("a b c d e f g h j", "en", "Enter one word"),
        ],
    )
    def test_comes_back_with_what_is_wrong(self, sam, scooter, word, language, sentence):
        answer = send(sam, scooter, ban="product", word=word, language=language)
        assert answer.status == 422
        form = section(answer.page, "ban-title").one("form")
        assert sentence in form.text
        assert form.one("input", name="word").attributes.get("value", "") == word
        assert read_banned(scooter) == frozenset()

    def test_comes_back_where_too_many_are_banned(self, sam, scooter, monkeypatch):
        monkeypatch.setattr(banning, "MOST_OF_PRODUCT", 1)
        ban(scooter, BATTERY, everywhere=False, now=clock.now())
        answer = send(sam, scooter, ban="product", word="brake", language="en")
        assert answer.status == 422
        assert "As many words are banned for this product as there may be" in answer.page.text

    def test_is_in_the_visitors_language_at_first(self, sam, scooter):
        page = in_german(sam, url(scooter))
        chosen = [one["value"] for one in page.all("option") if "selected" in one.attributes]
        assert chosen == ["de"]


def test_many_decisions_of_staff_in_an_hour_are_refused(sam, scooter, monkeypatch):
    monkeypatch.setattr("comments.web.rate_limits.STAFF_WRITES_PER_USER", 1)
    send(sam, scooter, ban="product", word="battery", language="en")
    answer = send(sam, scooter, ban="product", word="wheels", language="en")
    assert answer.status == 429
    assert read_banned(scooter) == {BATTERY}


def test_a_word_that_others_ban_at_the_same_time_is_banned_with_it(sam, scooter):
    """What the page has read first is read once more where it has changed."""

    def ban_another() -> None:
        ban(scooter, WHEEL, everywhere=False, now=clock.now())

    with before_the_next_transaction(ban_another):
        send(sam, scooter, ban="product", word="battery", language="en")
    assert read_banned(scooter) == {BATTERY, WHEEL}
