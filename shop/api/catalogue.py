"""The catalogue: lists of categories and products, and what staff change of them."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from ninja import Status

from dynapages.django.attempts import is_second_attempt
from dynapages.django.callers import Scope
from dynapages.django.paging import Pager
from dynapages.django.refusals import Refusal
from dynapages.lists import PageRequest, PageResult
from dynapages.ninja import (
    IfMatch,
    IfNoneMatch,
    ListOf,
    PageOf,
    ProblemType,
    VersionNeeded,
    caller_of,
    conflict,
    lists,
    problem,
    version_seen,
)
from shop.api import problems
from shop.api.routing import READ, STAFF, router
from shop.api.shapes import (
    CategoryConflict,
    CategoryIn,
    CategoryListing,
    CategoryPatch,
    LeadingWord,
    NewProductId,
    NewSlug,
    OrderOfProducts,
    ProductConflict,
    ProductId,
    ProductIn,
    ProductListing,
    ProductPatch,
    SearchText,
    Slug,
    WholeCategoryOut,
    WholeProductOut,
)
from shop.catalogue import editing, tiles
from shop.catalogue import queries as catalogue
from shop.catalogue.content import NewCategory, NewProduct
from shop.catalogue.listing import category_pager, search_pager
from shop.catalogue.search import find_products, parse_search, words_that_may_lead
from shop.catalogue.stored import Stored, category_of_node, version_of
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
    q: SearchText,
    by: LeadingWord = None,
) -> ListOf[tiles.ProductTile]:
    """List products by the beginnings of words of their names; links add ``by``."""
    typed = " ".join(q.split())
    words = parse_search(typed)
    if not words:
        raise Refusal(_("Write at least one word, of letters or digits."))
    if by is not None and by not in words_that_may_lead(words):
        raise Refusal(_("“by” is from a link of this search: leave it out for the first page."))
    leading = by or ""

    def read(page_request: PageRequest) -> PageOf[tiles.ProductTile]:
        result = find_products(words, page_request, leading=leading)
        pager = search_pager(typed, words, result.leading)  # the next page need not try each word
        return PageOf(result.items, result.page, pager=pager)

    return ListOf(search_pager(typed, words, leading), read, "words of names")


@router.get("/products", response=ProductListing, auth=READ)
@lists
def all_products(request: HttpRequest) -> ListOf[tiles.ProductTile]:
    """List all products by name."""
    return ListOf(Pager("", "products/all"), catalogue.list_all_products, catalogue.PLAN)


@router.get("/products/{product_id}", response=WholeProductOut, auth=READ)
def get_product(request: HttpRequest, product_id: ProductId) -> WholeProductOut:
    """Return a product."""
    if caller_of(request).allows(Scope.STAFF):
        # Staff change what they read: an older version would be refused.
        return _product_to_edit(request, editing.find_editable(product_id))
    return _product_out(request, catalogue.find_product(product_id))


def _product_out(request: HttpRequest, product: tiles.Product) -> WholeProductOut:
    return WholeProductOut.model_validate(product, context={"request": request})


def _product_to_edit(request: HttpRequest, stored: Stored[NewProduct]) -> WholeProductOut:
    """Return a product as it is stored, with what only staff see."""
    content = stored.content
    product = tiles.product_in(content.id, [stored.node])
    shown = _product_out(request, replace(product, description=content.description))
    shown.version = stored.version
    shown.external_id = content.external_id
    shown.currency = content.currency
    if content.unit_price_cents is not None:
        shown.price = money(content.unit_price_cents)
    return shown


PRODUCT_WRITTEN = {
    HTTPStatus.OK: WholeProductOut,
    HTTPStatus.CONFLICT: ProductConflict,
    HTTPStatus.PRECONDITION_FAILED: ProductConflict,
}
CATEGORY_WRITTEN = {
    HTTPStatus.OK: WholeCategoryOut,
    HTTPStatus.CONFLICT: CategoryConflict,
    HTTPStatus.PRECONDITION_FAILED: CategoryConflict,
}
PRODUCT_SAVED = {HTTPStatus.CREATED: WholeProductOut, **PRODUCT_WRITTEN}
CATEGORY_SAVED = {HTTPStatus.CREATED: WholeCategoryOut, **CATEGORY_WRITTEN}
"""What the operations that write answer, by status."""


# Their headers are parameters for the document alone: `version_seen` reads them of the request.


@router.put("/products/{product_id}", response=PRODUCT_SAVED, auth=STAFF)
def save_product(
    request: HttpRequest,
    response: HttpResponse,
    product_id: NewProductId,
    body: ProductIn,
    *,
    if_match: IfMatch = None,
    if_none_match: IfNoneMatch = None,
) -> object:
    """Create or replace a product; what is not sent becomes empty."""
    product = NewProduct(product_id, **_content_in(dict(body)))
    version = _version_or_new(request, body.version)
    try:
        saved = editing.save_product(product, version=version)
    except editing.Changed as error:
        return _product_changed(request, error, is_new=version == editing.NEW)
    except tiles.NoSuchCategory as error:
        return _unknown_category(error)
    shown = get_product(request, product_id)
    if not _is_created(request, saved, version=version):
        return shown
    response["Location"] = shown.api_url
    return Status(HTTPStatus.CREATED, shown)


def _is_created(request: HttpRequest, saved: editing.Saved, *, version: str | None) -> bool:
    """Return whether something was created; a second attempt finds what the first one created."""
    return saved.is_new or (version == editing.NEW and is_second_attempt(request))


@router.patch("/products/{product_id}", response=PRODUCT_WRITTEN, auth=STAFF)
def change_product(
    request: HttpRequest, product_id: ProductId, body: ProductPatch, if_match: IfMatch = None
) -> object:
    """Change parts of a product; what is not sent stays as it is."""
    changes = _content_in(body.sent)
    version = version_seen(request, body.sent.get("version"))
    try:
        editing.change_product(product_id, changes, version=version)
    except editing.Changed as error:
        return _product_changed(request, error)
    except tiles.NoSuchCategory as error:
        return _unknown_category(error)
    return get_product(request, product_id)


def _content_in(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a body of a product as those of `NewProduct`. Raises Refusal."""
    content = dict(fields)
    content.pop("version", None)
    if "categories" in content:
        content["category_slugs"] = tuple(content.pop("categories"))
    if "description" in content:
        content["description"] = content["description"] or ""
    if "price" in content or "currency" in content:
        price, currency = content.pop("price", None), content.get("currency")
        if (price is None) is not (currency is None):
            raise Refusal(_("A price needs its currency, and a currency its price."))
        content["currency"] = currency
        content["unit_price_cents"] = None
        if price is not None:
            content["unit_price_cents"] = int(Decimal(price).scaleb(2))
    return content


