"""The catalogue: lists of categories and products, and what staff change of them."""

from dataclasses import replace
from decimal import Decimal

from django.http import HttpRequest
from django.utils.translation import gettext as _

from dynapages.django.callers import Scope
from dynapages.django.paging import Pager
from dynapages.django.refusals import Refusal
from dynapages.lists import PageRequest, PageResult
from dynapages.ninja import ListOf, PageOf, caller_of, lists
from shop.api.routing import READ, STAFF, router
from shop.api.shapes import (
    CategoryIn,
    CategoryListing,
    LeadingWord,
    NewProductId,
    NewSlug,
    OrderOfProducts,
    ProductId,
    ProductIn,
    ProductListing,
    SearchText,
    Slug,
    WholeCategoryOut,
    WholeProductOut,
)
from shop.catalogue import editing, tiles
from shop.catalogue import queries as catalogue
from shop.catalogue.content import NewCategory, NewProduct
from shop.catalogue.listing import category_pager, search_pager
from shop.catalogue.search import find_products, parse_search
from shop.orders.entries import money


@router.get("/categories", response=CategoryListing, auth=READ)
@lists
def list_categories(request: HttpRequest) -> ListOf[tiles.CategoryNode]:
    """List all categories by name, each followed by those in it."""
    return ListOf(Pager("", "categories/tree"), catalogue.list_all_categories, catalogue.PLAN)


@router.get("/categories/{slug}/products", response=ProductListing, auth=READ)
@lists
def list_products(
    request: HttpRequest, slug: Slug, order: OrderOfProducts = None
) -> ListOf[tiles.ProductTile]:
    """List a category's products by id, by name, or by price those that have one."""
    plan = "products of a category" if order is None else catalogue.PLAN

    def read(page_request: PageRequest) -> PageResult[tiles.ProductTile]:
        return catalogue.read_category(slug, page_request, order=order)

    return ListOf(category_pager(slug, order), read, plan)


@router.get("/search", response=ProductListing, auth=READ)
@lists
def search_products(
    request: HttpRequest,
    q: SearchText = "",
    by: LeadingWord = "",
) -> ListOf[tiles.ProductTile]:
    """List products by the beginnings of words of their names; links add ``by``."""
    typed = " ".join(q.split())
    words = parse_search(typed)

    def read(page_request: PageRequest) -> PageOf[tiles.ProductTile]:
        result = find_products(words, page_request, leading=by)
        pager = search_pager(typed, words, result.leading)  # the next page need not try each word
        return PageOf(result.items, result.page, pager=pager)

    return ListOf(search_pager(typed, words, by), read, "words of names")


@router.get("/products", response=ProductListing, auth=READ)
@lists
def all_products(request: HttpRequest) -> ListOf[tiles.ProductTile]:
    """List all products by name."""
    return ListOf(Pager("", "products/all"), catalogue.list_all_products, catalogue.PLAN)


@router.get("/products/{product_id}", response=WholeProductOut, auth=READ)
def get_product(request: HttpRequest, product_id: ProductId) -> WholeProductOut:
    """Return a product."""
    if not caller_of(request).allows(Scope.STAFF):
        return WholeProductOut.model_validate(catalogue.find_product(product_id))
    # Staff change what they read: an older version would be refused.
    stored = editing.find_editable(product_id)  # as of the last write
    content = stored.content
    product = tiles.product_in(product_id, [stored.node])
    shown = WholeProductOut.model_validate(replace(product, description=content.description))
    shown.version = stored.version
    shown.external_id = content.external_id
    shown.currency = content.currency or ""
    if content.unit_price_cents is not None:
        shown.price = money(content.unit_price_cents)
    return shown


@router.put("/products/{product_id}", response=WholeProductOut, auth=STAFF)
def save_product(request: HttpRequest, product_id: NewProductId, body: ProductIn) -> object:
    """Create or change a product, take it off or put it back."""
    if (body.price is None) is not (body.currency is None):
        raise Refusal(_("A price needs its currency, and a currency its price."))
    cents = None
    if body.price is not None:
        cents = int(Decimal(body.price).scaleb(2))
    product = NewProduct(
        product_id,
        category_slugs=tuple(body.categories),
        unit_price_cents=cents,
        **body.model_dump(exclude={"price", "categories", "version"}),
    )
    editing.save_product(product, version=body.version)
    return get_product(request, product_id)


@router.get("/categories/{slug}", response=WholeCategoryOut, auth=READ)
def get_category(request: HttpRequest, slug: Slug) -> WholeCategoryOut:
    """Return a category."""
    is_staff = caller_of(request).allows(Scope.STAFF)
    shown = WholeCategoryOut.model_validate(catalogue.find_category(slug, consistent=is_staff))
    if is_staff:
        shown.version = editing.find_editable_category(slug).version
    return shown


@router.put("/categories/{slug}", response=WholeCategoryOut, auth=STAFF)
def save_category(request: HttpRequest, slug: NewSlug, body: CategoryIn) -> object:
    """Create, rename or move a category, take it off or put it back."""
    category = NewCategory(slug, body.name, body.parent, body.is_off)
    is_done = editing.save_category(category, version=body.version)
    shown = get_category(request, slug)
    # The answer is right already, but not yet all that lies below.
    shown.copies_wait = not is_done
    return shown
