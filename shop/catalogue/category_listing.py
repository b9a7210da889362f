"""Categories as their pages show them, and categories and products as data."""

from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dynamo.web.addresses import Toggle
from dynamo.web.paging import Pager
from dynamo.web.refusals import Refusal
from shop.catalogue.queries import CategoryNode, ProductOrder, ProductTile

LABELS = {
    None: gettext_lazy("Default"),
    ProductOrder.NAME: gettext_lazy("Name"),
    ProductOrder.CHEAPEST: gettext_lazy("Price, lowest first"),
    ProductOrder.DEAREST: gettext_lazy("Price, highest first"),
}


def parse_order(text: str | None, slug: str) -> ProductOrder | None:
    """Parse the order in the URL of a category, None without one. Raises Refusal."""
    if text is None:
        return None
    try:
        return ProductOrder(text)
    except ValueError as error:
        sentence = _("Products cannot be sorted by “%(order)s”: choose from %(known)s.")
        known = {"order": text, "known": ", ".join(ProductOrder)}
        raise Refusal(sentence % known, first_url=category_url(slug, None)) from error


def category_url(slug: str, order: ProductOrder | None) -> str:
    """Return the URL of a category's products in an order, or (None) by id."""
    query = urlencode({"order": order}) if order else ""
    return f"{reverse('category', args=[slug])}?{query}".rstrip("?")


def category_pager(slug: str, order: ProductOrder | None) -> Pager:
    """Return the pager of a category's products; its tokens are bound to the order."""
    name = f"category/{slug}" if order is None else f"category/{slug}/{order}"
    url = category_url(slug, order)
    shape = {"order": order.value} if order else {}
    return Pager(url, name, canonical="" if order else url, shape=shape)


def order_toggles(slug: str, chosen: ProductOrder | None) -> list[Toggle]:
    """Build the links to a category's products in each order."""
    return [
        Toggle(
            value=order.value if order else "~",
            label=str(label),
            url=category_url(slug, order),
            pressed=order is chosen,
        )
        for order, label in LABELS.items()
    ]


def link_data(product: ProductTile) -> dict[str, Any]:
    """Return a link to a product for programs (docs/api.md)."""
    return {"id": product.id, "name": product.name, "url": product.url}


def product_data(product: ProductTile) -> dict[str, Any]:
    """Return a product for programs; it has neither price nor currency if it cannot be bought."""
    currency = product.currency or None
    return {**link_data(product), "price": product.unit_price, "currency": currency}


def category_data(category: CategoryNode) -> dict[str, Any]:
    """Return a category for programs, with those it lies in, from the root."""
    above = [{"slug": one.slug, "name": one.name, "url": one.url} for one in category.trail]
    return {"slug": category.slug, "name": category.name, "url": category.url, "trail": above}
