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
url = boto3.meta.endpoint_url
ours = build_client(Connection("us-east-1", url, library_transport=True))


class ByTeam(GlobalSecondaryIndex):
    Meta = type("Meta", (), {"index_name": "by_team", "projection": AllProjection()})
    team = UnicodeAttribute(hash_key=True)


class Note(Model):
    Meta = type("Meta", (), {"table_name": TABLE, "region": "us-east-1", "host": url})
    id, team, at = UnicodeAttribute(hash_key=True), UnicodeAttribute(), NumberAttribute()
    by_team = ByTeam()


red = {"KeyConditionExpression": "team = :t", "ExpressionAttributeValues": {":t": {"S": "red"}}}
query = {"TableName": TABLE, "IndexName": "by_team", "Limit": 21, **red}
ways = {"boto3": lambda: boto3.query(**query), "dynapages": lambda: ours.query(**query)}
ways["PynamoDB"] = lambda: list(Note.by_team.query("red", limit=21))
seconds = {name: [] for name in ways}
for _ in range(200):
    for name, read in ways.items():
        begun = process_time()
        read()
        seconds[name].append(process_time() - begun)
print("; ".join(f"{name} {median(took) * 1000:.2f} ms" for name, took in seconds.items()))
