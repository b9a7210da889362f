"""GET /notes?team=red&team=blue as JSON, with links to the pages after it and before it."""

import json
from urllib.parse import parse_qs, urlencode
from wsgiref.simple_server import make_server

import sample_table

from dynapages import BadToken, Feed, Index, Tokens

BY_TEAM = Index(sample_table.TABLE, "by_team", partition="team", sort="at", table_key=("id",))
CLIENT = sample_table.client()
TOKENS = Tokens("a secret of this site alone")


def notes(query):
    """Return the page that a query string asks for, with links. Raises BadToken."""
    asked = parse_qs(query)
    teams = sorted(set(asked.get("team", sample_table.TEAMS)))
    feed = Feed(BY_TEAM, teams, client=CLIENT, tokens=TOKENS, name=" ".join(teams))
    after, before = (asked.get(name, [None])[0] for name in ("after", "before"))
    page = feed.page(5, after=after, before=before)
    answer = {"items": [{**item, "at": int(item["at"])} for item in page.items]}
    for name, token in {"after": page.next, "before": page.previous}.items():
        answer[name] = token and "/notes?" + urlencode({"team": teams, name: token}, doseq=True)
    return answer


def app(environ, start_response):
    """Answer with a page; with 400 for a link that was altered or is of another list."""
    try:
        status, body = "200 OK", notes(environ["QUERY_STRING"])
    except BadToken as error:
        status, body = "400 Bad Request", {"error": str(error)}
    start_response(status, [("Content-Type", "application/json")])
    return [json.dumps(body).encode()]


if __name__ == "__main__":
    make_server("127.0.0.1", 8000, app).serve_forever()
