"""Each type of page of the site once: its address, and somebody who sees it."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from comments.reports.services import Reason, report_comment
from comments.topics.banning import ban
from config.docs_pages import RECORDS, read_order
from shop.catalogue.services import put_catalogue
from shop.order_status import Status
from shop.pickup.bulk_writes import put_points
from shop.pickup.cells import Coordinates
from shop.pickup.items import PickupPoint
from tests.support.catalogue.making import category
from tests.support.chance import unique
from tests.support.comments.topical import Word, put_topics
from tests.support.comments.writers import Writer
from tests.support.config.addresses import MATRIX, ROLES, address, belongings
from tests.support.config.lists import listed_shop
from tests.support.orders.making import made_order, put

LATE = Coordinates.at(-47.0, -160.0)
"""Far from the pickup points of other tests."""
NO_PAGES = (
    *(".csv", ".xml", ".json", ".svg", ".ico"),
    *("robots.txt", "form-token/", "healthz", "readyz"),
)
SECOND_ADDRESS = "comments/~/<id_with_slashes:comment_id>/"
"""Under which a comment has the same page."""
OWN_ORDERS = "orders/"
"""Which staff have, too, but none in them."""
QUERIES = (
    ("staff", "/staff/orders/all/?status=PLACED"),
    ("staff", "/staff/find/?q=nobody-has-this-name"),
    ("owner", "/orders/?status=RETURNED"),
    ("owner", "/orders/{delivered}/"),
    ("owner", "/products/{product_id}/comments/~/~/?order=helpful"),
    ("nobody", "/products/{product_id}/comments/de/1/"),
    ("nobody", "/products/{product_id}/?explain=1"),
    ("nobody", "/search/?q=nothing-is-called-so"),
)
"""Pages that look otherwise by their filters, and some that are empty."""
REFUSED = ("/nothing/", "/rankings/most-loved/?after=nothing")
"""Addresses whose pages say what is wrong."""


def who_sees(answers: str) -> list[str]:
    """Who looks at a page: staff, who see most of it, or its owner; nobody looks at some below."""
    return [role for role, told in zip(ROLES, answers.split(), strict=True) if told == "200"][-1:]


PAGES = [
    (route, role)
    for route, (answers, _) in MATRIX.items()
    for role in who_sees(answers)
    if not route.endswith(NO_PAGES)
    and (not route.startswith("api/") or route == "api/v1/docs")
    and route not in (SECOND_ADDRESS, OWN_ORDERS)
]
PAGES += [
    (OWN_ORDERS, "owner"),
    ("orders/<id:order_id>/", "owner"),
    ("products/<id:product_id>/", "owner"),
]


def addresses_of(role: str, arguments: Mapping[str, str]) -> Iterator[str]:
    """Yield the addresses of all types of pages that somebody of this role looks at."""
    known = dict(arguments)
    for route, who in PAGES:
        if who == role:
            yield address(route, known)
    for who, path in QUERIES:
        if who == role:
            yield path.format_map(known)
    if role == "nobody":
        # Of the records, which are all alike, the first.
        records = [name for name in read_order() if name.startswith(f"{RECORDS}/")]
        for name in read_order():
            if name not in records[1:]:
                yield f"/docs/{name}/"
        yield from REFUSED


def furnished(known: Mapping[str, Writer]) -> dict[str, str]:
    """Fill a shop whose lists have several pages; return what addresses name."""
    now, owner = datetime.now(UTC), known["owner"]
    arguments = belongings(owner).arguments | listed_shop().arguments
    put(*(made_order(owner.username, placed_at=now) for _ in range(3)))
    put(delivered := made_order(owner.username, Status.DELIVERED))
    arguments["delivered"] = delivered.id
    report_comment(
        comment_id=arguments["comment_id"],
        user_id="bob",
        reason=Reason.ABUSE,
        text="Rude.",
        now=now,
    )
    put_catalogue(categories=[category(unique("shelf")) for _ in range(2)], products=[])
    put_topics(
        arguments["product_id"], {"en": [Word("word", 40, 10)], "de": [Word("Wort", 31, 30)]}
    )
    for word, is_for_all in ((("en", "thing"), False), (("de", "ding"), True)):
        ban(arguments["product_id"], word, everywhere=is_for_all, now=now)
    put_points([PickupPoint(unique("point"), "Kiosk", "Pier 1", LATE, "Daily 7-22")])
    return arguments
