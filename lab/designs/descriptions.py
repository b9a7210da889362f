"""The designs in words: each in three sentences, what it is, what it costs, when it is right."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Description:
    """What a design is called, three sentences, and its page below ``docs/designs``."""

    title: str
    text: str
    document: str = ""


@dataclass(frozen=True, slots=True)
class SubjectDescription:
    """What is compared: a heading, the question, and the designs by their names."""

    heading: str
    question: str
    designs: Mapping[str, Description]


COMMENTS = SubjectDescription(
    "Comments of a product",
    "A page of one product's comments, newest first, for some languages and ratings.",
    {
        "scan": Description(
            "Scan and FilterExpression",
            "The table has no index: a Scan reads all of it, a FilterExpression drops what does "
            "not match, and the client sorts what is left to cut its page out. Every page of "
            "every filter costs the whole table, the comments on all other products included, and "
            "costs more with each comment that is written. It is right for an export or a repair, "
            "and for a table that stays small.",
            "scan-and-filter.md",
        ),
        "filter": Description(
            "Query and FilterExpression",
            "One index holds a product's comments in order, and a FilterExpression drops what the "
            "filter does not want until a page is full. What is dropped has been read and is paid "
            "for, so that a page costs about its size divided by the share of comments that "
            "match. It is right where most match, as with four ratings of five, and wrong where "
            "few do.",
            "query-and-filter.md",
        ),
        "sets": Description(
            "A copy for every set",
            "Each comment is stored 32 times, once for each set of ratings that holds its own, in "
            "its language and in any; the handler of a stream makes the copies. Every page of "
            "every filter is one Query that drops nothing, and every write is paid 32 times over, "
            "in the table and again in its index. It is right where comments are read far more "
            "often than written, and a moment's delay before they are in all lists does not "
            "matter.",
            "sets.md",
        ),
        "rules": Description(
            "Four indexes, chosen by rule",
            "Four indexes answer any, a language, a rating, or both; a rule picks the one that "
            "fits, and pages of one partition for each chosen value are merged. Nothing that does "
            "not match is read, but a whole page is read of each partition, and most of that is "
            "thrown away. It is right where filters name one or two values, and no counts are "
            "kept.",
            "rules.md",
        ),
        "planner": Description(
            "Four indexes, chosen by cost",
            "The same indexes, with exact counts for each language and rating that price every way "
            "to read a page, FilterExpression included; the cheapest is taken. A page costs what "
            "the best of these ways does, and half a unit for the counts; a write also changes "
            "the counts, in one transaction. It is right where filters are many and unlike each "
            "other, and it is how this site reads its comments unless told otherwise.",
            "planner.md",
        ),
    },
)
CUSTOMER_ORDERS = SubjectDescription(
    "Orders of a customer",
    "One customer's orders that were shipped between two dates, latest first.",
    {
        "scan": Description(
            "Scan and FilterExpression",
            "A Scan reads the orders of all customers and drops those of others, of other "
            "statuses and of other days. Every page costs the whole table. It is never right for "
            "a page that somebody waits for.",
            "composite-keys.md",
        ),
        "filter": Description(
            "Query and FilterExpression",
            "A Query reads all orders of the customer, and a FilterExpression drops other "
            "statuses and days. They stand in the order of placing, not of shipping, so that the "
            "client must read them all and sort them, whatever page it wants. It is right where a "
            "customer has few orders.",
            "composite-keys.md",
        ),
        "composite": Description(
            "Composite sort key",
            "The sort key of an index joins status and moment, as in SHIPPED#2022-05-01…, so that "
            "the orders in question lie side by side in the right order. A page costs what it "
            "shows, at any depth, and a change of status is written twice more: the index entry "
            "goes, and comes again elsewhere. It is right wherever a list is narrowed by one "
            "attribute and sorted by another.",
            "composite-keys.md",
        ),
    },
)
OPEN_ORDERS = SubjectDescription(
    "Open orders of the shop",
    "All orders that are still open, of all customers, oldest first.",
    {
        "scan": Description(
            "Scan and FilterExpression",
            "A Scan reads all orders there ever were, and drops the closed ones. It gets dearer "
            "with every order, while the list of open ones stays as it is. It is right for a "
            "report at night.",
            "sparse-and-sharded.md",
        ),
        "unsharded": Description(
            "Sparse index, one partition",
            "Only open orders carry the key of the index, which holds nothing else, in order. A "
            "page costs what it shows; but all orders of the shop write to one partition, which "
            "takes 1,000 units a second and no more. It is right for a shop that places fewer "
            "orders than that.",
            "sparse-and-sharded.md",
        ),
        "sharded": Description(
            "Sparse index, write-sharded",
            "The same, with each open order in one of several partitions, by its status and a "
            "random number. Writes spread over all of them, and a page asks each for its share "
            "and merges: that is a request and at least half a unit for every partition. It is "
            "right where one partition's writes do not suffice, and the lists are read seldom.",
            "sparse-and-sharded.md",
        ),
    },
)
LONG_TEXTS = SubjectDescription(
    "Long texts",
    "A list that shows first lines, and single comments with their whole text.",
    {
        "inline": Description(
            "In the item",
            "The whole text stands in the comment's item, and in every index that lists read. A "
            "list pays for all of every text, to show a few lines of it. It is right where texts "
            "are short, or always read whole.",
        ),
        "apart": Description(
            "Apart",
            "The comment's item has the first lines, and the whole text is an item of its own in "
            "the same partition, in no index. A list pays for what it shows; a single comment "
            "takes two reads instead of one. It is right where texts are long, and lists are read "
            "more often than texts.",
        ),
    },
)
DESCRIPTIONS: Mapping[str, SubjectDescription] = {
    "comments": COMMENTS,
    "customer orders": CUSTOMER_ORDERS,
    "open orders": OPEN_ORDERS,
    "long texts": LONG_TEXTS,
}
"""By the names of the subjects that are measured."""
