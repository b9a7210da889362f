"""How often a customer may place orders, change them, and say where they go."""

from math import ceil

from django.http import HttpRequest
from django.utils import timezone

from dynamo.web.refusals import TooManyRequests
from shop.accounts import throttling
from shop.web.client_address import client_network


def require_room(request: HttpRequest, *, back: str) -> None:
    """Count a change of a customer's orders against the limits of its user and network.

    Raises TooManyRequests, which leads to ``back``. What staff do with orders is not counted.
    """
    user = request.user
    if user.is_staff:
        return
    wait = ceil(
        throttling.take(
            throttling.orders_of(user.get_username()),
            throttling.orders_from(client_network(request)),
            now=timezone.now(),
        )
    )
    if wait:
        sentence = (
            "You have placed or changed orders a lot in a short time. "
            f"Come back in {throttling.in_words(wait)}."
        )
        raise TooManyRequests(sentence, first_url=back, retry_after=wait)
