"""What the operations on the catalogue and on orders take and answer."""

from datetime import date
from decimal import Decimal
from typing import Annotated, Literal

from ninja import Path, Query
from pydantic import BeforeValidator, Field, StringConstraints, WithJsonSchema

from dynapages.files.identifiers import IDENTIFIER
from dynapages.ninja import (
    IdText,
    Listing,
    Moment,
    QueryParameters,
    RequestBody,
    ResponseBody,
    StrictFlag,
    StrictNumber,
)
from shop.catalogue import editing
from shop.catalogue.queries import ProductOrder
from shop.days import parse_day
from shop.order_status import OPEN, Status
from shop.orders.forms import LONGEST_REASON
from shop.orders.items import MOST_LINES, MOST_OF_A_PRODUCT, NewPickup

Money = Annotated[
    Decimal,
    WithJsonSchema({"type": "string", "pattern": r"^-?[0-9]+(\.[0-9]+)?$", "examples": ["18.50"]}),
]
"""In the currency's main unit."""
Day = Annotated[date, BeforeValidator(parse_day)]
Name = Annotated[
    str, StringConstraints(strip_whitespace=True, max_length=300, pattern=r"[^\s\u0000]")
]
NewId = Annotated[str, StringConstraints(pattern=IDENTIFIER)]

# What is in addresses
ProductId = Annotated[IdText, Path(description="The id of a product.")]
NewProductId = Annotated[
    NewId, Path(description="The id of a product that is there, or a new one.")
]
Slug = Annotated[IdText, Path(description="The slug of a category.")]
NewSlug = Annotated[NewId, Path(description="The slug of a category that is there, or a new one.")]
OrderId = Annotated[IdText, Path(description="The id of an order, or its foreign id.")]
Customer = Annotated[IdText, Path(description="The user name of a customer.")]
OrderOfProducts = Annotated[
    ProductOrder | None, Query(description="By name or by price; without it, by id.")
]
SearchText = Annotated[str, Query(max_length=200, description="The beginnings of words.")]
LeadingWord = Annotated[
    str, Query(max_length=200, description="From a link: the word that led on the page before.")
]
FirstLine = Annotated[
    int, Query(ge=1, le=10**6, description="The number of the first line to return, from 1 on.")
]
Since = Annotated[Day | None, Field(description="From this day on, in UTC.")]
Until = Annotated[Day | None, Field(description="Up to this day, which is not included, in UTC.")]


# What the catalogue's operations take and return


class CategoryLink(ResponseBody):
    """A category by its name."""

    slug: str
    name: str
    url: str


class CategoryOut(CategoryLink):
    """A category with those it lies in, from the root."""

    trail: list[CategoryLink]


class ProductOut(ResponseBody):
    """A product; one without a price cannot be bought."""

    id: str
    name: str
    url: str
    price: Money | None = Field(validation_alias="unit_price")
    currency: str
    image: str


class WholeProductOut(ProductOut):
    """A product with its description and categories; staff change the ``version``.

    Only they see the ``external_id``, and the price of one that ``is_off``.
    """

    description: str
    categories: list[CategoryLink]
    is_off: bool
    external_id: str | None = None
    version: str | None = None


class WholeCategoryOut(CategoryOut):
    """A category with those in it; staff change the ``version``.

    ``copies_wait`` after a change that further products and categories follow in a moment.
    """

    children: list[CategoryLink]
    is_off: bool
    version: str | None = None
    copies_wait: bool = False


class CategoryListing(Listing[CategoryOut]):
    """A page of categories."""


class ProductListing(Listing[ProductOut]):
    """A page of products."""


class ProductIn(RequestBody):
    """A product as it is to be, from the ``version`` that was read, empty for a new one.

    One that ``is_off`` is in no list and not sold.
    """

    name: Name
    description: str = Field("", max_length=5_000)
    price: str | None = Field(None, pattern=r"^[0-9]{1,10}(\.[0-9]{1,2})?$", examples=["18.50"])
    currency: str | None = Field(None, pattern=r"^[A-Z]{3}$")
    categories: list[IdText] = Field([], max_length=editing.MOST_CATEGORIES)
    external_id: IdText | None = None
    is_off: StrictFlag = False
    version: str = Field("", max_length=32)


class CategoryIn(RequestBody):
    """A category as it is to be, from the ``version`` that was read, empty for a new one.

    ``parent`` is the slug of the one that it lies in. One that ``is_off`` is in no list.
    """

    name: Name
    parent: IdText | None = None
    is_off: StrictFlag = False
    version: str = Field("", max_length=32)


# What the operations on orders take and return


class OrderOut(ResponseBody):
    """An order; lists are sorted by ``date``.

    That is when it entered its status where statuses are chosen, else when it was placed.
    """

    id: str
    url: str
    username: str
    status: Status
    date: Moment
    placed: Moment
    total: Money
    currency: str
    item_count: int
    foreign_id: str


class LineOut(ResponseBody):
    """A product in an order, as it was then."""

    product_id: str
    name: str
    quantity: int
    unit_price: Money


class StepOut(ResponseBody):
    """A status that an order entered."""

    status: Status
    moment: Moment
    reason: str


class WholeOrderOut(OrderOut):
    """An order with its history and up to 100 of its lines, from ``first_line`` on."""

    lines: list[LineOut] = Field(validation_alias="items")
    first_line: int
    line_count: int
    history: list[StepOut]
    pickup: NewPickup | None


class OrderListing(Listing[OrderOut]):
    """A page of orders."""


class LineIn(RequestBody):
    """So many pieces of a product."""

    product_id: IdText
    quantity: StrictNumber = Field(1, ge=1, le=MOST_OF_A_PRODUCT)


class OrderIn(RequestBody):
    """An order at today's prices, to the door or to a pickup point."""

    lines: list[LineIn] = Field(min_length=1, max_length=MOST_LINES)
    pickup_point: IdText | None = None


class MoveIn(RequestBody):
    """A move between two statuses, with a reason where it ends the order."""

    source: Status
    target: Status
    reason: str = Field("", max_length=LONGEST_REASON)


class Chosen(QueryParameters):
    """Statuses, and UTC days from ``since`` up to but not ``until``; ``open`` excludes statuses."""

    status: list[Status] = Field(
        [], max_length=len(Status), description="Orders in any of these; without one, in all."
    )
    since: Since = None
    until: Until = None
    open: bool = Field(default=False, description="Open orders alone, without “status”.")


class Queued(QueryParameters):
    """Open statuses, and UTC days of placing from ``since`` up to but not ``until``."""

    status: list[Literal[Status.PLACED, Status.APPROVED, Status.PROCESSING]] = Field(
        [], max_length=len(OPEN), description="Orders in any of these; without one, in all three."
    )
    since: Since = None
    until: Until = None