def _version_or_new(request: HttpRequest, in_body: str | None) -> str | None:
    """Return the version that a write is for, `editing.NEW` where nothing is said of one."""
    try:
        return version_seen(request, in_body)
    except VersionNeeded:
        return editing.NEW


def _product_changed(
    request: HttpRequest, error: editing.Changed, *, is_new: bool = False
) -> HttpResponse:
    kind: ProblemType = problems.PRODUCT_CHANGED
    sentence = str(error)
    if is_new:
        kind, sentence = problems.PRODUCT_EXISTS, _("This id is already taken.")
    return conflict(request, kind, sentence, _product_to_edit(request, error.stored))


def _unknown_category(error: tiles.NoSuchCategory) -> HttpResponse:
    """Answer that a category of a product is not there, which is not what the address names."""
    sentence = _("There is no category “%(slug)s”.") % {"slug": error.args[0]}
    return problem(problems.UNKNOWN_CATEGORY, sentence)


@router.get("/categories/{slug}", response=WholeCategoryOut, auth=READ)
def get_category(request: HttpRequest, slug: Slug) -> WholeCategoryOut:
    """Return a category."""
    is_staff = caller_of(request).allows(Scope.STAFF)
    category = catalogue.find_category(slug, consistent=is_staff)
    shown = WholeCategoryOut.model_validate(category, context={"request": request})
    if is_staff:
        # Of what is shown: a version that is read apart may be a newer one.
        shown.version = version_of(category_of_node(category))
    return shown


@router.put("/categories/{slug}", response=CATEGORY_SAVED, auth=STAFF)
def save_category(
    request: HttpRequest,
    response: HttpResponse,
    slug: NewSlug,
    body: CategoryIn,
    *,
    if_match: IfMatch = None,
    if_none_match: IfNoneMatch = None,
) -> object:
    """Create or replace a category; what is not sent becomes empty."""
    category = NewCategory(slug, body.name, body.parent, body.is_off)
    version = _version_or_new(request, body.version)
    try:
        saved = editing.save_category(category, version=version)
    except editing.Changed as error:
        return _category_changed(request, slug, error, is_new=version == editing.NEW)
    shown = _written_category(request, slug, saved)
    if not _is_created(request, saved, version=version):
        return shown
    response["Location"] = shown.api_url
    return Status(HTTPStatus.CREATED, shown)


@router.patch("/categories/{slug}", response=CATEGORY_WRITTEN, auth=STAFF)
def change_category(
    request: HttpRequest, slug: Slug, body: CategoryPatch, if_match: IfMatch = None
) -> object:
    """Change parts of a category, rename or move it; what is not sent stays as it is."""
    changes = body.sent
    version = version_seen(request, changes.pop("version", None))
    try:
        saved = editing.change_category(slug, changes, version=version)
    except editing.Changed as error:
        return _category_changed(request, slug, error)
    return _written_category(request, slug, saved)


def _written_category(request: HttpRequest, slug: str, saved: editing.Saved) -> WholeCategoryOut:
    shown = get_category(request, slug)
    # The answer is right already, but not yet all that lies below.
    shown.copies_wait = saved.copies_wait
    return shown


def _category_changed(
    request: HttpRequest, slug: str, error: editing.Changed, *, is_new: bool = False
) -> HttpResponse:
    kind: ProblemType = problems.CATEGORY_CHANGED
    sentence = str(error)
    if is_new:
        kind, sentence = problems.CATEGORY_EXISTS, _("This id is already taken.")
    return conflict(request, kind, sentence, get_category(request, slug))
