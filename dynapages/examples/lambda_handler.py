"""GET /notes behind API Gateway, as JSON with links. The handler is lambda_handler.handler."""

import json
import os
from urllib.parse import parse_qs, urlencode

import sample_table

from dynapages import BadToken, Feed, Index, OutOfTime, Tokens, time_budget

INDEX = Index(sample_table.TABLE, "by_team", partition="team", sort="at", table_key=("id",))
CLIENT = sample_table.client()  # once in each execution environment, not for each event
TOKENS = Tokens(os.environ["PAGE_SECRET"])
LEFT_OVER = 0.5  # seconds for an answer in place of a timeout


def notes(path, query):
    """Return the page that a query string asks for, with links. Raises BadToken."""
    asked = parse_qs(query)
    teams = sorted(set(asked.get("team", sample_table.TEAMS)))
    feed = Feed(INDEX, teams, client=CLIENT, tokens=TOKENS, name=" ".join(teams))
    after, before = (asked.get(name, [None])[0] for name in ("after", "before"))
    page = feed.page(5, after=after, before=before)
    answer = {"items": [{**item, "at": int(item["at"])} for item in page.items]}
    for name, token in {"after": page.next, "before": page.previous}.items():
        answer[name] = token and f"{path}?{urlencode({'team': teams, name: token}, doseq=True)}"
    return answer


def handler(event, context):
    """Answer an event of an HTTP API, whose payload has the version 2.0."""
    try:
        with time_budget(context.get_remaining_time_in_millis() / 1000 - LEFT_OVER):
            status, body = 200, notes(event["rawPath"], event["rawQueryString"])
    except (BadToken, OutOfTime) as error:
        status, body = (503 if isinstance(error, OutOfTime) else 400), {"error": str(error)}
    headers = {"content-type": "application/json"}
    return {"statusCode": status, "headers": headers, "body": json.dumps(body)}
