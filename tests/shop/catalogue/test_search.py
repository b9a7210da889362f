"""Products by the beginnings of the words of their names: exactly those, on every page."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dynapages.calls import metered
from dynapages.django.refusals import Refusal
from dynapages.lists import PageRequest
from shop.catalogue.content import NewProduct
from shop.catalogue.items import MOST_WORDS, product_item, word_items
from shop.catalogue.search import (
    LONGEST_SEARCH,
    MOST_SEARCH_WORDS,
    SUGGESTED,
    find_products,
    parse_search,
)
from shop.catalogue.services import ensure_products, put_catalogue
from tests.support.catalogue.making import category
from tests.support.catalogue.searching import back, found_among, made_stem, put_named, there
from tests.support.chance import examples, unique

pytestmark = pytest.mark.usefixtures("tables")


@pytest.fixture
def stem():
    return made_stem()


def names_found(typed: str) -> list[str]:
    return [one.name for one in find_products(parse_search(typed), PageRequest(20)).items]


endings = st.text("abÄé", max_size=3)


class TestASearch:
    @pytest.mark.real_engine
    @given(
        before=st.lists(st.lists(endings, max_size=4), min_size=1, max_size=8),
        after=st.lists(st.lists(endings, max_size=4), max_size=8),
        typed=st.lists(endings, min_size=1, max_size=3),
        size=st.integers(1, 4),
        joint=st.sampled_from([" ", "-", " / ", "\0"]),
    )
    @settings(
        max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture]
    )
    def test_finds_what_brute_force_does_through_renames(self, before, after, typed, size, joint):
        stem, slug = made_stem(), unique("shelf")
        search = " ".join(f"{stem.upper()}{ending}" for ending in typed)
        known: dict[str, NewProduct] = {}
        for names in (before, after):
            spelled = [joint.join(f"{stem}{ending}" for ending in name) for name in names]
            known |= {product.id: product for product in put_named(*spelled, slug=slug)}
            truths = {
                leading: found_among(known.values(), search, leading)
                for leading in parse_search(search)
            }
            for leading, truth in truths.items():
                assert there(search, size, leading=leading) == truth
                assert back(search, size, leading=leading) == truth
            assert there(search, size) in truths.values()

    @pytest.mark.parametrize(
        ("name", "typed"),
        [
            ("Café Crème", "CAFE crè"),
            ("STRASSE", "straß"),
            ("Ćevapčići ½", "cevap 1"),
            ("Łódź", "lodz"),
            ("日本語の本", "日本"),
            ("한국 김치", "하"),
            ("عطر الورد", "الو"),
            ("สบู่", "สบ"),
            ("C3-PO (2.0)", "c3 2"),
        ],
    )
    def test_knows_words_of_any_script(self, name, typed):
        (product,) = put_named(name)
        assert product.id in there(typed)

    def test_finds_a_word_of_one_letter_by_itself_alone(self, stem):
        products = put_named(f"{stem} 7", f"{stem} 7up")
        assert [i for i in there("7") if i.startswith(products[0].id[:-2])] == [products[0].id]
        assert there(f"{stem} 7") == [one.id for one in products]

    def test_puts_the_whole_word_in_front_of_longer_ones(self, stem):
        put_named(f"A {stem}cake", f"Z {stem}", f"B {stem}s")
        assert names_found(stem) == [f"Z {stem}", f"A {stem}cake", f"B {stem}s"]

    def test_shows_what_lists_of_products_show(self, stem):
        (product,) = put_named(f"{stem} lamp")
        (found,) = find_products(parse_search(stem), PageRequest(20)).items
        assert (found.id, found.name, str(found.unit_price)) == (product.id, product.name, "1.00")
        assert [step.slug for step in found.trail] == list(product.category_slugs)

    def test_finds_no_longer_what_has_another_name_price_or_category(self, stem):
        (product,) = put_named(f"{stem} lamp")
        (slug,) = product.category_slugs
        other = replace(product, name=f"{stem}x torch", unit_price_cents=5)
        put_catalogue(categories=[category(slug)], products=[other])
        assert names_found(f"{stem} lam") == []
        (found,) = find_products(parse_search(f"{stem} tor"), PageRequest(20)).items
        assert (found.name, str(found.unit_price)) == (other.name, "0.05")

    def test_finds_what_an_import_brought(self, stem):
        ensure_products([unique("p")], names={}, originals={})
        ensure_products([product_id := unique("p")], names={product_id: f"Imported {stem}"})
        assert there(stem) == [product_id]


class TestWhatIsTyped:
    @pytest.mark.parametrize("typed", ["", "   ", "🙂", "!?*", "\0\x07", "\u200b", "́"])
    def test_may_have_no_words_and_reads_nothing(self, typed):
        with metered() as meter:
            assert find_products(parse_search(typed), PageRequest(20)).items == ()
        assert meter.calls == 0

    def test_has_few_words_and_characters(self):
        assert len(parse_search("a b c d e f g h")) == MOST_SEARCH_WORDS
        with pytest.raises(Refusal, match="8 words"):
            parse_search("a b c d e f g h i")
        assert parse_search("x" * LONGEST_SEARCH)
        with pytest.raises(Refusal, match="200 characters"):
            parse_search("x" * (LONGEST_SEARCH + 1))

    @pytest.mark.parametrize("letter", ["ﷺ", "\U00020000", "가"])
    def test_may_be_of_the_largest_letters(self, letter):
        assert there(letter * LONGEST_SEARCH) == []


class TestTheItems:
    def words(self, name: str, product_id: str = "1") -> list[str]:
        items = word_items(product_item(NewProduct(product_id, name, ())))
        return [item.sk.partition("$")[0] for item in items]

    def test_are_one_for_each_different_word(self):
        assert self.words("Pan, frying pan; Pan!") == ["frying", "pan"]
        assert self.words("!?") == []

    def test_are_bounded(self):
        name = " ".join(f"{number:02}" for number in range(30))
        assert self.words(name) == [f"{number:02}" for number in range(MOST_WORDS)]

    @pytest.mark.parametrize("letter", ["a", "\U00020000"])
    def test_fit_their_keys(self, letter):
        product_id = "\U00020000" * 128
        for name in (letter * 500, f"{letter * 90} {letter * 200}"):
            for item in word_items(product_item(NewProduct(product_id, name, ()))):
                assert len(item.sk.encode()) <= 1_024
                assert item.sk.endswith(f"#{product_id}")


@pytest.fixture(scope="module")
def many(tables):
    """300 products of a word, every tenth of them with another one."""
    stem = made_stem()
    names = [f"{stem} {number:03} {'rare' * (number % 10 == 0)}" for number in range(300)]
    return stem, put_named(*names)


@pytest.mark.real_engine
class TestAPage:
    def test_costs_a_unit_at_any_depth(self, many):
        stem, _ = many
        page = find_products(parse_search(stem), PageRequest(100)).page
        for entry in page.entries[::20]:
            with metered() as meter:
                read = find_products(parse_search(stem), PageRequest(20, entry.position))
            assert len(read.items) == 20
            assert (meter.calls, meter.units <= 1) == (1, True)

    @pytest.mark.parametrize("words", ["rare {}", "{} rare", "rar {} 1"])
    def test_of_several_words_is_led_by_the_rarest(self, many, words):
        stem, _ = many
        typed = parse_search(words.format(stem))
        with metered() as meter:
            read = find_products(typed, PageRequest(5))
        assert read.leading.startswith("rar")
        assert len(read.items) == 5
        assert meter.units <= 2.5
        assert (meter.rounds, meter.units) == (1, read.page.capacity_units)

    def test_is_led_by_the_same_word_as_the_page_before(self, many):
        stem, products = many
        typed = parse_search(f"{stem} rare")
        with metered() as meter:
            read = find_products(typed, PageRequest(5), leading=stem)
        assert (read.leading, meter.calls == read.page.rounds) == (stem, True)
        assert [item.id for item in read.items] == [product.id for product in products[:50:10]]

    def test_keeps_within_its_units_and_goes_on(self, many):
        stem, products = many
        request = PageRequest(20, most_units=2)
        read = find_products(parse_search(f"{stem} rare"), request, leading=stem)
        assert read.page.capacity_units <= 2
        assert 0 < len(read.items) < 20
        assert read.page.has_next
        rare = [product.id for product in products[::10]]
        assert there(f"{stem} rare", 20, most_units=2, leading=stem) == rare

    def test_of_suggestions_is_one_query(self, many):
        stem, products = many
        with metered() as meter:
            found = find_products(parse_search(stem), SUGGESTED)
        assert [one.id for one in found.items] == [product.id for product in products[:8]]
        assert (meter.calls, meter.units) == (1, 0.5)
