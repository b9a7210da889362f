"""Lookups of views that answer 404."""

from django.http import Http404

from dynamo.calls.meter import labelled_calls
from shop.catalogue.queries import NoSuchProduct, Product, find_product


def product_or_404(product_id: str) -> Product:
    """Read a product, metered under its own label. Raises Http404."""
    try:
        with labelled_calls("product"):
            return find_product(product_id)
    except NoSuchProduct as error:
        raise Http404("There is no such product.") from error
