"""The pages on which staff create and edit products and categories."""

import pytest
from django.http import HttpResponse
from django.test import Client

from shop.accounts.queries import find_user
from shop.catalogue.content import NewProduct
from shop.catalogue.editing import find_editable, find_editable_category, save_product
from shop.catalogue.queries import find_category, find_product
from shop.catalogue.services import put_catalogue
from shop.work import QUEUE
from tests.support.catalogue.making import category
from tests.support.catalogue.switching import take_off
from tests.support.comments.browsing import visit
from tests.support.comments.writers import someone
from tests.support.config.addresses import browser_of
from tests.support.markup import Element, read_markup
from tests.support.work import work_off

pytestmark = pytest.mark.usefixtures("tables")


@pytest.fixture(scope="module")
def staff(tables) -> Client:
    return browser_of("staff", {"staff": someone("staff", is_staff=True)})


@pytest.fixture
def lamp(fresh):
    product = NewProduct(fresh("lamp"), "Lamp", (fresh("shelf"),), "Warm.", 1_999, "EUR")
    put_catalogue(categories=[category(product.category_slugs[0])], products=[])
    save_product(product)
    return product


def typed(form: Element) -> dict[str, object]:
    """What a form of a page sends if nothing is changed."""
    sent: dict[str, object] = {}
    for field in form.all("input"):
        if name := field.get("name"):
            sent[name] = field.get("value") or ""
    for area in form.all("textarea"):
        sent[area["name"]] = area.text.strip()
    for select in form.all("select"):
        chosen = [one["value"] for one in select.all("option") if "selected" in one.attributes]
        sent[select["name"]] = chosen if "multiple" in select.attributes else (*chosen, "")[0]
    return sent


def forms_of(answer: HttpResponse) -> list[Element]:
    """The form with the fields, then that of the button."""
    return read_markup(answer.content.decode()).one("main").all("form", method="post")


def form_at(browser: Client, url: str) -> dict[str, object]:
    return typed(forms_of(browser.get(url))[0])


class TestTheFormOfAProduct:
    def test_creates_one(self, staff, fresh):
        put_catalogue(categories=[category(slug := fresh("shelf"))], products=[])
        new = {"id": fresh("torch"), "name": "Torch", "unit_price_cents": "12.50"}
        answer = staff.post(
            "/staff/products/new/", {**new, "currency": "EUR", "category_slugs": [slug]}
        )
        assert answer["Location"] == f"/products/{new['id']}/"
        stored = find_editable(new["id"]).content
        assert stored == NewProduct(new["id"], "Torch", (slug,), "", 1_250, "EUR")

    def test_changes_what_was_typed_and_nothing_else(self, staff, lamp):
        url = f"/staff/products/{lamp.id}/edit/"
        assert staff.post(url, form_at(staff, url)).status_code == 302
        assert find_editable(lamp.id).content == lamp
        staff.post(url, {**form_at(staff, url), "name": "Torch"})
        assert find_product(lamp.id).name == "Torch"

    def test_takes_an_amount_as_germans_write_it(self, staff, lamp):
        url = f"/staff/products/{lamp.id}/edit/"
        sent = {**form_at(staff, url), "unit_price_cents": "7,25"}
        staff.post(url, sent, headers={"Accept-Language": "de"})
        assert find_editable(lamp.id).content.unit_price_cents == 725

    @pytest.mark.parametrize(
        "wrong",
        [
            {"name": ""},
            {"unit_price_cents": "-1"},
            {"unit_price_cents": "a lot"},
            {"currency": ""},
            {"currency": "euro"},
            {"category_slugs": ["no-such-category"]},
        ],
    )
    def test_comes_back_with_all_that_was_typed(self, staff, lamp, wrong):
        url = f"/staff/products/{lamp.id}/edit/"
        sent = {**form_at(staff, url), "description": "A <new> text.", **wrong}
        answer = staff.post(url, sent)
        assert answer.status_code == 422
        page = read_markup(answer.content.decode())
        assert page.one("textarea", name="description").text.strip() == "A <new> text."
        assert page.all(class_="errorlist")
        assert find_editable(lamp.id).content == lamp

    def test_comes_back_with_all_that_was_typed_where_its_token_is_old(self, staff, lamp):
        url = f"/staff/products/{lamp.id}/edit/"
        sent = {**form_at(staff, url), "name": "Torch"}
        for writer, status in ((someone("staff", is_staff=True), 403), (someone("alice"), 404)):
            careful = Client(enforce_csrf_checks=True)
            careful.force_login(find_user(writer.username))
            answer = careful.post(url, sent, headers={"Origin": "http://testserver"})
            assert answer.status_code == status
            assert ("send it once more" in answer.content.decode()) is (status == 403)
            assert ('value="Torch"' in answer.content.decode()) is (status == 403)
        assert find_editable(lamp.id).content == lamp

    def test_shows_what_somebody_else_has_saved_and_keeps_what_was_typed(self, staff, lamp):
        url = f"/staff/products/{lamp.id}/edit/"
        mine = {**form_at(staff, url), "name": "Mine"}
        staff.post(url, {**form_at(staff, url), "name": "Theirs"})
        answer = staff.post(url, mine)
        page = read_markup(answer.content.decode())
        assert (answer.status_code, page.one("dd").text.strip()) == (409, "Theirs")
        again = typed(forms_of(answer)[0])
        assert again["name"] == "Mine"
        staff.post(url, again)
        assert find_product(lamp.id).name == "Mine"

    def test_does_not_replace_another_product(self, staff, lamp):
        answer = staff.post("/staff/products/new/", {"id": lamp.id, "name": "Torch"})
        assert answer.status_code == 409
        assert find_product(lamp.id).name == "Lamp"

    @pytest.mark.parametrize("bad", ["a/b", "a b", "a.b", "x" * 129])
    def test_takes_only_an_id_that_an_address_can_hold(self, staff, bad):
        answer = staff.post("/staff/products/new/", {"id": bad, "name": "Torch"})
        assert answer.status_code == 422

    def test_takes_it_off_and_puts_it_back(self, staff, lamp):
        url = f"/staff/products/{lamp.id}/edit/"
        for is_off in (True, False):
            staff.post(url, form_at(staff, url) | ({"is_off": "on"} if is_off else {"is_off": ""}))
            assert find_editable(lamp.id).content.is_off is is_off


