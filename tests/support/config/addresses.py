"""The site's addresses: each URL pattern by its route, and things for its arguments to name."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from shop.accounts.queries import find_user
from shop.orders.items import NewLine
from tests.support.comments.writers import Writer, made_product, someone
from tests.support.orders.making import made_order, put

ROLES = ("nobody", "owner", "other", "staff")
ALL = "200 200 200 200"
NONE = "405 405 405 405"
NOWHERE = "404 404 404 404"
NO_KEY = "401 401 401 401"
"""A cookie is no key."""
MATRIX: dict[str, tuple[str, str]] = {
    "api": (NOWHERE, NOWHERE),
    "api/": (NOWHERE, NOWHERE),
    "api/<path:unknown>": (NOWHERE, NOWHERE),
    "api/v1": ("302 302 302 302", NONE),
    "api/v1/": ("302 302 302 302", NONE),
    "api/v1/<path:unknown>": (NOWHERE, NOWHERE),
    "api/v1/docs": (ALL, NONE),
    "api/v1/openapi.json": (ALL, NONE),
    "api/v1/products": (ALL, NONE),
    "api/v1/products/<product_id>": (ALL, NONE),
    "api/v1/products/<product_id>/comments": (ALL, NO_KEY),
    "api/v1/products/<product_id>/comments/most-helpful": (ALL, NONE),
    "api/v1/products/<product_id>/topics": (ALL, NONE),
    "api/v1/users/<username>/comments": (ALL, NONE),
    "api/v1/rankings/most-loved": (ALL, NONE),
    "api/v1/rankings/recently-commented": (ALL, NONE),
    "api/v1/comments/<path:comment_id>": (ALL, NONE),
    "api/v1/votes/<path:comment_id>": (NONE, NONE),
    "api/v1/reports/<path:comment_id>": (NONE, NONE),
    "api/v1/replies/<path:comment_id>": (NONE, NONE),
    "api/v1/decisions/<path:comment_id>": (NONE, NO_KEY),
    "api/v1/categories": (ALL, NONE),
    "api/v1/categories/<slug>/products": (ALL, NONE),
    "api/v1/categories/<slug>": (ALL, NONE),
    "api/v1/search": ("422 422 422 422", NONE),  # it needs words
    "api/v1/orders": (NO_KEY, NO_KEY),
    "api/v1/orders/<order_id>": (NO_KEY, NONE),
    "api/v1/orders/<order_id>/moves": (NONE, NO_KEY),
    "api/v1/staff/customers/<username>/orders": (NO_KEY, NONE),
    "api/v1/staff/orders": (NO_KEY, NONE),
    "categories/": (ALL, NONE),
    "categories/<id:slug>/": (ALL, NONE),
    "products/": (ALL, NONE),
    "search/": (ALL, NONE),
    "search/suggestions/": ("302 302 302 302", NONE),
    "products/<id:product_id>/drawing.svg": (ALL, NONE),
    "products/<id:product_id>/also-bought/": (ALL, NONE),
    "basket/": (ALL, NONE),
    "basket/add/": ("404 404 404 404", "404 404 404 404"),
    "basket/remove/": (NONE, "302 302 302 302"),
    "basket/change/": (NONE, "302 302 302 302"),
    "basket/order/": ("in 302 302 302", "in 302 302 302"),
    "basket/place/": ("302 302 302 302", "in 400 400 400"),
    "orders/": ("in 200 200 200", NONE),
    "orders/<id:order_id>/": ("in 200 404 200", NONE),
    "orders/<id:order_id>/move/": ("302 302 302 302", "in 400 400 400"),
    "orders/<id:order_id>/again/": (NONE, "in 302 404 404"),
    "orders/<id:order_id>/review/": ("in 302 404 404", NONE),
    "orders/<id:order_id>/cancel/": ("in 200 404 200", NONE),
    "orders/<id:order_id>/return/": ("in 302 404 302", NONE),
    "staff/": ("in 404 404 200", NONE),
    "staff/customers/<id:username>/": ("in 404 404 200", NONE),
    "staff/activity/": ("in 404 404 200", NONE),
    "staff/api-keys/": ("in 404 404 200", NONE),
    "staff/api-keys/<id:key_id>/revoke/": (NONE, "in 404 404 302"),
    "staff/webhooks/": ("in 404 404 200", "in 404 404 422"),
    "staff/webhooks/<id:webhook_id>/test/": (NONE, "in 404 404 302"),
    "staff/webhooks/<id:webhook_id>/delete/": (NONE, "in 404 404 302"),
    "staff/work/": ("in 404 404 200", NONE),
    "staff/work/decide/": (NONE, "in 404 404 400"),
    "orders/<id:order_id>/pickup/": ("in 200 404 404", NONE),
    "orders/<id:order_id>/pickup/choose/": (NONE, "in 404 404 404"),
    "orders/<id:order_id>/pickup/forget/": (NONE, "in 302 404 404"),
    "robots.txt": (ALL, NONE),
    "sitemap.xml": (ALL, NONE),
    "sitemap-products.xml": (ALL, NONE),
    "staff/products/new/": ("in 404 404 200", "in 404 404 422"),
    "staff/products/<id:product_id>/edit/": ("in 404 404 200", "in 404 404 422"),
    "staff/categories/new/": ("in 404 404 200", "in 404 404 422"),
    "staff/categories/<id:slug>/edit/": ("in 404 404 200", "in 404 404 422"),
    "staff/orders/": ("in 404 404 200", NONE),
    "staff/find/": ("in 404 404 200", NONE),
    "staff/orders.csv": ("in 404 404 200", NONE),
    "staff/activity.csv": ("in 404 404 200", NONE),
    "staff/customers/<id:username>/orders.csv": ("in 404 404 200", NONE),
    "staff/orders/move/": ("302 302 302 302", "in 404 404 400"),
    "staff/orders/undo/": ("302 302 302 302", "in 404 404 400"),
    "staff/orders/all/": ("in 404 404 400", "in 404 404 400"),
    "staff/customers/<id:username>/orders/": ("in 404 404 200", NONE),
    "staff/products/<id:product_id>/orders/": ("in 404 404 200", NONE),
    "": (ALL, NONE),
    "examples/": ("404 404 404 404", NONE),
    "rankings/most-loved/": (ALL, NONE),
    "rankings/recently-commented/": (ALL, NONE),
    "products/<id:product_id>/": (ALL, NONE),
    "products/<id:product_id>/comments/<str:languages>/<str:ratings>/": (ALL, NONE),
    "products/<id:product_id>/comments/about/": (ALL, NONE),
    "products/<id:product_id>/most-helpful/": ("301 301 301 301", NONE),
    "products/<id:product_id>/comments/new/": ("in 200 200 200", "403 422 422 422"),
    "comments/vote/<id_with_slashes:comment_id>/": ("in 302 302 302", "in 400 302 302"),
    "comments/report/<id_with_slashes:comment_id>/": ("in 404 200 200", "403 422 422 422"),
    "staff/comments/": ("in 404 404 200", NONE),
    "staff/comments/hidden/": ("in 404 404 200", NONE),
    "staff/comments/held/": ("in 404 404 200", NONE),
    "staff/comments.csv": ("in 404 404 200", NONE),
    "staff/comments/hidden.csv": ("in 404 404 200", NONE),
    "staff/comments/held.csv": ("in 404 404 200", NONE),
    "staff/comments/decide/": (NONE, "in 404 404 400"),
    "staff/comments/undo/": (NONE, "in 404 404 400"),
    "staff/authors/<user_slug:user_slug>/": ("in 404 404 200", "in 404 404 302"),
    "staff/products/<id:product_id>/topics/": ("in 404 404 200", "in 404 404 400"),
    "staff/comments/decide/<id_with_slashes:comment_id>/": (NONE, "in 404 404 400"),
    "staff/comments/feature/<id_with_slashes:comment_id>/": (NONE, "in 404 404 302"),
    "staff/comments/reply/<id_with_slashes:comment_id>/": ("in 404 404 200", "403 404 404 422"),
    "comments/edit/<id_with_slashes:comment_id>/": ("in 200 404 404", "403 422 422 422"),
    "comments/delete/<id_with_slashes:comment_id>/": ("in 200 404 200", "in 302 404 302"),
    "comments/~/<id_with_slashes:comment_id>/": (ALL, NONE),
    "comments/<plain_comment_id:comment_id>/": (ALL, NONE),
    "languages/detect/": (NONE, "204 200 200 200"),
    "review-requests/": ("in 200 200 200", NONE),
    "review-requests/<token>/": (NOWHERE, NOWHERE),
    "users/<user_slug:user_slug>/": (ALL, NONE),
    "account/": ("in 200 200 200", NONE),
    "account/email/": ("in 200 200 200", "in 200 200 200"),
    "account/email/send/": (NONE, "in 302 302 302"),
    "account/email/keep/": (NONE, "in 302 302 302"),
    "account/replies/<token>/": ("404 404 404 404", "404 404 404 404"),
    "account/data/": ("in 200 200 200", "in 200 200 200"),
    "accounts/sign-up/": (ALL, ALL),
    "accounts/login/": (ALL, ALL),
    "accounts/login/code/": ("in 200 200 200", "in 200 200 200"),
    "accounts/confirm/<token>/": (ALL, ALL),
    "accounts/second-factor/": ("in 200 200 200", "in 200 200 200"),
    "accounts/second-factor/off/": ("in 200 200 200", "in 200 200 200"),
    "accounts/logout/": (ALL, ALL),
    "accounts/password_change/": ("in 200 200 200", "in 200 200 200"),
    "accounts/password_change/done/": ("in 200 200 200", "in 405 405 405"),
    "accounts/password_reset/": (ALL, ALL),
    "accounts/password_reset/done/": (ALL, NONE),
    "accounts/reset/<uidb64>/<token>/": (ALL, ALL),
    "accounts/reset/done/": (ALL, NONE),
    "language/": (NONE, "302 302 302 302"),
    "lab/": (ALL, NONE),
    "docs/": (ALL, NONE),
    "docs/<path:name>/": (ALL, NONE),
    "form-token/": (ALL, NONE),
    "favicon.ico": ("302 302 302 302", NONE),
    "healthz": (ALL, NONE),
    "readyz": (ALL, NONE),
}
"""What GET, and a POST of an empty form with its token, answer to nobody, owner, other and staff.

