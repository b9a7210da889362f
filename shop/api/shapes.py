"""What the operations on the catalogue and on orders take and answer."""

import re
from datetime import date
from decimal import Decimal
from typing import Annotated, Literal

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from ninja import Path, Query
from pydantic import BeforeValidator, Field, StringConstraints, WithJsonSchema

from dynapages.django.paging import LONGEST_ID
from dynapages.files.identifiers import IDENTIFIER
from dynapages.ninja import (
    Address,
    ApiAddress,
    Conflict,
    IdText,
    Listing,
    Moment,
    PartialBody,
    PlainText,
    ProblemBody,
    QueryParameters,
    RequestBody,
    ResponseBody,
    StrictFlag,
    StrictNumber,
    TextForm,
)
from shop.addresses.forms import LONGEST_LINES, LONGEST_PART, LONGEST_POSTAL_CODE
from shop.catalogue import editing
from shop.catalogue.queries import ProductOrder
from shop.catalogue.search import LONGEST_SEARCH
from shop.days import parse_day
from shop.order_status import OPEN, Status
from shop.orders.forms import LONGEST_REASON
from shop.orders.items import MOST_LINES, MOST_OF_A_PRODUCT, NewPickup

PRICE = r"[0-9]{1,10}(\.[0-9]{1,2})?"
LONGEST_DESCRIPTION = 5_000
LONGEST_VERSION = 32
"""Characters."""


def _price(value: object) -> object:
    """Return the text of a price. Raises ValueError for a number, too: that may be inexact."""
    if value is None or (isinstance(value, str) and re.fullmatch(PRICE, value)):
        return value
    raise ValueError(_("Send a price as text of digits with up to two decimals, such as “18.50”."))


def _day(text: str) -> date:
    """Return the day that a text is. Raises ValueError, also where it is empty."""
    day = parse_day(text)
    if day is None:
        raise ValueError(_("Write a date as YYYY-MM-DD, such as 2023-01-31, or leave this out."))
    return day


def _text_or_none(text: str | None) -> str | None:
    """Return a text, None where it is empty."""
    return text or None


# Values of fields
Money = Annotated[
    Decimal,
    WithJsonSchema({"type": "string", "pattern": r"^-?[0-9]+(\.[0-9]+)?$", "examples": ["18.50"]}),
]
"""In the currency's main unit."""
Price = Annotated[
    str,
    BeforeValidator(_price),
    WithJsonSchema({"type": "string", "pattern": f"^{PRICE}$", "examples": ["18.50"]}),
]
Currency = Annotated[
    str,
    TextForm("[A-Z]{3}", gettext_lazy("Use a code of three capitals, such as EUR.")),
]
CountryCode = Annotated[
    str,
    TextForm("[A-Z]{2}", gettext_lazy("Use a code of two capitals, such as DE.")),
]
CurrencyOut = Annotated[str | None, BeforeValidator(_text_or_none)]
Day = Annotated[date, BeforeValidator(_day)]
Name = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=300),
    TextForm(
        r"[^\u0000]*[^\s\u0000][^\u0000]*",
        gettext_lazy("Send a name that is to be seen, without the character NUL."),
    ),
]
NewId = Annotated[
    str,
    TextForm(
        IDENTIFIER,
        gettext_lazy(
            "A new id has up to 128 of A–Z, a–z, 0–9, “.”, “_” and “-”, a letter or digit first."
        ),
    ),
]
Description = Annotated[PlainText, StringConstraints(max_length=LONGEST_DESCRIPTION)]
Slugs = Annotated[list[IdText], Field(max_length=editing.MOST_CATEGORIES)]
ExternalId = Annotated[PlainText, StringConstraints(min_length=1, max_length=LONGEST_ID)]
Version = Annotated[
    str,
    Field(
        max_length=LONGEST_VERSION,
        description="That was read, unless “If-Match” has it.",
    ),
]
VersionOrNew = Annotated[
    str,
    Field(
        max_length=LONGEST_VERSION,
        description="That was read, unless “If-Match” has it; for a new one empty, or left out.",
    ),
]

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
SearchText = Annotated[
    str,
    # What is too long is refused as on the page.
    WithJsonSchema({"type": "string", "maxLength": LONGEST_SEARCH}),
    Query(description="The beginnings of words, one at least."),
]
LeadingWord = Annotated[
    str | None,
    Query(
        min_length=1,
        max_length=LONGEST_SEARCH,
        description="From a link: the word that led on the page before.",
    ),
]
FirstLine = Annotated[
    int, Query(ge=1, le=10**6, description="The number of the first line to return, from 1 on.")
]
Since = Annotated[Day | None, Field(description="From this day on, in UTC.")]
Until = Annotated[Day | None, Field(description="Up to this day, which is not included, in UTC.")]

