"""Lookups of views that answer 404."""

from django.http import Http404
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from shop.catalogue.queries import NoSuchProduct, Product, find_product

NO_SUCH_PRODUCT = gettext_noop("There is no such product.")


def product_or_404(product_id: str, *, is_whole: bool = True) -> Product:
    """Read a product; its description if whole. Raises Http404."""
    try:
        return find_product(product_id, is_whole=is_whole)
    except NoSuchProduct as error:
        raise Http404(_(NO_SUCH_PRODUCT)) from error
