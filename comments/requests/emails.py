"""The e-mail that asks for reviews, in the customer's language."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.utils.translation import ngettext, override

from comments.filters import RATINGS
from comments.host import Product
from comments.requests.links import choice_path, form_path, request_token
from comments.requests.purchases import DuePurchase
from dynapages.django.mail import add_opt_out

MOST_PRODUCTS = 10
"""That an e-mail asks about."""
TEMPLATE = "comments/requests/email.txt"


def build_email(purchase: DuePurchase, products: Sequence[Product], *, site: str) -> EmailMessage:
    """Return the e-mail that asks for reviews of these products; it is not sent.

    ``site`` is what its links begin with. Of one product it has a link for each number of stars, of
    several one link for each product.
    """
    opt_out = f"{site}{choice_path(purchase.user_id)}"
    context: dict[str, object] = {
        "name": purchase.name,
        "bought_at": purchase.bought_at,
        "site": site,
        "host": urlsplit(site).netloc,
        "opt_out": opt_out,
    }
    token = request_token(purchase.user_id, purchase.id)
    with override(_language_of(purchase)):
        # Five links for each of several products would be more than anybody looks at.
        if len(products) == 1:
            context["stars"] = _links_of_stars(products[0], token)
        context["products"] = _links_of_products(products, token)
        text = render_to_string(TEMPLATE, context)
    subject, _newline, body = text.partition("\n")
    message = EmailMessage(subject, body, to=[purchase.address])
    add_opt_out(message, opt_out)
    return message


def _links_of_products(products: Sequence[Product], token: str) -> list[tuple[str, str]]:
    """Return the name of each product on one line, and the path of its form."""
    return [
        (" ".join(product.name.split()), form_path(product.id, token=token)) for product in products
    ]


def _links_of_stars(product: Product, token: str) -> list[tuple[str, str]]:
    """Return each number of stars in words, and the path of the form with these chosen."""
    links = []
    for rating in sorted(RATINGS, reverse=True):
        label = ngettext("%d star", "%d stars", rating) % rating
        links.append((label, form_path(product.id, token=token, rating=rating)))
    return links


def _language_of(purchase: DuePurchase) -> str:
    if purchase.language in dict(settings.LANGUAGES):
        return purchase.language
    return settings.LANGUAGE_CODE
