"""Products and categories that staff create, replace and change in part by key."""

import pytest

from dynapages.django.callers import Scope
from shop.catalogue.content import DEEPEST
from tests.support.comments.writers import someone
from tests.support.config.api import NOBODY, Program, problem_of, program_of

pytestmark = pytest.mark.usefixtures("tables")
TORCH = {
    "name": "Torch",
    "description": "It lights the way.",
    "price": "12.50",
    "currency": "EUR",
    "external_id": "T-1",
    "is_off": False,
}
STALE = "0123456789abcdef"


@pytest.fixture
def staff():
    return program_of(someone("sam", is_staff=True).username, Scope.STAFF)


@pytest.fixture
def shelf(staff, fresh):
    """The slug of a category."""
    slug = fresh("shelf")
    assert staff.put(f"/categories/{slug}", {"name": "Shelf"}).status_code == 201
    return slug


@pytest.fixture
def torch(staff, fresh):
    """The address of a product."""
    url = f"/products/{fresh('torch')}"
    assert staff.put(url, TORCH).status_code == 201
    return url


def version_of(staff: Program, url: str) -> str:
    version: str = staff.get(url).json()["version"]
    return version


def content_of(product: dict) -> dict:
    """What was sent of a product that was answered."""
    return {name: product[name] for name in TORCH}


def refused(answer) -> tuple[int, str]:
    """The status and the code of a problem."""
    status, _sentence = problem_of(answer)
    return status, answer.json()["code"]


class TestAProduct:
    def test_is_read_as_it_was_saved(self, staff, torch):
        assert content_of(staff.get(torch).json()) == TORCH

    def test_is_replaced_in_the_version_that_was_read(self, staff, torch):
        body = {"name": "Lantern", "version": version_of(staff, torch)}
        replaced = staff.put(torch, body).json()
        assert (replaced["name"], replaced["description"], replaced["price"]) == (
            "Lantern",
            "",
            None,
        )

    def test_is_sent_back_as_it_was_read(self, staff, torch):
        body = {"name": "Lantern", "version": version_of(staff, torch)}
        read = staff.put(torch, body).json()
        again = {name: read[name] for name in (*TORCH, "version")}
        answer = staff.put(torch, again)
        assert (answer.status_code, answer.json()) == (200, read)

    def test_that_was_changed_meanwhile_comes_with_the_refusal(self, staff, torch):
        version = version_of(staff, torch)
        staff.put(torch, {**TORCH, "name": "Lantern", "version": version})
        answer = staff.put(torch, {**TORCH, "name": "Lamp", "version": version})
        assert refused(answer) == (409, "product-changed")
        assert answer.json()["current"] == staff.get(torch).json()
        assert answer.json()["current"]["name"] == "Lantern"

    def test_that_is_there_is_not_created_by_another(self, staff, torch):
        for body in ({"name": "Lamp"}, {"name": "Lamp", "version": ""}):
            answer = staff.put(torch, body)
            assert refused(answer) == (409, "product-exists")
            assert answer.json()["current"] == staff.get(torch).json()

    def test_that_is_not_there_is_not_replaced(self, staff, fresh):
        url = f"/products/{fresh('none')}"
        assert refused(staff.put(url, {**TORCH, "version": STALE})) == (404, "no-such-product")
        answer = staff.put(url, TORCH, if_match="*")
        assert refused(answer) == (404, "no-such-product")

    def test_keeps_its_price_while_it_is_off(self, staff, torch):
        for is_off in (True, False):
            read = staff.get(torch).json()
            again = {**TORCH, "price": read["price"], "version": read["version"], "is_off": is_off}
            assert staff.put(torch, again).json()["is_off"] is is_off
            assert NOBODY.get(torch).json()["price"] == (None if is_off else "12.50")

    def test_shows_others_no_version_and_no_external_id(self, staff, torch):
        answer = NOBODY.get(torch)
        assert (answer.json()["version"], answer.json()["external_id"]) == (None, None)
        version = version_of(staff, torch)
        assert version not in answer.headers["ETag"]
        assert f'"{version}-' in staff.get(torch).headers["ETag"]

    def test_needs_a_currency_with_its_price(self, staff, fresh):
        answer = staff.put(f"/products/{fresh('x')}", {"name": "X", "price": "1.00"})
        sentence = "A price needs its currency, and a currency its price."
        assert problem_of(answer) == (400, sentence)

    def test_needs_categories_that_are_there(self, staff, fresh, torch):
        slug = fresh("none")
        said = {"name": "X", "categories": [slug]}
        for answer in (
            staff.put(f"/products/{fresh('x')}", said),
            staff.patch(torch, {"categories": [slug]}, if_match="*"),
        ):
            assert refused(answer) == (409, "unknown-category")
            assert slug in answer.json()["detail"]