# What is answered of an id
ProductAddress = Annotated[
    Address, ApiAddress("get_product"), Field(description="The address of the product here.")
]
CategoryAddress = Annotated[
    Address, ApiAddress("get_category"), Field(description="The address of the category here.")
]
OrderAddress = Annotated[
    Address, ApiAddress("get_order"), Field(description="The address of the order here.")
]


# What the catalogue's operations take and return


class CategoryLink(ResponseBody):
    """A category by its name."""

    slug: str
    """Its id."""
    name: str
    url: Address
    """Its page."""
    api_url: CategoryAddress = Field(validation_alias="slug")


class CategoryOut(CategoryLink):
    """A category with those it lies in, from the root."""

    trail: list[CategoryLink]
    """The categories that it lies in, from the root."""


class RatingOut(ResponseBody):
    """How a product is rated by its comments, as they were some minutes ago."""

    average: float
    """The mean of their stars, from 1 to 5."""
    count: int
    """How many comments there are."""


class ProductOut(ResponseBody):
    """A product; one without a price cannot be bought."""

    id: str
    name: str
    url: Address
    """Its page."""
    api_url: ProductAddress = Field(validation_alias="id")
    price: Money | None = Field(validation_alias="unit_price")
    """Null where it has none: it cannot be bought."""
    currency: CurrencyOut
    """Three letters (ISO 4217); null without a price."""
    image: str
    """The address of its picture."""
    rating: RatingOut | None
    """Null without comments."""


class WholeProductOut(ProductOut):
    """A product with its description and categories; only staff see the price of one off."""

    description: str
    categories: list[CategoryLink]
    is_off: bool
    """Taken off: it is in no list, and not sold."""
    external_id: str | None = None
    """Its id elsewhere; for staff alone."""
    version: str | None = None
    """What staff say to have read, to change it; null for others."""


class WholeCategoryOut(CategoryOut):
    """A category with those in it."""

    children: list[CategoryLink]
    """The categories in it."""
    is_off: bool
    """Taken off: it is in no list."""
    version: str | None = None
    """What staff say to have read, to change it; null for others."""
    copies_wait: bool = False
    """After a change: whether products and categories below follow in a moment."""


class CategoryListing(Listing[CategoryOut]):
    """A page of categories."""


class ProductListing(Listing[ProductOut]):
    """A page of products."""


class ProductConflict(Conflict[WholeProductOut]):
    """A product that was not saved; ``current`` is the one that is there, with its version."""


class CategoryConflict(Conflict[WholeCategoryOut]):
    """A category that was not saved; ``current`` is the one that is there, with its version."""


class ProductIn(RequestBody):
    """A product as it is to be; without a version it has to be new."""

    name: Name
    description: Description | None = None
    price: Price | None = None
    """Without one it cannot be bought."""
    currency: Currency | None = None
    """With a price, and never without one."""
    categories: Slugs = Field([])
    """Their slugs."""
    external_id: ExternalId | None = None
    """Its id elsewhere; for staff alone."""
    is_off: StrictFlag = False
    """Whether it is in no list, and not sold."""
    version: VersionOrNew | None = None


class ProductPatch(PartialBody):
    """What is to change of a product, all else stays."""

    name: Name = ""
    description: Description | None = None
    price: Price | None = None
    """Null to have none. Sent together with its currency."""
    currency: Currency | None = None
    """Sent together with its price."""
    categories: Slugs = Field([])
    """Their slugs: all that it is to be in."""
    external_id: ExternalId | None = None
    """Its id elsewhere; for staff alone."""
    is_off: StrictFlag = False
    """Whether it is in no list, and not sold."""
    version: Version = ""


class CategoryIn(RequestBody):
    """A category as it is to be; without a version it has to be new."""

    name: Name
    parent: IdText | None = None
    """The slug of the category that it lies in; without one it is a root."""
    is_off: StrictFlag = False
    """Whether it is in no list."""
    version: VersionOrNew | None = None


