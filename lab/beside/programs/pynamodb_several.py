"""A page of several partitions by PynamoDB: queries in threads, merged, with a key of each."""

import base64
import heapq
import json
import os
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

from pynamodb.attributes import UnicodeAttribute
from pynamodb.indexes import AllProjection, GlobalSecondaryIndex
from pynamodb.models import Model

THREADS = ThreadPoolExecutor(10)


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
    keys = json.loads(base64.urlsafe_b64decode(cursor)) if cursor else {}

    def read(shelf):
        found = Note.by_shelf.query(
            shelf, scan_index_forward=False, limit=20, last_evaluated_key=keys.get(shelf)
        )
        return list(found), found.last_evaluated_key

    answers = list(THREADS.map(read, shelves))
    found = [notes for notes, _ in answers]
    items = list(islice(heapq.merge(*found, key=lambda note: note.at, reverse=True), 20))
    for note in items:
        keys[note.shelf] = {"id": {"S": note.id}, "shelf": {"S": note.shelf}, "at": {"S": note.at}}
    if sum(map(len, found)) == len(items) and not any(key for _, key in answers):
        return items, None, None
    return items, base64.urlsafe_b64encode(json.dumps(keys).encode()).decode(), None
