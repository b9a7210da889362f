"""A library for DynamoDB: exact pages of merged queries, metered calls, transactions, streams.

What most programs need is here; the other public modules have the rest.
"""

from dynapages.calls.costs import cost
from dynapages.calls.meter import Meter, metered
from dynapages.calls.pool import OutOfTime, Pool, time_budget
from dynapages.errors import DynamoError
from dynapages.lists.explain import Explanation
from dynapages.lists.feed import Feed
from dynapages.lists.feed_pages import FeedPage
from dynapages.lists.runs import Index, Run, Source
from dynapages.lists.tokens import BadToken, Tokens

__version__ = "0.1.0"

__all__ = [
    "BadToken",
    "DynamoError",
    "Explanation",
    "Feed",
    "FeedPage",
    "Index",
    "Meter",
    "OutOfTime",
    "Pool",
    "Run",
    "Source",
    "Tokens",
    "cost",
    "metered",
    "time_budget",
]
