"""Pages of the catalogue."""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_http_methods, require_safe
from django.views.decorators.vary import vary_on_headers

from dynapages.calls import current_meter
from dynapages.django.access import public, staff_only
from dynapages.django.paging import Pager, render_list, show_page, wants_partial
from dynapages.django.refusals import Refusal, refuse
from dynapages.lists import explain_reads
from shop.catalogue.editing import CategoryRefused, Changed
from shop.catalogue.forms import CategoryForm, EditForm, ProductForm
from shop.catalogue.items import JOINT
from shop.catalogue.queries import (
    LABELS,
    PLAN,
    NoSuchCategory,
    NoSuchProduct,
    Product,
    ProductOrder,
    category_pager,
    find_product,
    list_all_categories,
    list_all_products,
    parse_order,
    read_also_bought,
    read_category,
)
from shop.catalogue.search import SUGGESTED, find_products, parse_search
from shop.days import url_without_blanks

NO_SUCH_PRODUCT = gettext_noop("There is no such product.")
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
        raise Http404(_(NO_SUCH_PRODUCT)) from error


@require_safe
@public
def categories(request: HttpRequest) -> HttpResponse:
    """Show all categories by name, each followed by its children (P9)."""
    url = reverse("categories")
    pager = Pager(url, "categories/tree", canonical=url)
    asked = pager.requested(request.GET, size=settings.PAGE_SIZE)
    found = list_all_categories(asked)
    return show_page(
        request,
        pager,
        asked,
        found.page,
        templates=("shop/catalogue/categories.html", "shop/catalogue/_categories.html"),
        context=lambda: {"heading": _("All categories"), "categories": found.items},
        plan=PLAN,
    )


@require_safe
@public
def products(request: HttpRequest) -> HttpResponse:
    """Show all products by name, those in no category too (P9)."""
    url = reverse("products")
    pager = Pager(url, "products/all", canonical=url)
    asked = pager.requested(request.GET, size=settings.PAGE_SIZE)
    found = list_all_products(asked)
    return show_page(
        request,
        pager,
        asked,
        found.page,
        templates=("shop/catalogue/products.html", "shop/catalogue/_all_products.html"),
        context=lambda: {"heading": _("All products"), "products": found.items},
        plan=PLAN,
    )


@require_safe
@public
def category(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the products of a category by id, name or price (P9)."""
    if request.GET.get("order") == "" and (address := url_without_blanks(request)):
        return redirect(address)  # the default, as the form sends it
    order = parse_order(request.GET.get("order"), slug)
    pager = category_pager(slug, order)
    asked = pager.requested(request.GET, size=settings.PAGE_SIZE)
    try:
        read = read_category(slug, asked, order=order)
    except NoSuchCategory as error:
        raise Http404(_("There is no such category.")) from error
    context = {
        "heading": read.category.name,
        "category": read.category,
        "products": read.items,
        "orders": LABELS.items(),
        "order": order,
        "leaves_out_unpriced": order not in {None, ProductOrder.NAME},
    }
    return show_page(
        request,
        pager,
        asked,
        read.page,
        templates=("shop/catalogue/category.html", "shop/catalogue/_products.html"),
        context=lambda: context,
        plan="products of a category" if order is None else PLAN,
    )


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


for _view in (edit_product, edit_category):  # what was typed comes back where the CSRF token fails
    _view.again = partial(_view, is_forged=True)  # type: ignore[attr-defined] # see csrf_failure


def _edit(
    request: HttpRequest, kind: type[EditForm], item_id: str, route: str, *, is_forged: bool
) -> HttpResponse:
    try:
        stored = kind.find(item_id) if item_id else None
    except LookupError as error:
        raise Http404(_("There is nothing here.")) from error
    sent, is_theirs = request.POST.copy(), False
    form = kind(sent if request.method == "POST" else None, stored=stored)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.is_bound else HTTPStatus.OK
    if is_forged:
        status = HTTPStatus.FORBIDDEN
        form.add_error(None, _(FORGED))
    elif form.is_valid():
        status = HTTPStatus.CONFLICT
        try:
            is_done = form.save()
        except Changed as error:
            if stored:  # what is sent once more replaces theirs
                is_theirs, sent["version"] = True, error.stored.version
                form = kind(sent, stored=error.stored)
            sentence = str(error) if stored else _("This id is already taken.")
            form.add_error(None, sentence)
        except CategoryRefused as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, _("Saved."))
            if is_done is False:
                messages.warning(request, _(COPIES_WAIT))
            return redirect(route, item_id or sent[kind.id_name])
    context = {
        "form": form,
        "heading": kind.headings[stored is not None],
        "stored": stored and stored.content,
        "page_url": reverse(route, args=[item_id]) if stored else "",
        "theirs": list(form.theirs()) if is_theirs else (),
    }
    return render(request, "shop/catalogue/edit.html", context, status=status)


@require_safe
@public
def also_bought(request: HttpRequest, product_id: str) -> HttpResponse:
    """Show what else the newest buyers of a product bought (P9).

    The product's page loads the fragment when it comes into view, and links to the whole page.
    """
    try:
        product, others = read_also_bought(product_id)
    except NoSuchProduct as error:
        raise Http404(_(NO_SUCH_PRODUCT)) from error
    context = {
        "product": product,
        "trail": [*product.trail, product],
        "also_bought": others,
        "explain": partial(explain_reads, current_meter()),
    }
    return render_list(
        request, "shop/catalogue/also_bought.html", "shop/catalogue/_also_bought.html", context
    )


@require_safe
@public
def search(request: HttpRequest) -> HttpResponse:
    """Show the products whose names have words that begin like those that were typed (S2)."""
    typed, whole = " ".join(request.GET.get("q", "").split()), "shop/catalogue/search.html"
    try:
        words = parse_search(typed)
    except Refusal as error:
        return refuse(request, error.status, template=whole, message=error, typed=typed)
    leading = request.GET.get("by", "")
    asked = search_pager(typed, words, leading).requested(request.GET, size=settings.PAGE_SIZE)
    found = find_products(words, asked, leading=leading)
    heading = _("Products for “%(typed)s”") if typed else _("Search products")
    context = {"typed": typed, "words": words, "products": found.items}
    return show_page(
        request,
        search_pager(typed, words, found.leading),
        asked,
        found.page,
        templates=(whole, "shop/catalogue/_found.html"),
        context=lambda: {"heading": heading % {"typed": typed}, **context},
        plan="words of names",
    )


@require_safe
@public
@vary_on_headers("HX-Request")
def suggestions(request: HttpRequest) -> HttpResponse:
    """Show the first products for what is being typed, none for what is no search."""
    typed, template = request.GET.get("q", ""), "shop/catalogue/_suggestions.html"
    if not wants_partial(request):
        return redirect(search_pager(typed).first_url)
    context = {}
    with suppress(Refusal):
        context["products"] = find_products(parse_search(typed), SUGGESTED).items
    return render_list(request, template, template, context)


def search_pager(typed: str, words: Sequence[str] = (), leading: str = "") -> Pager:
    """Return the pager of a search, which one of several words leads on its later pages."""
    query = {"by": leading} if len(words) > 1 and leading else {}
    url = f"{reverse('search')}?{urlencode({'q': typed, **query})}"
    list_name = f"search/{JOINT.join([*query.values(), *words])}"
    return Pager(url, list_name, shape={"words": len(words)})
