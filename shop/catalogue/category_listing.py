"""Categories as their pages show them: orders to choose from, and the URLs around a page."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from dynamo.lists.reader import PageRequest
from dynamo.web.paging import Pager
from dynamo.web.toggles import Toggle
from shop.catalogue.access_patterns import PLAN, ProductOrder
from shop.catalogue.category_queries import CategoryPage, ListedCategory, ProductPage
from shop.catalogue.edge_keys import Data
from shop.catalogue.queries import ProductTile

LABELS = {
    None: "As shelved",
    ProductOrder.NAME: "Name",
    ProductOrder.CHEAPEST: "Price, lowest first",
    ProductOrder.DEAREST: "Price, highest first",
}


class BadProductOrder(ValueError):
    """There is no such order of products; the text says which there are."""


@dataclass(frozen=True, slots=True)
class CategoryListing:
    """A page of a category's products: ``older_url`` leads on."""

    products: Sequence[ProductTile]
    orders: Sequence[Toggle]
    leaves_out_unpriced: bool
    older_url: str | None
    newer_url: str | None
    first_url: str
    is_first: bool


@dataclass(frozen=True, slots=True)
class TreeListing:
    """A page of all categories: ``older_url`` leads on."""

    categories: Sequence[ListedCategory]
    older_url: str | None
    newer_url: str | None
    first_url: str
    is_first: bool


def parse_order(spelled: str | None) -> ProductOrder | None:
    """Read the order an address asks for, None for none. Raises BadProductOrder."""
    if spelled is None:
        return None
    try:
        return ProductOrder(spelled)
    except ValueError as error:
        known = ", ".join(ProductOrder)
        sentence = f"Products can be sorted by one of {known}, not by “{spelled}”."
        raise BadProductOrder(sentence) from error


def category_url(slug: str, order: ProductOrder | None) -> str:
    """Give the URL of a category's products in an order, or (None) as they are shelved."""
    query = urlencode({"order": order}) if order else ""
    return f"{reverse('category', args=[slug])}?{query}".rstrip("?")


def category_pager(slug: str, order: ProductOrder | None) -> Pager:
    """Give the pages of a category's products; their tokens are bound to the order."""
    name = f"category/{slug}" if order is None else f"category/{slug}/{order}"
    return Pager(first_url=category_url(slug, order), list_name=name)


def tree_pager() -> Pager:
    """Give the pages of all categories."""
    return Pager(first_url=reverse("categories"), list_name="categories/tree")


def plan_of(order: ProductOrder | None) -> str:
    """Name the way a category's products are read."""
    return "products of a category" if order is None else PLAN


def category_listing(
    slug: str, order: ProductOrder | None, found: ProductPage, *, request: PageRequest
) -> CategoryListing:
    """Arrange a page of a category's products for its template."""
    pager = category_pager(slug, order)
    return CategoryListing(
        products=found.products,
        orders=[_toggle(slug, each, chosen=order) for each in LABELS],
        leaves_out_unpriced=order is not None and order.data is Data.PRICE,
        older_url=pager.next_url(found.page),
        newer_url=pager.previous_url(found.page),
        first_url=pager.first_url,
        is_first=request.position is None,
    )


def tree_listing(found: CategoryPage, *, request: PageRequest) -> TreeListing:
    """Arrange a page of all categories for its template."""
    pager = tree_pager()
    return TreeListing(
        categories=found.categories,
        older_url=pager.next_url(found.page),
        newer_url=pager.previous_url(found.page),
        first_url=pager.first_url,
        is_first=request.position is None,
    )


def _toggle(slug: str, order: ProductOrder | None, *, chosen: ProductOrder | None) -> Toggle:
    return Toggle(
        value=order.value if order else "~",
        label=LABELS[order],
        url=category_url(slug, order),
        pressed=order is chosen,
    )