class TestThePageOfAProduct:
    def test_leads_staff_to_its_form(self, staff, lamp):
        address = f"/staff/products/{lamp.id}/edit/"
        assert address in staff.get(f"/products/{lamp.id}/").content.decode()
        assert address not in Client().get(f"/products/{lamp.id}/").content.decode()

    def test_says_that_it_is_no_longer_sold(self, lamp):
        take_off(lamp.id)
        page = visit(f"/products/{lamp.id}/").page
        assert "no longer sold" in page.text
        assert page.one("meta", name="robots")["content"].startswith("noindex")
        assert page.all("form", class_="basket-form") == []
        assert Client().post("/basket/add/", {"product_id": lamp.id}).status_code == 404


class TestTheFormOfACategory:
    def test_creates_one_below_another(self, staff, lamp, fresh):
        (shelf,) = lamp.category_slugs
        slug = fresh("inner")
        sent = {"slug": slug, "name": "Inner", "parent": shelf}
        assert staff.post("/staff/categories/new/", sent)["Location"] == f"/categories/{slug}/"
        assert find_editable_category(slug).content.parent == shelf

    def test_renames_one(self, staff, lamp):
        (shelf,) = lamp.category_slugs
        url = f"/staff/categories/{shelf}/edit/"
        staff.post(url, {**form_at(staff, url), "name": "Lights"})
        assert find_product(lamp.id).trail[0].name == "Lights"

    def test_says_that_further_ones_follow(self, staff, lamp, fresh):
        (shelf,) = lamp.category_slugs
        inner = {"slug": fresh("inner"), "name": "Inner", "parent": shelf}
        staff.post("/staff/categories/new/", inner)
        url = f"/staff/categories/{shelf}/edit/"
        page = staff.post(url, {**form_at(staff, url), "name": "Lights"}, follow=True)
        assert "They follow in a moment." in page.content.decode()
        work_off(QUEUE)
        assert find_category(inner["slug"]).trail[0].name == "Lights"

    def test_says_nothing_more_where_nothing_is_left(self, staff, lamp):
        (shelf,) = lamp.category_slugs
        url = f"/staff/categories/{shelf}/edit/"
        page = staff.post(url, {**form_at(staff, url), "name": "Lights"}, follow=True)
        assert "They follow in a moment." not in page.content.decode()

    def test_says_why_one_cannot_be_taken_off(self, staff, lamp, fresh):
        (shelf,) = lamp.category_slugs
        inner = {"slug": fresh("inner"), "name": "Inner", "parent": shelf}
        staff.post("/staff/categories/new/", inner)
        url = f"/staff/categories/{shelf}/edit/"
        answer = staff.post(url, {**form_at(staff, url), "is_off": "on"})
        assert answer.status_code == 409
        assert "Move or hide" in answer.content.decode()


class TestThePageOfACategory:
    def test_leads_staff_to_its_form(self, staff, lamp):
        (shelf,) = lamp.category_slugs
        address = f"/staff/categories/{shelf}/edit/"
        assert address in staff.get(f"/categories/{shelf}/").content.decode()
        assert address not in Client().get(f"/categories/{shelf}/").content.decode()

    def test_says_that_it_is_taken_off(self, staff, lamp):
        (shelf,) = lamp.category_slugs
        url = f"/staff/categories/{shelf}/edit/"
        staff.post(url, {**form_at(staff, url), "is_off": "on"})
        page = visit(f"/categories/{shelf}/").page
        assert "This category is hidden" in page.text
        assert page.one("meta", name="robots")["content"].startswith("noindex")
        assert page.all(class_="tile")
