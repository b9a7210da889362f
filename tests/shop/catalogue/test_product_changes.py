"""Changes of products that are there: all that shows them changes at once."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from botocore.exceptions import ClientError

from dynamo.calls.client import client
from dynamo.lists.reader import PageRequest
from shop.catalogue.access_patterns import ProductOrder
from shop.catalogue.category_queries import list_category
from shop.catalogue.items import NewProduct
from shop.catalogue.prices import prices_of
from shop.catalogue.queries import find_product
from shop.catalogue.services import put_catalogue
from tests.support.catalogue.making import category
from tests.support.comments.spying import spied
from tests.support.shop.checks import differences

pytestmark = pytest.mark.usefixtures("tables")


@pytest.fixture
def lamp(fresh: Callable[[str], str]) -> NewProduct:
    product = NewProduct(fresh("lamp"), "Lamp", (fresh("shelf"),), "", 1_999, "EUR")
    put_catalogue(categories=[category(product.category_slugs[0])], products=[product])
    return product


def shown_in(slug: str, order: ProductOrder | None = None) -> list[tuple[str, int]]:
    products = list_category(slug, PageRequest(9), order=order).products
    return [(p.name, int(p.unit_price * 100)) for p in products if p.unit_price is not None]


class TestAChangedProduct:
    @pytest.mark.parametrize("order", [None, *ProductOrder])
    def test_changes_in_categories_that_are_not_named_too(self, lamp, fresh, order):
        (old,), new = lamp.category_slugs, fresh("shelf")
        changed = replace(lamp, name="Torch", unit_price_cents=5, category_slugs=(new,))
        put_catalogue(categories=[category(new)], products=[changed])
        assert shown_in(old, order) == shown_in(new, order) == [("Torch", 5)]

    def test_leads_by_the_way_that_is_named(self, lamp, fresh):
        new = fresh("shelf")
        changed = replace(lamp, unit_price_cents=5, category_slugs=(new,))
        put_catalogue(categories=[category(new)], products=[changed])
        found = find_product(lamp.id)
        assert [step.slug for step in found.trail] == [new]
        assert {c.slug for c in found.categories} == {new, *lamp.category_slugs}
        assert [d for d in differences("catalogue") if lamp.id in d.subject] == []

    def test_is_one_transaction(self, lamp):
        with spied() as asked:
            put_catalogue(
                categories=[category(lamp.category_slugs[0])],
                products=[replace(lamp, unit_price_cents=5)],
            )
        (written,) = [a for a in asked if a.operation == "TransactWriteItems"]
        keys = [action["Put"]["Item"]["sk"]["S"] for action in written.parameters["TransactItems"]]
        assert keys == [f"PRODUCT#{lamp.id}", f"PRODUCT#{lamp.id}", f"NAME#{lamp.id}"]

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
        assert prices_of([lamp.id])[lamp.id].unit_price_cents == 5


class TestAnUnchangedProduct:
    def test_takes_no_transaction(self, lamp):
        with spied() as asked:
            put_catalogue(categories=[category(lamp.category_slugs[0])], products=[lamp])
        assert "TransactWriteItems" not in {a.operation for a in asked}

    def test_gets_a_further_category(self, lamp, fresh):
        new = fresh("shelf")
        put_catalogue(categories=[category(new)], products=[replace(lamp, category_slugs=(new,))])
        assert shown_in(new, ProductOrder.NAME) == [("Lamp", 1_999)]
        assert shown_in(lamp.category_slugs[0], ProductOrder.NAME) == [("Lamp", 1_999)]
