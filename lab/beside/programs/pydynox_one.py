"""A page of one partition by pydynox: an index of a model, and the last key in the link."""

import base64
import json
import os

from pydynox import DynamoDBClient, Model, ModelConfig
from pydynox.attributes import StringAttribute
from pydynox.indexes import GlobalSecondaryIndex

CLIENT = DynamoDBClient(region="us-east-1", endpoint_url=os.environ["AWS_ENDPOINT_URL"])


class Note(Model):
    model_config = ModelConfig(table="beside", client=CLIENT)
    id = StringAttribute(partition_key=True)
    shelf = StringAttribute()
    at = StringAttribute()
    text = StringAttribute()
    by_shelf = GlobalSecondaryIndex("by_shelf", partition_key="shelf", sort_key="at")


def page(shelves, cursor=None):
    is_back, key = False, None
    if cursor:
        is_back, key = json.loads(base64.urlsafe_b64decode(cursor))
    found = Note.by_shelf.sync_query(
        shelf=shelves[0], scan_index_forward=is_back, limit=20, last_evaluated_key=key
    )
    items = list(found)
    if is_back:
        items.reverse()
        return items, link(False, key_of(items[-1])), link(True, found.last_evaluated_key)
    previous = link(True, key_of(items[0])) if cursor and items else None
    return items, link(False, found.last_evaluated_key), previous


def key_of(note):
    return {"id": note.id, "shelf": note.shelf, "at": note.at}


def link(is_back, key):
    if not key:
        return None
    return base64.urlsafe_b64encode(json.dumps([is_back, key]).encode()).decode()