CHANGES = {
    "name": "Lantern",
    "description": "It shines.",
    "external_id": "L-2",
    "is_off": True,
}


class TestAChangeOfAProduct:
    @pytest.mark.parametrize("field", CHANGES)
    def test_keeps_what_is_not_sent(self, staff, torch, field):
        body = {field: CHANGES[field], "version": version_of(staff, torch)}
        changed = staff.patch(torch, body).json()
        assert content_of(changed) == {**TORCH, field: CHANGES[field]}
        assert content_of(staff.get(torch).json()) == content_of(changed)

    @pytest.mark.parametrize(
        ("sent", "changed"),
        [
            ({"price": "9", "currency": "USD"}, {"price": "9.00", "currency": "USD"}),
            ({"price": None, "currency": None}, {"price": None, "currency": None}),
            ({"price": None}, {"price": None, "currency": None}),
            ({"description": None}, {"description": ""}),
            ({"external_id": None}, {"external_id": None}),
            ({}, {}),
        ],
    )
    def test_takes_null_for_none(self, staff, torch, sent, changed):
        body = {**sent, "version": version_of(staff, torch)}
        assert content_of(staff.patch(torch, body).json()) == {**TORCH, **changed}

    def test_puts_it_into_categories_and_takes_it_out(self, staff, torch, shelf):
        for slugs in ([shelf], []):
            answer = staff.patch(torch, {"categories": slugs}, if_match="*")
            assert [each["slug"] for each in answer.json()["categories"]] == slugs
            listed = NOBODY.get(f"/categories/{shelf}/products").json()["items"]
            assert [each["name"] for each in listed] == ["Torch"] * len(slugs)

    def test_leaves_its_categories_where_they_are_not_sent(self, staff, torch, shelf):
        staff.patch(torch, {"categories": [shelf]}, if_match="*")
        changed = staff.patch(torch, {"name": "Lantern"}, if_match="*").json()
        assert [each["slug"] for each in changed["categories"]] == [shelf]

    @pytest.mark.parametrize("body", [{"price": "9.00"}, {"currency": "USD"}])
    def test_of_its_price_needs_the_currency_too(self, staff, torch, body):
        answer = staff.patch(torch, body, if_match="*")
        assert refused(answer) == (400, "bad-request")
        assert content_of(staff.get(torch).json()) == TORCH

    @pytest.mark.parametrize("name", ["name", "categories", "is_off", "version"])
    def test_takes_no_null_for_what_there_always_is(self, staff, torch, name):
        answer = staff.patch(torch, {name: None}, if_match="*")
        assert [each["at"] for each in answer.json()["errors"]] == [f"body.{name}"]

    def test_needs_a_version(self, staff, torch):
        assert problem_of(staff.patch(torch, {"name": "X"})) == (
            428,
            "Say which version you change: send “If-Match” or “version”.",
        )

    def test_from_an_older_version_brings_the_current_one(self, staff, torch):
        answer = staff.patch(torch, {"name": "Lamp", "version": STALE})
        assert refused(answer) == (409, "product-changed")
        assert answer.json()["current"] == staff.get(torch).json()

    def test_to_what_is_stored_is_a_second_attempt(self, staff, torch):
        answer = staff.patch(torch, {"name": TORCH["name"], "version": STALE})
        assert content_of(answer.json()) == TORCH

    def test_that_takes_away_what_is_gone_is_one_too(self, staff, torch):
        nothing = {"description": None, "external_id": None, "price": None}
        first = staff.patch(torch, nothing, if_match="*").json()
        second = staff.patch(torch, {**nothing, "version": STALE})
        assert (second.status_code, second.json()) == (200, first)

    def test_of_what_is_not_there_is_refused(self, staff, fresh):
        answer = staff.patch(f"/products/{fresh('none')}", {"name": "X"}, if_match="*")
        assert refused(answer) == (404, "no-such-product")


PRICE = "Send a price as text of digits with up to two decimals, such as “18.50”."
CURRENCY = "Use a code of three capitals, such as EUR."
NUL = "The text has the character NUL (U+0000): leave it out."
SLUG = "A new id has up to 128 of A–Z, a–z, 0–9, “.”, “_” and “-”, a letter or digit first."


