"""The lists of products in URLs: the order of a category's products, and the pagers."""

from collections.abc import Sequence
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dynapages.django.paging import Pager, address_of
from dynapages.django.refusals import Refusal
from shop.catalogue.names import WORD_JOINT
from shop.catalogue.queries import ProductOrder

ORDER_LABELS = {
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
        values = {"order": text, "known": ", ".join(ProductOrder)}
        raise Refusal(sentence % values, first_url=category_url(slug, None)) from error


def category_url(slug: str, order: ProductOrder | None) -> str:
    """Return the URL of a category's products in an order, or (None) by id."""
    url = address_of("category", slug)
    if order is None:
        return url
    return f"{url}?{urlencode({'order': order})}"


def category_pager(slug: str, order: ProductOrder | None) -> Pager:
    """Return the pager of a category's products; its tokens are bound to the order."""
    url = category_url(slug, order)
    if order is None:
        return Pager(url, f"category/{slug}", canonical=url)
    # Search engines are to know the products in one order alone.
    return Pager(url, f"category/{slug}/{order}", canonical="", shape={"order": order.value})


def search_pager(typed: str, words: Sequence[str] = (), leading: str = "") -> Pager:
    """Return the pager of a search, which one of several words leads on its later pages."""
    query = {"q": typed}
    bound_to = list(words)
    if leading and len(words) > 1:
        query["by"] = leading
        bound_to.insert(0, leading)
    url = f"{reverse('search')}?{urlencode(query)}"
    return Pager(url, f"search/{WORD_JOINT.join(bound_to)}", shape={"words": len(words)})
