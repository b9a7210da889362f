"""Addresses in requests for reviews: to the form with stars chosen, and to opt out.

Their tokens are signed, and valid for ever. That of a form says who was asked about what, so that
what the user does there is counted; it opens nothing. That of the choice is all that is needed to
change it, as mail programs do without a session.
"""

from django.core import signing
from django.http import QueryDict
from django.urls import reverse

from comments.filters import RATINGS
from dynapages.django.paging import address_of_item

BOUGHT = "bought"
"""The parameter by which the form says whether its reader is known to have bought the product."""
RATING = "rating"
REQUEST = "request"
"""The parameter, and the field, by which the form knows which request has led there."""
YES = "yes"
_FORM_SALT = "comments.requests.form"
_CHOICE_SALT = "comments.requests.choice"


def request_token(user_id: str, purchase_id: str) -> str:
    """Return the token of the request for reviews of a purchase."""
    return signing.dumps([user_id, purchase_id], salt=_FORM_SALT)


def purchase_in(token: str, *, user_id: str) -> str:
    """Return the id of the purchase that a token is of; empty for one of another user, or none."""
    try:
        asked_user_id, purchase_id = signing.loads(token, salt=_FORM_SALT)
    except signing.BadSignature:
        return ""
    # A link that was passed on says nothing about what the one did who was asked.
    return str(purchase_id) if user_id and asked_user_id == user_id else ""


def form_path(product_id: str, *, token: str = "", rating: int | None = None) -> str:
    """Return the path of the form for a comment on a product that its reader has bought.

    It has ``rating`` stars chosen. ``token`` is of the request that leads there, if one does.
    """
    query = QueryDict(mutable=True)
    query[BOUGHT] = YES
    if rating is not None:
        query[RATING] = str(rating)
    if token:
        query[REQUEST] = token
    return f"{address_of_item('comments:new_comment', product_id)}?{query.urlencode()}"


def rating_in(text: str) -> int | None:
    """Return the number of stars that a parameter names, None for anything else."""
    for rating in RATINGS:
        if text == str(rating):
            return rating
    return None


def choice_token(user_id: str) -> str:
    """Return the token by which a user can be asked no more, or again."""
    return signing.dumps(user_id, salt=_CHOICE_SALT)


def choice_path(user_id: str) -> str:
    """Return the path of the page on which a user chooses, without signing in."""
    return reverse("comments:review_requests_by_token", args=[choice_token(user_id)])


def user_id_of_choice(token: str) -> str:
    """Return the id of the user whose choice a token is for; empty for what is no token."""
    try:
        user_id = signing.loads(token, salt=_CHOICE_SALT)
    except signing.BadSignature:
        return ""
    return str(user_id)