class TestAValue:
    @pytest.mark.parametrize("method", ["PUT", "PATCH"])
    @pytest.mark.parametrize(
        ("field", "value", "sentence"),
        [
            ("price", 12.5, PRICE),
            ("price", 12, PRICE),
            ("price", True, PRICE),
            ("price", "", PRICE),
            ("price", "1,50", PRICE),
            ("price", "-1", PRICE),
            ("price", "1.505", PRICE),
            ("price", "NaN", PRICE),
            ("price", "12345678901", PRICE),
            ("price", "٣", PRICE),
            ("currency", "eur", CURRENCY),
            ("currency", "EUR\n", CURRENCY),
            ("currency", "", CURRENCY),
            ("description", "a\0b", NUL),
            ("external_id", "a\0b", NUL),
            ("name", "a\0b", "Send a name that is to be seen, without the character NUL."),
            ("name", " \n", "This must not be empty."),
            ("name", "x" * 301, "The text has at most 300 characters."),
            ("description", "x" * 5_001, "The text has at most 5000 characters."),
            ("categories", ["x"] * 11, "The list has at most 10 entries."),
        ],
    )
    def test_that_no_product_has_is_refused_by_what_is_allowed(
        self, staff, torch, method, field, value, sentence
    ):
        answer = staff.send(method, torch, {"name": "Lamp", field: value}, if_match="*")
        assert problem_of(answer) == (422, f"body.{field}: {sentence}")
        assert content_of(staff.get(torch).json()) == TORCH

    @pytest.mark.parametrize("slug", ["-x", "a%20b", "é", "_", "x" * 129])
    @pytest.mark.parametrize("kind", ["products/{}", "categories/{}"])
    def test_that_is_no_id_is_none_of_something_new(self, staff, kind, slug):
        status, sentence = problem_of(staff.put(f"/{kind.format(slug)}", {"name": "X"}))
        assert (status, sentence.partition(": ")[2]) == (422, SLUG)


class TestAHeader:
    @pytest.mark.parametrize("method", ["PUT", "PATCH"])
    def test_stands_for_the_version(self, staff, torch, method):
        etag = staff.get(torch).headers["ETag"]
        answer = staff.send(method, torch, {"name": "Lantern"}, if_match=etag)
        assert answer.json()["name"] == "Lantern"
        again = staff.send(method, torch, {"name": "Lamp"}, if_match=etag)
        assert refused(again) == (412, "product-changed")
        assert again.json()["current"]["name"] == "Lantern"

    @pytest.mark.parametrize("method", ["PUT", "PATCH"])
    def test_stands_for_the_version_of_a_category(self, staff, shelf, method):
        url = f"/categories/{shelf}"
        etag = staff.get(url).headers["ETag"]
        assert staff.send(method, url, {"name": "Rack"}, if_match=etag).json()["name"] == "Rack"
        again = staff.send(method, url, {"name": "Board"}, if_match=etag)
        assert refused(again) == (412, "category-changed")
        assert again.json()["current"] == staff.get(url).json()

    def test_asks_for_something_new(self, staff, fresh, torch, shelf):
        url = f"/products/{fresh('new')}"
        assert staff.put(url, TORCH, if_none_match="*").status_code == 201
        for there, kind in ((torch, "product"), (f"/categories/{shelf}", "category")):
            answer = staff.put(there, {"name": "Other"}, if_none_match="*")
            assert refused(answer) == (412, f"{kind}-exists")
            assert answer.json()["current"] == staff.get(there).json()

    def test_is_refused_where_it_is_not_compared(self, staff, torch):
        answer = staff.patch(torch, {"name": "X", "version": STALE}, if_none_match="*")
        assert refused(answer) == (422, "invalid")
        for url, body in (("/orders", {"lines": [{"product_id": "x"}]}),):
            for name in ("if_match", "if_none_match"):
                assert refused(staff.post(url, body, **{name: "*"})) == (422, "invalid")

    def test_that_says_something_else_than_the_body_is_refused(self, staff, torch):
        answer = staff.put(torch, {**TORCH, "version": STALE}, if_match="*")
        assert refused(answer) == (400, "bad-request")


