"""A page of one partition by PynamoDB: an index of a model, and the last key in the link."""

import base64
import json
import os

from pynamodb.attributes import UnicodeAttribute
from pynamodb.indexes import AllProjection, GlobalSecondaryIndex
from pynamodb.models import Model


class ByShelf(GlobalSecondaryIndex):
    class Meta:
        index_name = "by_shelf"
        projection = AllProjection()

    shelf = UnicodeAttribute(hash_key=True)
    at = UnicodeAttribute(range_key=True)


class Note(Model):
    class Meta:
        table_name = "beside"
        region = "us-east-1"
        host = os.environ["AWS_ENDPOINT_URL"]

    id = UnicodeAttribute(hash_key=True)
    shelf = UnicodeAttribute()
    at = UnicodeAttribute()
    text = UnicodeAttribute()
    by_shelf = ByShelf()


def page(shelves, cursor=None):
    is_back, key = False, None
    if cursor:
        is_back, key = json.loads(base64.urlsafe_b64decode(cursor))
    found = Note.by_shelf.query(
        shelves[0], scan_index_forward=is_back, limit=20, last_evaluated_key=key
    )
    items = list(found)
    if is_back:
        items.reverse()
        return items, link(False, key_of(items[-1])), link(True, found.last_evaluated_key)
    previous = link(True, key_of(items[0])) if cursor and items else None
    return items, link(False, found.last_evaluated_key), previous


def key_of(note):
    return {"id": {"S": note.id}, "shelf": {"S": note.shelf}, "at": {"S": note.at}}


def link(is_back, key):
    if not key:
        return None
    return base64.urlsafe_b64encode(json.dumps([is_back, key]).encode()).decode()
