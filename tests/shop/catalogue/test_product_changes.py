"""Changes of products that are there: all that shows them changes at once."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from botocore.exceptions import ClientError
from django.conf import settings
from django.test import override_settings

from dynapages.calls import metered
from dynapages.items import table_key
from dynapages.lists import PageRequest
from dynapages.process import client
from shop.catalogue.content import NewProduct
from shop.catalogue.queries import (
    ProductOrder,
    find_product,
    list_categories,
    list_category,
    prices_of,
)
from shop.catalogue.services import ensure_products, put_catalogue
from shop.catalogue.shelves import SHELF_LENGTH, put_shelf, root_key, shelves_in
from shop.table import TABLE
from tests.support.catalogue.making import category
from tests.support.comments.faulty import before_the_next_transaction
from tests.support.comments.spying import spied
from tests.support.shop.checks import differences

pytestmark = pytest.mark.usefixtures("tables")


@pytest.fixture
def lamp(fresh):
    product = NewProduct(fresh("lamp"), "Lamp", (fresh("shelf"),), "", 1_999, "EUR")
    put_catalogue(categories=[category(product.category_slugs[0])], products=[product])
    return product


def shown_in(slug: str, order: ProductOrder | None = None) -> list[tuple[str, int]]:
    products = list_category(slug, PageRequest(9), order=order).items
    return [(p.name, int(p.unit_price * 100)) for p in products if p.unit_price is not None]


class TestAChangedProduct:
    @pytest.mark.parametrize("order", [None, *ProductOrder])
    def test_leaves_a_category_that_is_not_named_any_more(self, lamp, fresh, order):
        (old,), new = lamp.category_slugs, fresh("shelf")
        changed = replace(lamp, name="Torch", unit_price_cents=5, category_slugs=(new,))
        put_catalogue(categories=[category(new)], products=[changed])
        assert (shown_in(old, order), shown_in(new, order)) == ([], [("Torch", 5)])

    def test_leads_by_the_way_that_is_named(self, lamp, fresh):
        new = fresh("shelf")
        put_catalogue(categories=[category(new)], products=[replace(lamp, category_slugs=(new,))])
        found = find_product(lamp.id)
        assert [step.slug for step in found.trail] == [new]
        assert [c.slug for c in found.categories] == [new]
        assert [d for d in differences("catalogue") if lamp.id in d.subject] == []

    def test_leaves_the_category_of_what_only_an_import_named(self, lamp, fresh):
        ensure_products(product_ids=[other := fresh("lamp")])
        named = replace(lamp, id=other)
        put_catalogue(categories=[category(lamp.category_slugs[0])], products=[named])
        assert [c.slug for c in find_product(other).categories] == list(lamp.category_slugs)

    def test_leaves_what_another_writer_put_it_into_meanwhile(self, lamp, fresh):
        between, last = fresh("shelf"), fresh("shelf")

        def move(slug: str) -> None:
            moved = replace(lamp, category_slugs=(slug,))
            put_catalogue(categories=[category(slug)], products=[moved])

        with before_the_next_transaction(lambda: move(between)):
            move(last)
        assert (shown_in(between), shown_in(last)) == ([], [("Lamp", 1_999)])
        assert [d for d in differences("catalogue") if lamp.id in d.subject] == []

    def test_is_changed_wholly_or_not_at_all(self, lamp):
        """A crash at the transaction leaves the old price everywhere; the same again changes it."""
        (slug,) = lamp.category_slugs
        changed = replace(lamp, unit_price_cents=5)

        def fail(**_: object) -> None:
            raise ClientError({"Error": {"Code": "Crash", "Message": ""}}, "TransactWriteItems")

        events = client().meta.events
        events.register("before-parameter-build.dynamodb.TransactWriteItems", fail)
        try:
            with pytest.raises(ClientError):
                put_catalogue(categories=[category(slug)], products=[changed])
        finally:
            events.unregister("before-parameter-build.dynamodb.TransactWriteItems", fail)
        assert shown_in(slug) == shown_in(slug, ProductOrder.CHEAPEST) == [("Lamp", 1_999)]
        put_catalogue(categories=[category(slug)], products=[changed])
        assert shown_in(slug) == shown_in(slug, ProductOrder.CHEAPEST) == [("Lamp", 5)]
        assert prices_of([lamp.id])[lamp.id][1] == Decimal("0.05")


class TestCopiesOfAName:
    def test_are_changed_once_where_an_app_registers_them_again(self, lamp):
        """DynamoDB refuses two changes of an item in one transaction."""
        (slug,) = lamp.category_slugs
        with override_settings(INSTALLED_APPS=settings.INSTALLED_APPS):
            put_catalogue(categories=[category(slug)], products=[replace(lamp, name="Torch")])
        assert shown_in(slug) == [("Torch", 1_999)]


class TestAnUnchangedProduct:
    def test_takes_no_transaction(self, lamp):
        with spied() as asked:
            put_catalogue(categories=[category(lamp.category_slugs[0])], products=[lamp])
        assert "TransactWriteItems" not in {a.operation for a in asked}

    def test_gets_a_further_category(self, lamp, fresh):
        both = *lamp.category_slugs, fresh("shelf")
        put_catalogue(
            categories=list(map(category, both)), products=[replace(lamp, category_slugs=both)]
        )
        for slug in both:
            assert shown_in(slug, ProductOrder.NAME) == [("Lamp", 1_999)]


class TestTheFrontPage:
    def shelf(self, slug: str) -> list[tuple[str, int | None]]:
        page = list_categories(PageRequest(500))
        (found,) = [shelf for shelf in shelves_in(page) if shelf.category.slug == slug]
        return [(p.name, p.unit_price and int(p.unit_price * 100)) for p in found.products]

    def test_has_the_first_products_of_a_category(self, lamp, fresh):
        (slug,) = lamp.category_slugs
        others = [replace(lamp, id=f"{lamp.id}-{n}", name=f"Lamp {n}") for n in range(SHELF_LENGTH)]
        put_catalogue(categories=[category(slug)], products=others)
        assert len(self.shelf(slug)) == SHELF_LENGTH
        assert self.shelf(slug)[0] == ("Lamp", 1_999)

    def test_loses_a_product_that_leaves_the_category(self, lamp, fresh):
        (old,), new = lamp.category_slugs, fresh("shelf")
        changed = replace(lamp, name="Torch", unit_price_cents=5, category_slugs=(new,))
        put_catalogue(categories=[category(new)], products=[changed])
        assert (self.shelf(old), self.shelf(new)) == ([], [("Torch", 5)])

    def test_is_read_by_one_query(self, lamp):
        with metered() as meter:
            shelves_in(list_categories(PageRequest(500)))
        assert meter.calls == 1

    def test_is_mended_by_the_check(self, lamp):
        (slug,) = lamp.category_slugs
        lose_shelf(slug)
        (found,) = [d for d in differences("catalogue") if slug in d.subject]
        assert (found.kind, found.expected) == ("shelf", "Lamp")
        assert found.repair is not None
        assert found.repair()
        assert [d for d in differences("catalogue") if slug in d.subject] == []

    def test_has_the_shelf_of_the_last_writer_when_two_meet(self, lamp):
        (slug,) = lamp.category_slugs
        lose_shelf(slug)
        put, met = client().update_item, []

        def meet(**parameters: Any) -> Any:
            if not met:
                met.append(parameters)
                put_catalogue(
                    categories=[category(slug)], products=[replace(lamp, unit_price_cents=5)]
                )
            return put(**parameters)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(client(), "update_item", meet)
            put_shelf(slug)
        assert self.shelf(slug) == [("Lamp", 5)]


def lose_shelf(slug: str) -> None:
    client().update_item(
        TableName=TABLE,
        Key=table_key(*root_key(slug)),
        UpdateExpression="REMOVE shelf",
    )
