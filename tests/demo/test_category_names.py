"""The names of the sample's categories on pages in German and in English."""

import re

import pytest
from django.test import Client
from django.utils.translation import override

from demo.sample.catalogue import sample_catalogue
from demo.sample.category_names import TRANSLATED_NAMES
from shop.catalogue.content import NewCategory, NewProduct
from shop.catalogue.queries import find_category
from shop.catalogue.services import put_catalogue
from shop.catalogue.shown_names import shown_category
from shop.catalogue.tiles import Category
from tests.support.comments.writers import someone
from tests.support.markup import read_markup

pytestmark = pytest.mark.usefixtures("tables")

SAMPLE = sample_catalogue()
CATEGORIES = (*SAMPLE.categories, *SAMPLE.subcategories)
ENGLISH = [category.name for category in CATEGORIES]
PRODUCT = "ding-7"
PAGES = (
    "/",
    "/categories/",
    "/products/",
    "/search/?q=ding",
    f"/products/{PRODUCT}/",
    f"/products/{PRODUCT}/comments/~/~/",
    f"/products/{PRODUCT}/also-bought/",
    *(f"/categories/{category.slug}/" for category in CATEGORIES),
    *(f"/categories/{category.slug}/?order=name" for category in CATEGORIES[:2]),
)


@pytest.fixture(scope="module", autouse=True)
def catalogue(tables):
    """The sample's categories, with products whose own names are none of English."""
    subcategories = [category.slug for category in SAMPLE.subcategories]
    products = [NewProduct(PRODUCT, "Ding 7", ("kitchen", *subcategories), "Ein Ding.")]
    for category in SAMPLE.categories:
        products.append(NewProduct(f"ding-{category.slug}", "Ding", (category.slug,)))
    put_catalogue(categories=CATEGORIES, products=products)


def page_in(language: str, address: str) -> str:
    answer = Client(headers={"Accept-Language": language}).get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def names_on(page: str) -> set[str]:
    """Return the English names of categories that a page has, in whatever part of it."""
    text = page.replace("&amp;", "&").replace("\\u0026", "&")
    return {name for name in ENGLISH if re.search(rf"(?<![\w/=#-]){name}(?![\w-])", text)}


@pytest.mark.parametrize("address", PAGES)
def test_no_page_in_german_has_an_english_name(address):
    assert names_on(page_in("de", address)) == set()


def test_the_choice_of_staff_has_german_names():
    staff = someone("staff", is_staff=True)
    staff.browser.defaults["HTTP_ACCEPT_LANGUAGE"] = "de"
    answer = staff.browser.get("/staff/products/new/")
    assert names_on(answer.content.decode()) == set()


def test_pages_in_english_have_the_names_that_are_stored():
    assert names_on(page_in("en", "/categories/")) == set(ENGLISH)


def test_a_category_that_the_shop_renames_is_shown_as_it_is_stored():
    put_catalogue(categories=[NewCategory("games", "Dice & Cards")], products=[])
    markup = read_markup(page_in("de", "/categories/games/"))
    assert markup.one("h1").text == "Dice & Cards"
    put_catalogue(categories=[each for each in CATEGORIES if each.slug == "games"], products=[])


def test_what_is_stored_keeps_its_name():
    page_in("de", "/categories/kitchen/")
    assert find_category("kitchen").name == "Kitchen"


def test_each_category_has_its_name_to_translate():
    to_translate = {str(name) for name in TRANSLATED_NAMES}
    assert to_translate == set(ENGLISH)


@pytest.mark.parametrize("category", CATEGORIES, ids=lambda category: category.slug)
def test_each_name_has_german(category):
    with override("de"):
        shown = shown_category(Category(category.slug, category.name))
    assert shown.name != category.name
