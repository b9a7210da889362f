"""A page of one partition by boto3: its resource, and the LastEvaluatedKey in the link."""

import base64
import json

import boto3
from boto3.dynamodb.conditions import Key

TABLE = boto3.resource("dynamodb").Table("beside")


def page(shelves, cursor=None):
    more = {}
    is_back = False
    if cursor:
        is_back, more["ExclusiveStartKey"] = json.loads(base64.urlsafe_b64decode(cursor))
    answer = TABLE.query(
        IndexName="by_shelf",
        KeyConditionExpression=Key("shelf").eq(shelves[0]),
        ScanIndexForward=is_back,
        Limit=20,
        **more,
    )
    items = answer["Items"]
    if is_back:
        items.reverse()
        return items, link(False, items[-1]), link(True, answer.get("LastEvaluatedKey"))
    previous = link(True, items[0]) if cursor and items else None
    return items, link(False, answer.get("LastEvaluatedKey")), previous


def link(is_back, item):
    if not item:
        return None
    key = {name: item[name] for name in ("id", "shelf", "at")}
    return base64.urlsafe_b64encode(json.dumps([is_back, key]).encode()).decode()
