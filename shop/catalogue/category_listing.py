"""Categories as their pages show them."""

from urllib.parse import urlencode

from django.urls import reverse

from dynamo.web.paging import Pager
from dynamo.web.toggles import Toggle
from shop.catalogue.access_patterns import PLAN, ProductOrder

LABELS = {
    None: "As shelved",
    ProductOrder.NAME: "Name",
    ProductOrder.CHEAPEST: "Price, lowest first",
    ProductOrder.DEAREST: "Price, highest first",
}


class BadProductOrder(ValueError):
    """There is no such order; the text says which there are."""


def parse_order(text: str | None) -> ProductOrder | None:
    """Parse the order in a URL, None without one. Raises BadProductOrder."""
    if text is None:
        return None
    try:
        return ProductOrder(text)
    except ValueError as error:
        known = ", ".join(ProductOrder)
        sentence = f"Products can be sorted by one of {known}, not by “{text}”."
        raise BadProductOrder(sentence) from error


def category_url(slug: str, order: ProductOrder | None) -> str:
    """Return the URL of a category's products in an order, or (None) by id."""
    query = urlencode({"order": order}) if order else ""
    return f"{reverse('category', args=[slug])}?{query}".rstrip("?")


def category_pager(slug: str, order: ProductOrder | None) -> Pager:
    """Return the pager of a category's products; its tokens are bound to the order."""
    name = f"category/{slug}" if order is None else f"category/{slug}/{order}"
    return Pager(first_url=category_url(slug, order), list_name=name)


def tree_pager() -> Pager:
    """Return the pager of all categories."""
    return Pager(first_url=reverse("categories"), list_name="categories/tree")


def plan_of(order: ProductOrder | None) -> str:
    """Return the name of the plan by which a category's products are read."""
    return "products of a category" if order is None else PLAN


def order_toggles(slug: str, chosen: ProductOrder | None) -> list[Toggle]:
    """Build the links to a category's products in each order."""
    return [_toggle(slug, order, chosen=chosen) for order in LABELS]


def _toggle(slug: str, order: ProductOrder | None, *, chosen: ProductOrder | None) -> Toggle:
    return Toggle(
        value=order.value if order else "~",
        label=LABELS[order],
        url=category_url(slug, order),
        pressed=order is chosen,
    )
