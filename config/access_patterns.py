"""The questions this site answers, declared as data: the table in the README is made of these rows.

The numbers are those of the articles: A1 to A8 of "DynamoDB Table Design Principles", AP1 to AP13
of "Efficient filtering with DynamoDB", QP1 to QP7 of its part 1 as the read model ``sets`` answers
them, P1 to P10 in the order of "AWS DynamoDB (Design Patterns)".
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AccessPattern:
    """A question, and where its answer comes from.

    ``answer`` names the index and the key, in Markdown. ``code`` is the dotted path of the function
    to begin reading at. ``seen_at`` is a page or a command; in braces stands what is to be filled
    in (``product``, ``category``, ``comment``, ``order``, ``open_order``, ``username``, ``token``).
    It is empty for what only code can ask.
    """

    number: str
    question: str
    answer: str
    code: str
    seen_at: str = ""


ORDERS = (
    AccessPattern(
        "A1",
        "Who is this user?",
        "get `USER#alex` / `PROFILE#alex`, strongly",
        "shop.accounts.queries.find_user",
        "/accounts/password_change/",
    ),
    AccessPattern(
        "A2",
        "A user's orders, newest first",
        "table: `pk = USER#alex`, `sk` begins with `ORDER#`; an order id sorts by time",
        "shop.orders.queries.list_orders",
        "/orders/",
    ),
    AccessPattern(
        "A3",
        "One order with its items, by order id alone",
        "`inverted`: `sk = ORDER#01J…` gives the order and its lines",
        "shop.orders.queries.find_order",
        "/orders/{order}/",
    ),
    AccessPattern(
        "A4",
        "A user's orders in any set of statuses",
        "`orders_by_status`: a run `SHIPPED#…` for each status, merged",
        "shop.orders.access_patterns.plan_for_user",
        "/orders/?status=SHIPPED&status=DELIVERED",
    ),
    AccessPattern(
        "A5",
        "… that reached a status before a day",
        "the same run, cut between `SHIPPED#` and `SHIPPED#2023-01-01`",
        "shop.orders.access_patterns.plan_for_user",
        "/orders/?status=SHIPPED&to=2023-01-01",
    ),
    AccessPattern(
        "A6",
        "… between two days, the second left out",
        "the same run, cut at both ends",
        "shop.orders.access_patterns.plan_for_user",
        "/orders/?status=SHIPPED&from=2023-01-01&to=2023-02-01",
    ),
    AccessPattern(
        "A7",
        "All open orders of the shop, oldest first",
        "`open_orders`, sparse: a run `OPEN#PLACED#0` for each open status and shard, merged",
        "shop.orders.queries.list_open_orders",
        "/staff/orders/",
    ),
    AccessPattern(
        "A8",
        "A user's own open orders",
        "`open_by_date`, a sparse local index, read strongly: `pk = USER#alex`",
        "shop.orders.access_patterns.plan_for_user",
        "/orders/?open=1",
    ),
)

COMMENTS = (
    AccessPattern(
        "AP1",
        "All comments of a product, newest first",
        "`all`: `PRODUCT#42`",
        "comments.lists.queries.list_comments",
        "/products/{product}/comments/~/~/",
    ),
    AccessPattern(
        "AP2",
        "… in any set of languages",
        "`by_language`: a run `PRODUCT#42/en` for each, merged",
        "comments.lists.queries.list_comments",
        "/products/{product}/comments/de.en/~/",
    ),
    AccessPattern(
        "AP3",
        "… of any set of ratings, in any languages or some",
        "`by_rating`: `PRODUCT#42/5`; `by_language_and_rating`: `PRODUCT#42/en/5`; "
        "or a cheaper one of the four with a filter",
        "comments.indexes.planner.plan_list",
        "/products/{product}/comments/de.en/1.2.5/",
    ),
    AccessPattern(
        "AP4",
        "One comment, by its id",
        "get `COMMENT#<id>` / `COMMENT#<id>`",
        "comments.lists.queries.find_comment",
        "/comments/{comment}/",
    ),
    AccessPattern(
        "AP5",
        "Delete a comment by its id",
        "one transaction: the comment, its long body, its product's counts; then all that belongs "
        "to it, by its partition key",
        "comments.posting.services.delete_comment",
        "/comments/delete/{comment}/",
    ),
    AccessPattern(
        "AP6",
        "Older and newer pages of any list, however deep, at the same cost",
        "the ExclusiveStartKey of every run, made from one position",
        "dynamo.lists.reader.read_page",
        "/products/{product}/comments/~/~/?after={token}",
    ),
    AccessPattern(
        "AP7 to AP10",
        "How many comments: per rating, per rating and language, in all, in all per language",
        "get `COUNTS#42#0`: a cell for each language and rating, such as `en.5`",
        "comments.store.counts.counts_of",
        "/products/{product}/",
    ),
    AccessPattern(
        "AP11",
        "The products with the most 5-star comments",
        "`ranked`, sparse and overloaded: a run `RANK#FIVE_STARS#0` for each shard, merged",
        "comments.rankings.queries.list_ranking",
        "/rankings/most-loved/",
    ),
    AccessPattern(
        "AP12",
        "The latest positive and negative comment; when a product was last commented on",
        "the first item of the runs `PRODUCT#42/4` and so on, all at once",
        "comments.lists.queries.find_highlights",
        "/products/{product}/",
    ),
    AccessPattern(
        "AP13",
        "The most helpful comments of a product",
        "`ranked`: `RANK#HELPFUL#42`",
        "comments.rankings.queries.list_most_helpful",
        "/products/{product}/most-helpful/",
    ),
)

SETS = (
    AccessPattern(
        "QP1",
        "By the read model `sets`: all comments of a product, most recent first",
        "`by_set`: `PRODUCT#42/~/~`",
        "comments.sets.plans.plan_list",
        "/products/{product}/comments/~/~/",
    ),
    AccessPattern(
        "QP2",
        "… in the visitor's language, or in all",
        "`by_set`: `PRODUCT#42/en/~`; several languages: a run for each, merged",
        "comments.sets.plans.plan_list",
        "/products/{product}/comments/en/~/",
    ),
    AccessPattern(
        "QP3",
        "… with any combination of ratings",
        "`by_set`: `PRODUCT#42/en/1.2.5`, or `PRODUCT#42/en/19`",
        "comments.sets.plans.plan_list",
        "/products/{product}/comments/en/1.2.5/",
    ),
    AccessPattern(
        "QP4",
        "… 20 on a page, the oldest as fast as the newest",
        "the same run, resumed behind a place",
        "comments.sets.plans.plan_list",
        "/products/{product}/comments/~/~/?after={token}",
    ),
    AccessPattern(
        "QP5",
        "… one comment by its id",
        "get `COMMENT#<id>` / `COMMENT#<id>` of the table `comments`",
        "comments.lists.queries.find_comment",
        "/comments/{comment}/",
    ),
    AccessPattern(
        "QP6",
        "… the most recent positive one in English",
        "`by_set`: the first item of `PRODUCT#42/en/4.5`",
        "comments.lists.queries.find_highlights",
        "/products/{product}/",
    ),
    AccessPattern(
        "QP7",
        "… delete a comment by its id",
        "one transaction, with the primary item; the stream takes the 31 copies away",
        "comments.posting.services.delete_comment",
        "/comments/delete/{comment}/",
    ),
)

PATTERNS = (
    AccessPattern(
        "P1",
        "Write sharding of a table: scatter writes, gather reads",
        "counters spread to `COUNTS#42#1`, `#2`, … when their writers meet; so do tallies of votes",
        "dynamo.writes.counters.Counters.change",
        "/products/{product}/",
    ),
    AccessPattern(
        "P2",
        "Write sharding of an index",
        "the open orders: `OPEN#PLACED#0`, `OPEN#PLACED#1`, …; the table knows how many",
        "shop.orders.shards.pick_shard",
        "/staff/orders/",
    ),
    AccessPattern(
        "P3",
        "Time series: a table for each month, made ahead of time, aged out",
        "the activity log: `activity-2026-11`, a run `ORDER#0` for each kind and shard, merged; "
        "the month before only while the page is not full; `manage.py rotate_activity_tables`",
        "shop.activity.queries.list_activity",
        "/staff/activity/",
    ),
    AccessPattern(
        "P4",
        "Sparse local index",
        "`open_by_date`: a closed order has no `order_open_date`",
        "shop.orders.items.derived_keys",
        "/orders/?open=1",
    ),
    AccessPattern(
        "P5",
        "Sparse global index",
        "`open_orders`: a closed order has no `open_shard`; `ranked`: only what ranks is in it; "
        "`moderation`: only reported and hidden comments; `featured`: only what staff picked; "
        "`by_author`: only what users wrote",
        "shop.orders.items.derived_keys",
        "/staff/orders/",
    ),
    AccessPattern(
        "P6",
        "Geo-hashing: the pickup points nearest to a place",
        "table: `GEO#ey`, `sk` begins with `eycs`, for the nearest cells; counters `PICKUP#~`, "
        "`PICKUP#ey` tell which cells there are",
        "shop.pickup.search.find_nearest",
        "/orders/{open_order}/pickup/?near=38.71, -9.14",
    ),
    AccessPattern(
        "P7",
        "Query filters, and what they really cost",
        "each of the four ways to read a list is priced, those that filter too; "
        "`manage.py compare` measures them and other designs on the same data, for `/lab/`",
        "comments.indexes.planner.plan_list",
        "manage.py explain comments --product {product} --ratings 1,2,3,4",
    ),
    AccessPattern(
        "P8",
        "Vertical partitioning",
        "long texts apart: `COMMENT#<id>` / `BODY`, `PRODUCT#42` / `DESCRIPTION#42`",
        "comments.items.items_of",
        "/comments/{comment}/",
    ),
    AccessPattern(
        "P9",
        "Adjacency lists: nodes, edges, the way back, and a sharded index on what edges carry",
        "`CATEGORY#lighting` / `PRODUCT#42` is an edge; `inverted` reads it from the other end; "
        "`by_data` has a category's edges by price and name, and a product's buyers by time, "
        "of whom “also bought” is made; `USER#alex` / `BOUGHT#alex#42` verifies a purchase",
        "shop.catalogue.category_queries.list_category",
        "/categories/{category}/?order=price",
    ),
    AccessPattern(
        "P10",
        "Composite range keys",
        "`order_status_date` is `SHIPPED#<moment>#<order>`",
        "shop.orders.items.derived_keys",
        "/orders/?status=SHIPPED",
    ),
)

ALL = (*ORDERS, *COMMENTS, *SETS, *PATTERNS)
