"""A page of one partition by dynapages: a feed with boto3's client, and its tokens in the links."""

import os

import boto3

from dynapages import Feed, Index, Tokens

CLIENT = boto3.client("dynamodb")
INDEX = Index("beside", "by_shelf", partition="shelf", sort="at", table_key=("id",))
TOKENS = Tokens(os.environ["PAGE_SECRET"])


def page(shelves, after=None, before=None):
    feed = Feed(INDEX, shelves, client=CLIENT, tokens=TOKENS, name=" ".join(shelves))
    found = feed.page(20, after=after, before=before)
    return found.items, found.next, found.previous
