"""Pages of the catalogue."""

from contextlib import suppress
from functools import partial
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop
from django.views.decorators.http import require_http_methods, require_safe
from django.views.decorators.vary import vary_on_headers

from dynapages.calls import current_meter
from dynapages.django.access import public, staff_only
from dynapages.django.paging import Pager, render_list, show_page, wants_partial
from dynapages.django.refusals import Refusal, refuse
from dynapages.lists import explain_reads
from shop.catalogue.also_bought import read_also_bought
from shop.catalogue.editing import CategoryRefused, Changed
from shop.catalogue.forms import CategoryForm, EditForm, ProductForm
from shop.catalogue.listing import ORDER_LABELS, category_pager, parse_order, search_pager
from shop.catalogue.queries import (
    PLAN,
    ProductOrder,
    find_product,
    list_all_categories,
    list_all_products,
    read_category,
)
from shop.catalogue.search import SUGGESTED, find_products, parse_search
from shop.catalogue.shown_names import shown_node, shown_product
from shop.catalogue.stored import Stored
from shop.catalogue.tiles import NoSuchCategory, NoSuchProduct, Product
from shop.days import url_without_blanks

NO_SUCH_PRODUCT = gettext_lazy("There is no such product.")
FORGED = gettext_noop(
    "This form is from before you last signed in, or cookies are blocked. Nothing was changed: "
    "send it once more."
)
COPIES_WAIT = gettext_noop(
    "Further products and categories below this one still show its old name or place. They follow "
    "in a moment."
)


def product_or_404(product_id: str) -> Product:
    """Read a product without its description. Raises Http404."""
    try:
        return find_product(product_id, is_whole=False)
    except NoSuchProduct as error:
        raise Http404(NO_SUCH_PRODUCT) from error


@require_safe
@public
def categories(request: HttpRequest) -> HttpResponse:
    """Show all categories by name, each followed by its children (P9)."""
    url = reverse("categories")
    pager = Pager(url, "categories/tree", canonical=url)
    page_request = pager.requested(request.GET, size=settings.PAGE_SIZE)
    result = list_all_categories(page_request)

    def context() -> dict[str, Any]:
        shown = [shown_node(node) for node in result.items]
        return {"heading": _("All categories"), "categories": shown}

    return show_page(
        request,
        pager,
        page_request,
        result.page,
        templates=("shop/catalogue/categories.html", "shop/catalogue/_categories.html"),
        context=context,
        plan=PLAN,
    )


@require_safe
@public
def products(request: HttpRequest) -> HttpResponse:
    """Show all products by name, those in no category too (P9)."""
    url = reverse("products")
    pager = Pager(url, "products/all", canonical=url)
    page_request = pager.requested(request.GET, size=settings.PAGE_SIZE)
    result = list_all_products(page_request)
    return show_page(
        request,
        pager,
        page_request,
        result.page,
        templates=("shop/catalogue/products.html", "shop/catalogue/_all_products.html"),
        context=lambda: {"heading": _("All products"), "products": result.items},
        plan=PLAN,
    )