class TestACategory:
    def test_is_created_below_another_and_renamed(self, staff, fresh, shelf):
        inner = f"/categories/{fresh('inner')}"
        made = staff.put(inner, {"name": "Inner", "parent": shelf}).json()
        assert [step["slug"] for step in made["trail"]] == [shelf]
        said = {"name": "Within", "parent": shelf, "version": made["version"]}
        assert staff.put(inner, said).json()["name"] == "Within"
        assert NOBODY.get(f"/categories/{shelf}").json()["children"][0]["name"] == "Within"

    def test_changes_what_is_sent_alone(self, staff, fresh, shelf):
        inner = f"/categories/{fresh('inner')}"
        version = staff.put(inner, {"name": "Inner", "parent": shelf}).json()["version"]
        renamed = staff.patch(inner, {"name": "Within", "version": version}).json()
        assert (renamed["name"], [step["slug"] for step in renamed["trail"]]) == ("Within", [shelf])
        hidden = staff.patch(inner, {"is_off": True, "version": renamed["version"]}).json()
        assert (hidden["is_off"], hidden["name"]) == (True, "Within")
        moved = staff.patch(inner, {"parent": None, "version": hidden["version"]}).json()
        assert (moved["trail"], moved["is_off"]) == ([], True)

    def test_that_was_changed_meanwhile_comes_with_the_refusal(self, staff, shelf):
        url = f"/categories/{shelf}"
        body = {"name": "Rack", "version": STALE}
        for answer in (staff.put(url, body), staff.patch(url, body)):
            assert refused(answer) == (409, "category-changed")
            assert answer.json()["current"] == staff.get(url).json()

    def test_that_is_there_is_not_created_by_another(self, staff, shelf):
        answer = staff.put(f"/categories/{shelf}", {"name": "Rack"})
        assert refused(answer) == (409, "category-exists")

    def test_shows_others_no_version(self, staff, shelf):
        answer = NOBODY.get(f"/categories/{shelf}")
        assert answer.json()["version"] is None
        assert version_of(staff, f"/categories/{shelf}") not in answer.headers["ETag"]


class TestAPlaceOfACategory:
    def test_is_not_itself(self, staff, shelf):
        for answer in (
            staff.put(f"/categories/{shelf}", {"name": "Shelf", "parent": shelf}, if_match="*"),
            staff.patch(f"/categories/{shelf}", {"parent": shelf}, if_match="*"),
        ):
            assert refused(answer) == (409, "category-in-itself")
            assert "current" not in answer.json()

    def test_is_one_that_is_there(self, staff, fresh, shelf):
        answer = staff.patch(f"/categories/{shelf}", {"parent": fresh("none")}, if_match="*")
        assert refused(answer) == (409, "unknown-parent")

    def test_is_one_that_is_shown(self, staff, fresh, shelf):
        hidden = fresh("hidden")
        staff.put(f"/categories/{hidden}", {"name": "Hidden", "is_off": True})
        answer = staff.patch(f"/categories/{shelf}", {"parent": hidden}, if_match="*")
        assert refused(answer) == (409, "unknown-parent")

    def test_is_kept_while_others_lie_in_it(self, staff, fresh, shelf):
        staff.put(f"/categories/{fresh('inner')}", {"name": "Inner", "parent": shelf})
        for body in ({"is_off": True}, {"parent": fresh("outer")}):
            if "parent" in body:
                staff.put(f"/categories/{body['parent']}", {"name": "Outer"})
            answer = staff.patch(f"/categories/{shelf}", body, if_match="*")
            assert refused(answer) == (409, "category-not-empty")

    def test_is_not_too_deep(self, staff, fresh):
        parent = None
        for _ in range(DEEPEST):
            slug = fresh("deep")
            answer = staff.put(f"/categories/{slug}", {"name": "Deep", "parent": parent})
            assert answer.status_code == 201
            parent = slug
        answer = staff.put(f"/categories/{fresh('deep')}", {"name": "Deep", "parent": parent})
        assert refused(answer) == (409, "category-too-deep")

    def test_is_not_full(self, staff, fresh, shelf, monkeypatch):
        monkeypatch.setattr("shop.catalogue.editing.MOST_CHILDREN", 1)
        monkeypatch.setattr("shop.catalogue.queries.MOST_CHILDREN", 1)
        for status in (201, 409):
            answer = staff.put(f"/categories/{fresh('inner')}", {"name": "In", "parent": shelf})
            assert answer.status_code == status
        assert refused(answer) == (409, "category-full")


class TestWhatIsCreated:
    @pytest.mark.parametrize("kind", ["products", "categories"])
    def test_says_where_it_is(self, staff, fresh, kind):
        answer = staff.put(f"/{kind}/{fresh('new')}", {"name": "New"})
        assert answer.status_code == 201
        assert answer.headers["Location"] == answer.json()["api_url"]
        assert NOBODY.get(answer.headers["Location"]).json()["name"] == "New"

    @pytest.mark.parametrize("kind", ["products", "categories"])
    def test_is_not_created_once_more(self, staff, fresh, kind):
        url = f"/{kind}/{fresh('new')}"
        answers = [staff.put(url, {"name": "New"}) for _ in range(2)]
        assert [each.status_code for each in answers] == [201, 200]
        assert "Location" not in answers[1].headers
        assert answers[1].json() == answers[0].json()

    @pytest.mark.parametrize("kind", ["products", "categories"])
    def test_is_replaced_and_changed_with_200(self, staff, fresh, kind):
        url = f"/{kind}/{fresh('new')}"
        staff.put(url, {"name": "New"})
        for method in ("PUT", "PATCH"):
            assert staff.send(method, url, {"name": method}, if_match="*").status_code == 200