“in” leads to the page to sign in. What whole forms answer is in the rooms' own tests.
"""

KEYS = ("none", "reader", "owner", "other", "staff")
PUBLIC = "200 200 200 200 200"
API_MATRIX: dict[str, tuple[str, object]] = {
    "GET /categories": (PUBLIC, None),
    "GET /categories/{slug}/products": (PUBLIC, None),
    "GET /search": (PUBLIC, None),
    "GET /products": (PUBLIC, None),
    "GET /products/{product_id}": (PUBLIC, None),
    "PUT /products/{product_id}": ("401 403 403 403 409", {"name": "Lamp"}),
    "PATCH /products/{product_id}": (
        "401 403 403 403 409",
        {"name": "Lamp", "version": "0123"},
    ),
    "GET /categories/{slug}": (PUBLIC, None),
    "PUT /categories/{slug}": ("401 403 403 403 409", {"name": "Shelf"}),
    "PATCH /categories/{slug}": ("401 403 403 403 409", {"name": "Shelf", "version": "0123"}),
    "GET /orders": ("401 403 200 200 200", None),
    "POST /orders": ("401 403 409 409 409", {"lines": [{"product_id": "not-for-sale"}]}),
    "GET /orders/{order_id}": ("401 403 200 404 200", None),
    "POST /orders/{order_id}/moves": (
        "401 403 200 404 200",
        {"source": "PLACED", "target": "CANCELED"},
    ),
    "GET /staff/orders": ("401 403 403 403 200", None),
    "GET /staff/customers/{username}/orders": ("401 403 403 403 200", None),
    "GET /products/{product_id}/comments": (PUBLIC, None),
    "GET /products/{product_id}/comments/most-helpful": (PUBLIC, None),
    "GET /products/{product_id}/topics": (PUBLIC, None),
    "POST /products/{product_id}/comments": ("401 403 201 201 201", {"rating": 5}),
    "GET /users/{username}/comments": (PUBLIC, None),
    "GET /rankings/most-loved": (PUBLIC, None),
    "GET /rankings/recently-commented": (PUBLIC, None),
    "GET /comments/{comment_id}": (PUBLIC, None),
    "PUT /comments/{comment_id}": ("401 403 200 404 404", {"rating": 4, "version": 1}),
    "PATCH /comments/{comment_id}": ("401 403 200 404 404", {"rating": 3, "version": 1}),
    "DELETE /comments/{comment_id}": ("401 403 204 404 204", None),
    "PUT /votes/{comment_id}": ("401 403 403 200 200", None),
    "DELETE /votes/{comment_id}": ("401 403 200 200 200", None),
    "PUT /reports/{comment_id}": ("401 403 403 204 204", {"reason": "spam"}),
    "PUT /replies/{comment_id}": ("401 403 403 403 200", {"text": "Thank you."}),
    "DELETE /replies/{comment_id}": ("401 403 403 403 204", None),
    "POST /decisions/{comment_id}": ("401 403 403 403 204", {"decision": "hide"}),
}
"""What each operation of the API answers to a request without a key, with one to read of nobody,
with those to write of the owner of what it is about and of another user, and with one of staff; and
the body that is sent.
"""
NEEDED_QUERIES = {"GET /search": "?q=lamp"}
"""What operations of the API cannot do without."""


def api_request(name: str, arguments: dict[str, str]) -> tuple[str, str]:
    """The method of an operation, and its address below that of the API."""
    method, _, path = name.partition(" ")
    return method, path.format_map(arguments) + NEEDED_QUERIES.get(name, "")


def routes() -> list[str]:
    """The routes of all URL patterns, such as ``products/<id:product_id>/``."""
    return list(dict.fromkeys(route for route, _ in _patterns(get_resolver(), "")))


def argument_names(route: str) -> list[str]:
    """The names of what a route takes from its address."""
    return [part.partition(">")[0].rpartition(":")[2] for part in route.split("<")[1:]]


def _patterns(resolver: URLResolver, prefix: str) -> Iterator[tuple[str, URLPattern]]:
    for each in resolver.url_patterns:
        route = f"{prefix}{each.pattern}"
        if isinstance(each, URLResolver):
            yield from _patterns(each, route)
        else:
            yield route, each


def address(route: str, arguments: dict[str, str]) -> str:
    """The path of a route, with arguments that are quoted already."""
    path = route
    for part in route.split("<")[1:]:
        spelled = part.partition(">")[0]
        path = path.replace(f"<{spelled}>", arguments[spelled.rpartition(":")[2]])
    return f"/{path}"


@dataclass(frozen=True)
class Belongings:
    """What ``owner`` has: a comment on a product, and an open order of it."""

    owner: Writer
    product_id: str
    comment_id: str
    order_id: str

    @property
    def arguments(self) -> dict[str, str]:
        """An argument for each name in any route."""
        return {
            "slug": "everything-else",
            "product_id": self.product_id,
            "name": "how-it-works",
            "comment_id": self.comment_id,
            "order_id": self.order_id,
            "key_id": "0123456789ab",
            "webhook_id": "0123456789ab",
            "username": self.owner.username,
            "user_slug": self.owner.username,
            "languages": "~",
            "ratings": "~",
            "uidb64": "b3duZXI",
            "unknown": "nowhere",
            "token": "set-password",
        }


def belongings(owner: Writer) -> Belongings:
    product_id = made_product()
    comment = owner.has_written(product_id).comment
    lines = [NewLine(product_id, "Lamp", 1, 1_999)]
    order = made_order(owner.username, placed_at=datetime.now(UTC), lines=lines)
    put(order)
    return Belongings(owner, product_id, comment.id, order.id)


def people() -> dict[str, Writer]:
    """Somebody for each role but nobody."""
    return {role: someone(role, is_staff=role == "staff") for role in ROLES[1:]}


def browser_of(role: str, known: dict[str, Writer], **options: object) -> Client:
    """A browser of its own for somebody of a role."""
    browser = Client(**options)  # type: ignore[arg-type] # options are those of a client
    if role in known:
        browser.force_login(find_user(known[role].username))
    return browser
