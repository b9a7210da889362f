"""A page of one partition by dynapages, whose own transport makes the calls."""

import os

from dynapages import Feed, Index, Tokens
from dynapages.calls import Connection, build_client

HERE = Connection("us-east-1", os.environ["AWS_ENDPOINT_URL"], library_transport=True)
CLIENT = build_client(HERE)
INDEX = Index("beside", "by_shelf", partition="shelf", sort="at", table_key=("id",))
TOKENS = Tokens(os.environ["PAGE_SECRET"])


def page(shelves, after=None, before=None):
    feed = Feed(INDEX, shelves, client=CLIENT, tokens=TOKENS, name=" ".join(shelves))
    found = feed.page(20, after=after, before=before)
    return found.items, found.next, found.previous
