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


def routes() -> list[str]:
    """The routes of all URL patterns, such as ``products/<id:product_id>/``."""
    return [route for route, _ in _patterns(get_resolver(), "")]


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
            "username": self.owner.username,
            "languages": "~",
            "ratings": "~",
            "uidb64": "b3duZXI",
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
