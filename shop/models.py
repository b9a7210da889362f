"""The single table ``shop``: its items and indexes.

The design is that of "DynamoDB Table Design Principles - Filtering"; the adjacency lists of
products and categories follow the pattern list. `shop.keys` documents the keys.
"""

from django.conf import settings
from pynamodb.attributes import (
    BinaryAttribute,
    BooleanAttribute,
    ListAttribute,
    MapAttribute,
    NumberAttribute,
    TTLAttribute,
    UnicodeAttribute,
    UTCDateTimeAttribute,
)
from pynamodb.indexes import GlobalSecondaryIndex, IncludeProjection, LocalSecondaryIndex

from dynapages.pynamodb import DynamoModel

ORDER_SHOWN = ["status", "placed_at", "total_cents", "currency", "item_count", "foreign_id"]
"""Attributes of orders in every index of them."""
ORDER_LISTED = [*ORDER_SHOWN, "summary"]
"""What lists of orders show, in the indexes that could be built anew for it (ADR 10)."""
LINE_SHOWN = ["product_id", "quantity", "unit_price_cents"]
"""Attributes of an order's lines besides the name."""

OLDER_INDEX = (
    "An index of another version is made anew: delete it by the UpdateTable call of “Upgrading” in "
    "docs/deploying.md, and run create_tables."
)
"""What operators are told of a table that differs from its model."""


class Inverted(GlobalSecondaryIndex["ShopItem"]):
    """Items by their sort key: an order with its items, a product's categories."""

    class Meta:
        index_name = "inverted"
        projection = IncludeProjection(["name", "category", "history", *ORDER_SHOWN, *LINE_SHOWN])

    sk = UnicodeAttribute(hash_key=True)
    pk = UnicodeAttribute(range_key=True)


class ByStatus(GlobalSecondaryIndex["ShopItem"]):
    """A user's orders by status and when they entered it (a composite sort key)."""

    class Meta:
        index_name = "by_status"
        projection = IncludeProjection(ORDER_LISTED)

    pk = UnicodeAttribute(hash_key=True)
    order_status_date = UnicodeAttribute(range_key=True)


class OpenByDate(LocalSecondaryIndex["ShopItem"]):
    """A user's own open orders, strongly readable and sparse."""

    class Meta:
        index_name = "open_by_date"
        projection = IncludeProjection(ORDER_SHOWN)

    pk = UnicodeAttribute(hash_key=True)
    order_open_date = UnicodeAttribute(range_key=True)


class Queue(GlobalSecondaryIndex["ShopItem"]):
    """All open orders of the shop, write-sharded and sparse."""

    class Meta:
        index_name = "queue"
        projection = IncludeProjection(ORDER_LISTED)

    open_shard = UnicodeAttribute(hash_key=True)
    open_place = UnicodeAttribute(range_key=True)


class ByData(GlobalSecondaryIndex["ShopItem"]):
    """Edges by a price, a name or a moment; overloaded, write-sharded and sparse."""

    class Meta:
        index_name = "by_data"
        projection = IncludeProjection(
            ["name", "unit_price_cents", "currency", "trail", "rated", "stars"]
        )

    data_partition = UnicodeAttribute(hash_key=True)
    data = UnicodeAttribute(range_key=True)


class ShopItem(DynamoModel):
    """Any item of the table, with its keys in ``by_data``; ``expires_at`` is its time to live."""

    class Meta:
        table_name = f"{settings.DYNAMODB_TABLE_PREFIX}shop"
        region = settings.AWS_REGION
        billing_mode = "PAY_PER_REQUEST"
        differs_hint = OLDER_INDEX

    pk = UnicodeAttribute(hash_key=True)
    sk = UnicodeAttribute(range_key=True)
    expires_at = TTLAttribute(null=True)
    data_partition = UnicodeAttribute(null=True)
    data = UnicodeAttribute(null=True)

    inverted = Inverted()
    by_status = ByStatus()
    open_by_date = OpenByDate()
    queue = Queue()
    by_data = ByData()

    @property
    def key(self) -> tuple[str, str]:
        """The partition key and the sort key."""
        return self.pk, self.sk


class TrailStep(MapAttribute[str, str]):
    """A category on the way from the root."""

    slug = UnicodeAttribute()
    name = UnicodeAttribute()


class Product(ShopItem):
    """What lists show of a product; ``trail`` is its breadcrumbs, from the root.

    ``categories`` are those with an edge to it, by slug. ``priced_at`` is the moment of the order
    that an import took the price from. ``external_id`` is the product's id in another system. One
    that ``is_off`` is not sold any more: no edge and no word leads to it, no index has it.
    ``rated`` is by how many comments, ``stars`` with how many in all (`shop.catalogue.ratings`).
    """

    name = UnicodeAttribute()
    unit_price_cents = NumberAttribute(null=True)
    currency = UnicodeAttribute(null=True)
    trail = ListAttribute(of=TrailStep, null=True)
    categories = ListAttribute(of=TrailStep, null=True)
    priced_at = UnicodeAttribute(null=True)
    external_id = UnicodeAttribute(null=True)
    is_off = BooleanAttribute(null=True)
    rated = NumberAttribute(null=True)
    stars = NumberAttribute(null=True)


