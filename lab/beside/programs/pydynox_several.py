"""A page of several partitions by pydynox: queries in threads, merged, with a key of each."""

import base64
import heapq
import json
import os
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

from pydynox import DynamoDBClient, Model, ModelConfig
from pydynox.attributes import StringAttribute
from pydynox.indexes import GlobalSecondaryIndex

THREADS = ThreadPoolExecutor(10)
CLIENT = DynamoDBClient(region="us-east-1", endpoint_url=os.environ["AWS_ENDPOINT_URL"])


class Note(Model):
    model_config = ModelConfig(table="beside", client=CLIENT)
    id = StringAttribute(partition_key=True)
    shelf = StringAttribute()
    at = StringAttribute()
    text = StringAttribute()
    by_shelf = GlobalSecondaryIndex("by_shelf", partition_key="shelf", sort_key="at")


def page(shelves, cursor=None):
    keys = json.loads(base64.urlsafe_b64decode(cursor)) if cursor else {}

    def read(shelf):
        found = Note.by_shelf.sync_query(
            shelf=shelf, scan_index_forward=False, limit=20, last_evaluated_key=keys.get(shelf)
        )
        return list(found), found.last_evaluated_key

    answers = list(THREADS.map(read, shelves))
    found = [notes for notes, _ in answers]
    items = list(islice(heapq.merge(*found, key=lambda note: note.at, reverse=True), 20))
    for note in items:
        keys[note.shelf] = {"id": note.id, "shelf": note.shelf, "at": note.at}
    if sum(map(len, found)) == len(items) and not any(key for _, key in answers):
        return items, None, None
    return items, base64.urlsafe_b64encode(json.dumps(keys).encode()).decode(), None