class CategoryPatch(PartialBody):
    """What is to change of a category, all else stays."""

    name: Name = ""
    parent: IdText | None = None
    """The slug of the category that it lies in; null for a root."""
    is_off: StrictFlag = False
    """Whether it is in no list."""
    version: Version = ""


# What the operations on orders take and return


class OrderOut(ResponseBody):
    """An order; lists are sorted by ``date``."""

    id: str
    url: Address
    """Its page."""
    api_url: OrderAddress = Field(validation_alias="id")
    username: str
    """Whose it is."""
    status: Status
    date: Moment
    """When it entered its status in lists of chosen ones; else when it was placed."""
    placed: Moment
    """When it was placed."""
    total: Money
    """Of all pieces, at the prices of then."""
    currency: str
    """Three letters (ISO 4217)."""
    item_count: int
    """How many pieces it has."""
    foreign_id: str
    """Its id in another system, empty without one."""


class LineOut(ResponseBody):
    """A product in an order, as it was then; its addresses are those that it has now."""

    product_id: str
    product_url: Address
    """The page of the product."""
    product_api_url: ProductAddress = Field(validation_alias="product_id")
    name: str
    """As it was then."""
    quantity: int
    """How many pieces."""
    unit_price: Money
    """Of one piece, as it was then."""


class StepOut(ResponseBody):
    """A status that an order entered."""

    status: Status
    moment: Moment
    """When the order entered it."""
    reason: str
    """Why the order was ended; may be empty."""


class AddressOut(ResponseBody):
    """The address of an order; what addresses of the country do not have is empty."""

    name: str
    lines: str
    """The street, and what else leads to the door, with line feeds between."""
    postal_code: str
    """As the country writes it."""
    city: str
    """In capitals where the country's post writes it so."""
    region: str
    """The state or province, by its short name where it has one."""
    country: str
    """Two letters (ISO 3166-1)."""


class WholeOrderOut(OrderOut):
    """An order with its history and up to 100 of its lines."""

    lines: list[LineOut] = Field(validation_alias="items")
    """Up to 100, from “first_line” on."""
    first_line: int
    """The number of the first of these lines, from 1 on."""
    line_count: int
    """How many lines the order has."""
    history: list[StepOut]
    """The statuses that it entered, oldest first."""
    pickup: NewPickup | None
    """The pickup point that it goes to; null where it goes to the address."""
    address: AddressOut | None
    """Null where none is stored."""


class OrderRefusal(ProblemBody):
    """An order that was not placed."""

    product_ids: list[str] | None = None
    """Those that are not sold; null, or left out, where the reason is another one."""


class MoveRefusal(Conflict[WholeOrderOut]):
    """A move that was not made; ``current`` is the order where it was moved meanwhile."""

    allowed: list[Status] | None = None
    """Where the move is not allowed: the targets that are, from “source”; else null or left out."""


class OrderListing(Listing[OrderOut]):
    """A page of orders."""


class LineIn(RequestBody):
    """So many pieces of a product."""

    product_id: IdText
    quantity: StrictNumber = Field(1, ge=1, le=MOST_OF_A_PRODUCT)
    """How many pieces."""


class AddressIn(RequestBody):
    """An address; which parts it has, and what they look like, depends on its country."""

    name: PlainText = Field(min_length=1, max_length=LONGEST_PART)
    lines: PlainText = Field(min_length=1, max_length=LONGEST_LINES)
    """The street, and what else leads to the door, with line feeds between."""
    postal_code: PlainText = Field("", max_length=LONGEST_POSTAL_CODE)
    """Of the country; empty where it has none."""
    city: PlainText = Field("", max_length=LONGEST_PART)
    """Empty where addresses of the country have none."""
    region: PlainText = Field("", max_length=LONGEST_PART)
    """The state or province, by its name or short name."""
    country: CountryCode
    """Two letters (ISO 3166-1)."""


class OrderIn(RequestBody):
    """An order at today's prices, to an address or to a pickup point."""

    lines: list[LineIn] = Field(min_length=1, max_length=MOST_LINES)
    pickup_point: IdText | None = None
    """The id of a pickup point; without one it goes to the address."""
    address: AddressIn | None = None
    """Not with a pickup point."""


class MoveIn(RequestBody):
    """A move between two statuses, with a reason where it ends the order."""

    source: Status
    target: Status
    reason: PlainText = Field("", max_length=LONGEST_REASON)
    """Where the move ends the order: for its history."""


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
