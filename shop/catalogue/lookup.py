"""What a view looks up before all else, or else answers 404."""

from django.http import Http404

from dynamo.calls.meter import labelled_calls
from shop.catalogue.queries import NoSuchProduct, Product, find_product


def product_or_404(product_id: str) -> Product:
    """Read a product, metered under its own name. Raises Http404."""
    try:
        with labelled_calls("product"):
            return find_product(product_id)
    except NoSuchProduct as error:
        raise Http404("There is no such product.") from error