class ProductEdge(ShopItem):
    """A product in a category, with the category's name for the way back.

    There are two for each, because an item is in ``by_data`` once: ``NAME#<id>`` has the name as
    its data and no ``category``; the other one has the price, or no data without one.
    """

    name = UnicodeAttribute()
    unit_price_cents = NumberAttribute(null=True)
    currency = UnicodeAttribute(null=True)
    category = UnicodeAttribute(null=True)
    rated = NumberAttribute(null=True)
    stars = NumberAttribute(null=True)


class ProductWord(Product):
    """A product by a word of its name, with what lists show of it.

    ``words`` are all words that it is found by, each behind a ``-``. ``before`` is that one of them
    which sorts right before the word; the first one has none.
    """

    words = UnicodeAttribute()
    before = UnicodeAttribute(null=True)


class Description(ShopItem):
    """A product's description, apart from what lists read (vertical partitioning)."""

    text = UnicodeAttribute()


class Category(ShopItem):
    """A category; ``trail`` leads from the root to its parent.

    One that ``is_off`` is in no list of categories: no edge leads to it, no index has it.
    """

    name = UnicodeAttribute()
    trail = ListAttribute(of=TrailStep, null=True)
    is_off = BooleanAttribute(null=True)


class Shelved(MapAttribute[str, str]):
    """A product on a shelf of the front page; ``sk`` is that of the edge to it."""

    sk = UnicodeAttribute()
    name = UnicodeAttribute()
    unit_price_cents = NumberAttribute(null=True)
    currency = UnicodeAttribute(null=True)
    rated = NumberAttribute(null=True)
    stars = NumberAttribute(null=True)


class CategoryEdge(ShopItem):
    """A category in its parent, whose name is ``category``, or in the root, with its ``shelf``."""

    name = UnicodeAttribute()
    category = UnicodeAttribute(null=True)
    shelf = ListAttribute(of=Shelved, null=True)


class Profile(ShopItem):
    """A user, who signs in as Django's `shop.accounts.models.User` (A1).

    ``password`` is a hash in Django's format, unusable for imported users. ``external_id`` is an
    imported user's name before, where it could not be kept. Signing out raises ``session_number``.
    ``email_confirmed`` is True or missing. ``new_email`` becomes ``email`` when it is confirmed.
    ``totp_step`` is the half minute of the latest code; ``recovery_codes`` are SHA-256 hashes.
    ``mutes_replies`` is True, or missing: then replies to comments are e-mailed to the author.
    """

    # Without a password that works it has a "!" in front, as Django does it.
    password = UnicodeAttribute()
    email = UnicodeAttribute(null=True)
    is_staff = BooleanAttribute()
    is_active = BooleanAttribute()
    joined_at = UTCDateTimeAttribute()
    last_login = UTCDateTimeAttribute(null=True)
    external_id = UnicodeAttribute(null=True)
    session_number = NumberAttribute(null=True)
    email_confirmed = BooleanAttribute(null=True)
    new_email = UnicodeAttribute(null=True)
    totp_secret = UnicodeAttribute(null=True)
    totp_step = NumberAttribute(null=True)
    recovery_codes = ListAttribute(of=UnicodeAttribute, null=True)
    mutes_replies = BooleanAttribute(null=True)


class ApiKeyItem(ShopItem):
    """A key of the API, of a user or of nobody; ``secret_hash`` is a SHA-256 of its secret."""

    id = UnicodeAttribute()
    name = UnicodeAttribute()
    scope = UnicodeAttribute()
    username = UnicodeAttribute()
    secret_hash = UnicodeAttribute()
    created_at = UTCDateTimeAttribute()


class RevokedApiKey(ShopItem):
    """A mark that there was a key of the API; it has nothing but its id."""


class ApiAnswer(ShopItem):
    """A request with an ``Idempotency-Key``, and its answer where it has a ``status_code``.

    ``digest`` is of the request, ``run`` of who carries it out since ``since``: long ago where a
    fault ended that. The others are parts of the answer.
    """

    digest = UnicodeAttribute()
    run = UnicodeAttribute()
    since = UTCDateTimeAttribute()
    status_code = NumberAttribute(null=True)
    content_type = UnicodeAttribute(null=True)
    etag = UnicodeAttribute(null=True)
    location = UnicodeAttribute(null=True)
    body = BinaryAttribute(legacy_encoding=False, null=True)