@require_safe
@public
def category(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the products of a category by id, name or price (P9)."""
    if request.GET.get("order") == "":  # the default, as the form sends it
        address = url_without_blanks(request)
        if address:
            return redirect(address)
    order = parse_order(request.GET.get("order"), slug)
    pager = category_pager(slug, order)
    page_request = pager.requested(request.GET, size=settings.PAGE_SIZE)
    try:
        result = read_category(slug, page_request, order=order)
    except NoSuchCategory as error:
        raise Http404(_("There is no such category.")) from error
    shown = shown_node(result.category)
    # Products without a price are in no list by price, which the page says.
    context = {
        "heading": shown.name,
        "category": shown,
        "products": result.items,
        "orders": ORDER_LABELS.items(),
        "order": order,
        "leaves_out_unpriced": order not in {None, ProductOrder.NAME},
    }
    return show_page(
        request,
        pager,
        page_request,
        result.page,
        templates=("shop/catalogue/category.html", "shop/catalogue/_products.html"),
        context=lambda: context,
        plan="products of a category" if order is None else PLAN,
    )


# Pages of staff


class _Edited:
    """A form of staff, and how it is answered where it is shown again."""

    def __init__(self, form: EditForm) -> None:
        self.form = form
        self.status = HTTPStatus.UNPROCESSABLE_ENTITY if form.is_bound else HTTPStatus.OK
        self.differences: list[tuple[Any, Any]] = []

    def refuse(self, status: HTTPStatus, sentence: str) -> None:
        """Answer with a status, and show the sentence above the form."""
        self.status = status
        self.form.add_error(None, sentence)

    def offer_to_replace(self, stored: Stored[Any], data: QueryDict) -> None:
        """Show what others have stored meanwhile; what is sent once more replaces that."""
        again = data.copy()
        again["version"] = stored.version
        self.form = type(self.form)(again, stored=stored)
        self.differences = list(self.form.differences())


@require_http_methods(["GET", "HEAD", "POST"])
@staff_only
def edit_product(
    request: HttpRequest, product_id: str = "", *, is_forged: bool = False
) -> HttpResponse:
    """Create a product, or change it, take it off or put it back."""
    return _edit(request, ProductForm, product_id, "comments:product", is_forged=is_forged)


@require_http_methods(["GET", "HEAD", "POST"])
@staff_only
def edit_category(request: HttpRequest, slug: str = "", *, is_forged: bool = False) -> HttpResponse:
    """Create a category, or rename, move or hide it, or show it again."""
    return _edit(request, CategoryForm, slug, "category", is_forged=is_forged)


# What was typed comes back where the CSRF token fails.
edit_product.again = partial(edit_product, is_forged=True)  # type: ignore[attr-defined] # for CSRF_FAILURE_VIEW
edit_category.again = partial(edit_category, is_forged=True)  # type: ignore[attr-defined] # the same


def _edit(
    request: HttpRequest, kind: type[EditForm], item_id: str, route: str, *, is_forged: bool
) -> HttpResponse:
    """Show or save a form of staff; ``item_id`` is empty for something new.

    What is saved is shown by the ``route``. With ``is_forged`` nothing is.
    """
    try:
        stored = kind.find(item_id) if item_id else None
    except LookupError as error:
        raise Http404(_("There is nothing here.")) from error
    edited = _Edited(kind(request.POST if request.method == "POST" else None, stored=stored))
    if is_forged:
        edited.refuse(HTTPStatus.FORBIDDEN, _(FORGED))
    elif edited.form.is_valid():
        try:
            saved = edited.form.save()
        except Changed as error:
            if stored:
                edited.offer_to_replace(error.stored, request.POST)
                sentence = str(error)
            else:
                sentence = _("This id is already taken.")
            edited.refuse(HTTPStatus.CONFLICT, sentence)
        except CategoryRefused as error:
            edited.refuse(HTTPStatus.CONFLICT, str(error))
        else:
            messages.success(request, _("Saved."))
            if saved.copies_wait:
                messages.warning(request, _(COPIES_WAIT))
            return redirect(route, item_id or request.POST[kind.id_name])
    new_heading, edit_heading = kind.headings
    context = {"form": edited.form, "heading": new_heading, "differences": edited.differences}
    if stored:
        context["heading"] = edit_heading
        context["stored"] = stored.content
        context["page_url"] = reverse(route, args=[item_id])
    return render(request, "shop/catalogue/edit.html", context, status=edited.status)


# What belongs to a product, and searches


@require_safe
@public
def also_bought(request: HttpRequest, product_id: str) -> HttpResponse:
    """Show what else the newest buyers of a product bought (P9).

    The product's page loads the fragment when it comes into view, and links to the whole page.
    """
    try:
        product, others = read_also_bought(product_id)
    except NoSuchProduct as error:
        raise Http404(NO_SUCH_PRODUCT) from error
    meter = current_meter()

    def explain_page() -> object:
        return explain_reads(meter)

    context = {
        "product": product,
        "trail": [*shown_product(product).trail, product],
        "also_bought": others,
        "explain": explain_page,
    }
    return render_list(
        request, "shop/catalogue/also_bought.html", "shop/catalogue/_also_bought.html", context
    )


@require_safe
@public
def search(request: HttpRequest) -> HttpResponse:
    """Show the products whose names have words that begin like those that were typed (S2)."""
    typed = " ".join(request.GET.get("q", "").split())
    template = "shop/catalogue/search.html"
    try:
        words = parse_search(typed)
    except Refusal as error:
        return refuse(request, error.status, template=template, message=error, typed=typed)
    leading = request.GET.get("by", "")
    pager = search_pager(typed, words, leading)
    page_request = pager.requested(request.GET, size=settings.PAGE_SIZE)
    result = find_products(words, page_request, leading=leading)
    heading = _("Products for “%(typed)s”") if typed else _("Search products")
    context = {
        "heading": heading % {"typed": typed},
        "typed": typed,
        "words": words,
        "products": result.items,
    }
    return show_page(
        request,
        search_pager(typed, words, result.leading),  # the next page need not try each word
        page_request,
        result.page,
        templates=(template, "shop/catalogue/_found.html"),
        context=lambda: context,
        plan="words of names",
    )


@require_safe
@public
@vary_on_headers("HX-Request")
def suggestions(request: HttpRequest) -> HttpResponse:
    """Show the first products for what is being typed, none for what is no search."""
    typed = request.GET.get("q", "")
    template = "shop/catalogue/_suggestions.html"
    # Without JavaScript the address leads to the whole page.
    if not wants_partial(request):
        return redirect(search_pager(typed).first_url)
    context: dict[str, Any] = {"products": ()}
    with suppress(Refusal):
        context["products"] = find_products(parse_search(typed), SUGGESTED).items
    return render_list(request, template, template, context)
