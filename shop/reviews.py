"""Where the reviews of products are, which are another app's: for links from delivered orders.

Whoever wires that app to the shop connects a `ReviewSource` where Django makes apps ready; a shop
without one has no links to reviews.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.http import HttpRequest

Reviews = Mapping[str, str]
"""The addresses of a customer's reviews, by the ids of their products."""
NO_REVIEWS: Reviews = {}


@dataclass(frozen=True, slots=True)
class ReviewSource:
    """Where reviews are.

    ``read`` returns the latest ones of whom the session of a request names, before that user is
    confirmed: it must not write. ``form_url`` returns where a buyer reviews the product of an id.
    """

    read: Callable[[HttpRequest], Reviews]
    form_url: Callable[[str], str]


_connected: list[ReviewSource] = []


def connect_reviews(source: ReviewSource) -> None:
    """Lead from delivered orders to these reviews from now on, instead of any others."""
    _connected[:] = [source]


def review_source() -> ReviewSource | None:
    """Return the source of reviews, None where none is connected."""
    if not _connected:
        return None
    return _connected[0]
