"""A page of several partitions by boto3: queries in threads, merged, with a key of each."""

import base64
import heapq
import json
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import boto3
from boto3.dynamodb.conditions import Key

# A client may be shared by threads, a resource may not.
CLIENT = boto3.resource("dynamodb").meta.client
THREADS = ThreadPoolExecutor(10)


def page(shelves, cursor=None):
    keys = json.loads(base64.urlsafe_b64decode(cursor)) if cursor else {}

    def read(shelf):
        more = {"ExclusiveStartKey": keys[shelf]} if shelf in keys else {}
        return CLIENT.query(
            TableName="beside",
            IndexName="by_shelf",
            KeyConditionExpression=Key("shelf").eq(shelf),
            ScanIndexForward=False,
            Limit=20,
            **more,
        )

    answers = list(THREADS.map(read, shelves))
    found = [answer["Items"] for answer in answers]
    items = list(islice(heapq.merge(*found, key=lambda item: item["at"], reverse=True), 20))
    for item in items:
        keys[item["shelf"]] = {name: item[name] for name in ("id", "shelf", "at")}
    is_more = any("LastEvaluatedKey" in answer for answer in answers)
    if sum(map(len, found)) == len(items) and not is_more:
        return items, None, None
    return items, base64.urlsafe_b64encode(json.dumps(keys).encode()).decode(), None
