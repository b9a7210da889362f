"""The designs in words: what is compared, and what each design is, costs, and is right for.

The sentences are English here and in reports; the page ``/lab/`` translates them when it is shown.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import gettext_noop as _

ANY_MODEL = "any"


@dataclass(frozen=True, slots=True)
class Description:
    """A design's title, three sentences, and its page below ``docs/designs``, if it has one.

    ``used_by`` is the read model of the site that has it, or ``any`` of them; empty where none has.
    """

    title: str
    text: str
    document: str = ""
    used_by: str = ""

    @property
    def is_used_here(self) -> bool:
        """Whether this shop reads its lists so."""
        return self.used_by in {ANY_MODEL, settings.COMMENTS_READ_MODEL}


@dataclass(frozen=True, slots=True)
class SubjectDescription:
    """What is compared: a heading, the question, and the designs by their names."""

    heading: str
    question: str
    designs: Mapping[str, Description]


_COMMENTS = SubjectDescription(
    heading=_("Comments of a product"),
    question=_("A page of one product's comments, newest first, for some languages and ratings."),
    designs={
        "scan": Description(
            title=_("Scan and FilterExpression"),
            text=_(
                "The table has no index: a Scan reads all of it, a FilterExpression drops what "
                "does not match, and the client sorts what is left to cut its page out. Every "
                "page of every filter costs the whole table, the comments on all other products "
                "included, and more with each comment that is written. It is right for an export "
                "or a repair, and for a table that stays small."
            ),
            document="scan-and-filter.md",
        ),
        "filter": Description(
            title=_("Query and FilterExpression"),
            text=_(
                "One index holds a product's comments in order, and a FilterExpression drops what "
                "the filter does not want until a page is full. What is dropped has been read and "
                "is paid for, so that a page costs about its size divided by the share of "
                "comments that match. It is right where most match, as with four ratings of five, "
                "and wrong where few do."
            ),
            document="query-and-filter.md",
        ),
        "sets": Description(
            title=_("A copy for every set"),
            text=_(
                "Each comment is stored 32 times, once for each set of ratings that holds its "
                "own, in its language and in any; the handler of a stream makes the copies. Every "
                "page of every filter is one Query that drops nothing, and every write is paid 32 "
                "times over, in the table and again in its index. It is right where comments are "
                "read far more often than written, and a moment's delay before they are in all "
                "lists does not matter."
            ),
            document="sets.md",
            used_by="sets",
        ),
        "rules": Description(
            title=_("Four indexes, chosen by rule"),
            text=_(
                "There is an index for all comments, for a language, for a rating, and for both; "
                "a rule picks the one that fits, and pages of one partition for each chosen value "
                "are merged. Nothing that does not match is read, but a whole page is read of "
                "each partition, and most of that is thrown away. It is right where filters name "
                "one or two values, and no counts are kept."
            ),
            document="rules.md",
        ),
        "planner": Description(
            title=_("Four indexes, chosen by cost"),
            text=_(
                "The same indexes, with exact counts for each language and rating that price "
                "every way to read a page, FilterExpression included; the cheapest is taken. A "
                "page costs what the best of these ways does, and half a unit for the counts; a "
                "write also changes the counts, in one transaction. It is right where filters are "
                "many and unlike each other, and it is how this site reads its comments unless "
                "told otherwise."
            ),
            document="planner.md",
            used_by="indexes",
        ),
    },
)
_CUSTOMER_ORDERS = SubjectDescription(
    heading=_("Orders of a customer"),
    question=_("One customer's orders that were shipped between two dates, latest first."),
    designs={
        "scan": Description(
            title=_("Scan and FilterExpression"),
            text=_(
                "A Scan reads the orders of all customers and drops those of others, of other "
                "statuses and of other days. Every page costs the whole table. It is never right "
                "for a page that somebody waits for."
            ),
            document="composite-keys.md",
        ),
        "filter": Description(
            title=_("Query and FilterExpression"),
            text=_(
                "A Query reads all orders of the customer, and a FilterExpression drops other "
                "statuses and days. They stand in the order of placing, not of shipping, so that "
                "the client must read them all and sort them, whatever page it wants. It is right "
                "where a customer has few orders."
            ),
            document="composite-keys.md",
        ),
        "composite": Description(
            title=_("Composite sort key"),
            text=_(
                "The sort key of an index joins status and moment, as in SHIPPED#2022-05-01…, so "
                "that the orders in question lie side by side in the right order. A page costs "
                "what it shows, at any depth, and a change of status is written twice more: the "
                "index entry goes, and comes again elsewhere. It is right wherever a list is "
                "narrowed by one attribute and sorted by another."
            ),
            document="composite-keys.md",
            used_by=ANY_MODEL,
        ),
    },
)
_OPEN_ORDERS = SubjectDescription(
    heading=_("Open orders of the shop"),
    question=_("All orders that are still open, of all customers, oldest first."),
    designs={
        "scan": Description(
            title=_("Scan and FilterExpression"),
            text=_(
                "A Scan reads all orders there ever were, and drops the closed ones. It costs "
                "more with every order, while the list of open ones stays as it is. It is right "
                "for a report at night."
            ),
            document="sparse-and-sharded.md",
        ),
        "unsharded": Description(
            title=_("Sparse index, one partition"),
            text=_(
                "Only open orders carry the key of the index, which holds nothing else, in order. "
                "A page costs what it shows; but all orders of the shop write to one partition, "
                "which takes 1,000 units a second and no more. It is right for a shop that places "
                "fewer orders than that."
            ),
            document="sparse-and-sharded.md",
        ),
        "sharded": Description(
            title=_("Sparse index, write-sharded"),
            text=_(
                "The same, with each open order in one of several partitions, by its status and a "
                "random number. Writes spread over all of them, and a page asks each for its "
                "share and merges: that is a request and at least half a unit for every "
                "partition. It is right where one partition's writes do not suffice, and the "
                "lists are read seldom."
            ),
            document="sparse-and-sharded.md",
            used_by=ANY_MODEL,
        ),
    },
)
_LONG_TEXTS = SubjectDescription(
    heading=_("Long texts"),
    question=_("A list that shows first lines, and single comments with their whole text."),
    designs={
        "inline": Description(
            title=_("In the item"),
            text=_(
                "The whole text stands in the comment's item, and in every index that lists read. "
                "A list pays for all of every text, to show a few lines of it. It is right where "
                "texts are short, or always read whole."
            ),
        ),
        "apart": Description(
            title=_("Apart"),
            text=_(
                "The comment's item has the first lines, and the whole text is an item of its own "
                "in the same partition, in no index. A list pays for what it shows; a single "
                "comment takes two reads instead of one. It is right where texts are long, and "
                "lists are read more often than texts."
            ),
            used_by=ANY_MODEL,
        ),
    },
)
DESCRIPTIONS: Mapping[str, SubjectDescription] = {
    "comments": _COMMENTS,
    "customer orders": _CUSTOMER_ORDERS,
    "open orders": _OPEN_ORDERS,
    "long texts": _LONG_TEXTS,
}
"""By the names of the subjects that are measured."""


def anchor_of(name: str) -> str:
    """Return a subject's or design's name as file names and anchors have it."""
    return name.replace(" ", "-")