class WebhookItem(ShopItem):
    """A webhook: the address that events of these types are sent to, and what signs them.

    A signature needs the ``secret`` itself, not a hash. No page and no export shows it again.
    """

    id = UnicodeAttribute()
    url = UnicodeAttribute()
    events = ListAttribute(of=UnicodeAttribute)
    secret = UnicodeAttribute()
    created_at = UTCDateTimeAttribute()


class StatusMoment(MapAttribute[str, str]):
    """A status an order entered, and when; ``original`` is its name before an import.

    ``reason`` is why it was called off or sent back, ``mover`` who moved it (`shop.orders.moving`).
    """

    status = UnicodeAttribute()
    at = UnicodeAttribute()
    original = UnicodeAttribute(null=True)
    reason = UnicodeAttribute(null=True)
    mover = UnicodeAttribute(null=True)


class PickupChoice(MapAttribute[str, str]):
    """The pickup point of an order, as it was when it was chosen."""

    id = UnicodeAttribute()
    name = UnicodeAttribute()
    address = UnicodeAttribute()
    hours = UnicodeAttribute()


class DeliveryAddress(MapAttribute[str, str]):
    """The address that an order goes to, as it was typed; ``country`` is a code of two letters."""

    name = UnicodeAttribute()
    lines = UnicodeAttribute()
    postal_code = UnicodeAttribute()
    city = UnicodeAttribute()
    region = UnicodeAttribute()
    country = UnicodeAttribute()


class Order(ShopItem):
    """An order as lists show it, and its history.

    ``order_status_date``, ``order_open_date``, ``open_shard`` and ``open_place`` are derived by
    `shop.orders.items`. A closed order lacks the last three, and is not in the sparse indexes.
    ``data_partition`` is there in an order without lines, which is found by it as others by a line.
    ``summary`` is missing in an order without lines. ``unsettled`` is there while the purchases of
    a large order are still to be changed (`shop.orders.settling`). ``id_prefix`` is the part of
    ``foreign_id`` that an import put in front, to tell shops with the same ids apart. ``address``
    is missing in orders to a pickup point, from most imports, and of erased users. ``language`` is
    that of the page it was placed on; imports have none. ``asks_at`` is when its customer is asked
    for reviews, of a delivered order (`shop.orders.asking`).
    """

    status = UnicodeAttribute()
    placed_at = UnicodeAttribute()
    history = ListAttribute(of=StatusMoment)
    total_cents = NumberAttribute()
    currency = UnicodeAttribute()
    item_count = NumberAttribute()
    line_count = NumberAttribute()
    foreign_id = UnicodeAttribute(null=True)
    id_prefix = UnicodeAttribute(null=True)
    zip_prefix = UnicodeAttribute(null=True)
    pickup = PickupChoice(null=True)  # type: ignore[no-untyped-call] # PynamoDB leaves it untyped
    # Pickup points and e-mails have an ``address`` of another type.
    address = DeliveryAddress(null=True, attr_name="to")  # type: ignore[no-untyped-call] # as above
    language = UnicodeAttribute(null=True, attr_name="lang")
    shard = NumberAttribute()
    summary = UnicodeAttribute(null=True)
    unsettled = UnicodeAttribute(null=True)
    asks_at = UnicodeAttribute(null=True)

    order_status_date = UnicodeAttribute()
    order_open_date = UnicodeAttribute(null=True)
    open_shard = UnicodeAttribute(null=True)
    open_place = UnicodeAttribute(null=True)


class OrderItem(ShopItem):
    """A line of an order: a product with its name and price at that time.

    By the first one in ``by_data`` the order is found by the end of its id (ADR 33).
    """

    product_id = UnicodeAttribute()
    name = UnicodeAttribute()
    quantity = NumberAttribute()
    unit_price_cents = NumberAttribute()


class OrderPointer(ShopItem):
    """A pointer to an order from its foreign id, or from the form that placed it."""

    username = UnicodeAttribute()
    order_id = UnicodeAttribute()


class Purchase(OrderPointer):
    """The edge from a user to a bought product, with the latest such order.

    It is in ``by_data`` among the purchases of the product, and in ``by_status`` among
    those of the user, under the prefix ``BOUGHT#``. ``also`` are products that the user bought with
    it, or had bought before.
    """

    also = ListAttribute(of=UnicodeAttribute, null=True, attr_name="trail")  # ``by_data`` has it
    order_status_date = UnicodeAttribute(null=True)


class PickupPoint(ShopItem):
    """A pickup point by its id, and once more by its area and geohash."""

    name = UnicodeAttribute()
    address = UnicodeAttribute()
    hours = UnicodeAttribute()
    latitude = NumberAttribute()
    longitude = NumberAttribute()


class ZipPlace(ShopItem):
    """The middle of the postcodes with a prefix."""

    latitude = NumberAttribute()
    longitude = NumberAttribute()
    city = UnicodeAttribute()
