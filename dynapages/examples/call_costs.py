"""What a Query of 21 items takes in processor time, by three clients that take turns."""

from statistics import median
from time import process_time

from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.indexes import AllProjection, GlobalSecondaryIndex
from pynamodb.models import Model
from sample_table import TABLE, client, fill

from dynapages.calls import Connection, build_client

boto3 = client()
fill(boto3, notes=63)
connection = Connection("us-east-1", boto3.meta.endpoint_url, library_transport=True)
ours = build_client(connection)
where = {"table_name": TABLE, "region": "us-east-1", "host": boto3.meta.endpoint_url}


class ByTeam(GlobalSecondaryIndex):
    Meta = type("Meta", (), {"index_name": "by_team", "projection": AllProjection()})
    team = UnicodeAttribute(hash_key=True)


class Note(Model):
    Meta = type("Meta", (), where)
    id, team, at = UnicodeAttribute(hash_key=True), UnicodeAttribute(), NumberAttribute()
    by_team = ByTeam()


red = {"KeyConditionExpression": "team = :t", "ExpressionAttributeValues": {":t": {"S": "red"}}}
asked = {"TableName": TABLE, "IndexName": "by_team", "Limit": 21, **red}
ways = [lambda: boto3.query(**asked), lambda: list(Note.by_team.query("red", limit=21))]
ways += [lambda: ours.query(**asked)]
seconds = {name: [] for name in ("boto3", "PynamoDB", "dynapages")}
for _ in range(200):
    for query, took in zip(ways, seconds.values(), strict=True):
        begun = process_time()
        query()
        took.append(process_time() - begun)
print("; ".join(f"{name} {median(took) * 1000:.2f} ms" for name, took in seconds.items()))
