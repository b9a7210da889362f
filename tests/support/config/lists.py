"""A shop in which each list of the site has several pages, and the addresses of these lists."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from django.test import Client

from comments.posting.services import add_comment
from comments.replies.services import reply_to
from comments.votes.services import cast_vote
from shop.catalogue.content import NewCategory, NewProduct
from shop.catalogue.services import put_catalogue
from shop.order_status import Status
from tests.support.chance import unique
from tests.support.comments.truth import numbered_comments, written
from tests.support.comments.writers import Writer, someone
from tests.support.orders.making import made_order, put

ADDRESSES = {
    "/products/{product_id}/": "data-comment-id",
    "/products/{product_id}/comments/{languages}/{ratings}/": "data-comment-id",
    "/products/{product_id}/comments/~/~/?order=helpful": "data-comment-id",
    "/users/{username}/": "data-comment-id",
    "/rankings/most-loved/": "data-product-id",
    "/rankings/recently-commented/": "data-product-id",
    "/products/": "data-product",
    "/search/?q=gro": "data-product",
    "/categories/": "data-category",
    "/categories/{slug}/": "data-product",
    "/orders/": "data-order-id",
    "/staff/customers/{username}/orders/": "data-order-id",
    "/staff/orders/": "data-order-id",
}
"""The addresses of lists, and what their pages mark items by."""
IN_THE_API = {
    "/products/{product_id}/comments/{languages}/{ratings}/": "/products/{product_id}/comments",
    "/products/{product_id}/comments/de.en/1.2.5/": (
        "/products/{product_id}/comments?language=en&language=de&rating=5&rating=1&rating=2"
    ),
    "/products/{product_id}/comments/~/~/?order=oldest": (
        "/products/{product_id}/comments?order=oldest"
    ),
    "/products/{product_id}/comments/~/~/?order=lowest": (
        "/products/{product_id}/comments?order=lowest"
    ),
    "/products/{product_id}/comments/~/~/?order=helpful": (
        "/products/{product_id}/comments?order=helpful"
    ),
    "/users/{username}/": "/users/{username}/comments",
    "/rankings/most-loved/": "/rankings/most-loved",
    "/rankings/recently-commented/": "/rankings/recently-commented",
    "/search/?q=gro": "/search?q=gro",
    "/products/": "/products",
    "/categories/": "/categories",
    "/categories/{slug}/": "/categories/{slug}/products",
    "/categories/{slug}/?order=-price": "/categories/{slug}/products?order=-price",
    "/orders/": "/orders",
    "/orders/?status=SHIPPED": "/orders?status=SHIPPED",
    "/orders/?open=1": "/orders?open=true",
    "/orders/?from=2020-01-01": "/orders?since=2020-01-01",
    "/staff/customers/{username}/orders/": "/staff/customers/{username}/orders",
    "/staff/orders/": "/staff/orders",
    "/staff/orders/?status=PLACED": "/staff/orders?status=PLACED",
}
"""The addresses of pages of lists, some filtered, and those of the same lists in the API."""


@dataclass(frozen=True)
class ListedShop:
    """Somebody of the staff, who has written and ordered everything, and what stands where."""

    browser: Client
    arguments: dict[str, str]

    def address(self, route: str) -> str:
        """The address of a list; all may be asked for by ``browser``."""
        return route.format_map(self.arguments)


def listed_shop() -> ListedShop:
    """Make a few of everything, with all that is told of some, and less of others."""
    owner, slug = someone("owner", is_staff=True), unique("shelf")
    products = [_product(slug, price) for price in (1_999, 5, None, 100_000)]
    within = [NewCategory(unique("shelf"), "In it", slug) for _ in range(2)]
    put_catalogue(categories=[NewCategory(slug, "Shelf"), *within], products=products)
    _comment(owner, [product.id for product in products])
    _order(owner)
    arguments = {
        "product_id": products[0].id,
        "languages": "~",
        "ratings": "~",
        "username": owner.username,
        "slug": slug,
    }
    return ListedShop(owner.browser, arguments)


def _product(slug: str, price: int | None) -> NewProduct:
    name, currency = "Größe “7” </script>", None if price is None else "EUR"
    return NewProduct(unique("product"), name, (slug,), "Warm light.", price, currency)


def _comment(owner: Writer, product_ids: list[str]) -> None:
    now, voter = datetime.now(UTC), unique("voter")
    first = [
        replace(comment, rating=rating, title="So & so", user_id=owner.username)
        for rating, comment in enumerate(numbered_comments(product_ids[0], count=5), 1)
    ]
    loved = [written(product_id, rating=5) for product_id in product_ids[1:]]
    for comment in (*first, *loved):
        add_comment(comment)
        cast_vote(comment_id=comment.id, user_id=voter)
    reply_to(comment_id=first[-1].id, text="Thanks.", user_id=owner.username, seen=None, now=now)


def _order(owner: Writer) -> None:
    now = datetime.now(UTC)
    statuses = (Status.PLACED, Status.APPROVED, Status.PLACED, Status.SHIPPED, Status.SHIPPED)
    for day, status in enumerate(statuses):
        made = made_order(owner.username, status, placed_at=now - timedelta(days=day))
        put(replace(made, foreign_id=unique("foreign")) if day else made)
