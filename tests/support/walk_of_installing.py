"""A walk through a project that has followed docs/installing.md; prints what it found as JSON.

It runs in the project, where nothing of this repository can be imported but the app.
"""

import html
import json
import re
import sys
from io import StringIO
from pathlib import Path

import django

django.setup()

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.staticfiles.finders import find
from django.core.management import call_command
from django.dispatch import Signal
from django.test import Client
from goods.models import Article  # type: ignore[import-not-found] # of the project that is made

from comments import signals

COUNT = 60
LANGUAGES = ("de", "en", "fr")
WORDS = {"rating": "5", "title": "Lovely", "body": "Bright and warm light.", "language": "en"}
HERE, ARTICLE = "/reviews/products/1/", "/articles/1/"


def browser(user: User | None = None, **headers: str) -> Client:
    made = Client(SERVER_NAME="localhost", headers=headers)
    if user:
        made.force_login(user)
    return made


def text(client: Client, url: str) -> str:
    answer = client.get(url)
    assert answer.status_code == 200, (url, answer.status_code, answer.content.decode()[:500])
    return str(answer.content.decode())


def ids_in(page: str) -> list[str]:
    return re.findall(r'data-comment-id="([^"]*)"', page)


def walked(url: str, rel: str) -> tuple[list[list[str]], str]:
    """Return the ids of each page from an address on, and the address of the last."""
    pages, client = [], browser()
    while True:
        page = text(client, url)
        pages.append(ids_in(page))
        found = re.search(rf'rel="{rel}"\s+href="([^"#]*)', page)
        if not found:
            return pages, url
        url = html.unescape(found[1])


def fields_in(page: str, action: str) -> dict[str, str]:
    """Return the hidden fields of the form that is sent to an address."""
    form = re.search(rf'<form[^>]*action="{re.escape(action)}["?].*?</form>', page, re.DOTALL)
    assert form, (action, page)
    inputs = re.findall(r'<input[^>]*type="hidden"[^>]*>', form[0])
    pairs = (re.findall(r'(name|value)="([^"]*)"', one) for one in inputs)
    return {named["name"]: html.unescape(named.get("value", "")) for named in map(dict, pairs)}


def listen() -> list[str]:
    """Return a list that gets the name of each signal that is sent from now on."""
    names = {signal: name for name, signal in vars(signals).items() if isinstance(signal, Signal)}
    seen: list[str] = []

    def see(signal: Signal, **_: object) -> None:
        seen.append(names[signal])

    for signal in names:
        signal.connect(see, weak=False)
    return seen


def lists() -> dict[str, object]:
    """Import comments, and walk through a list of two languages and two ratings and back."""
    loaded = [(f"old-{one:02}", LANGUAGES[one % 3], one % 5 + 1) for one in range(COUNT)]
    rows = [
        f"{each},1,{language},{rating},2026-01-01T00:{number:02}:00Z,Number {number}"
        for number, (each, language, rating) in enumerate(loaded)
    ]
    Path("old.csv").write_text("\n".join(["id,product_id,language,rating,created_at,body", *rows]))
    call_command("import_comments", "old.csv", stdout=StringIO())
    wanted = [each for each, language, rating in loaded if language != "fr" and rating in (1, 5)]
    there, last = walked(f"{HERE}comments/de.en/1.5/", "next")
    back, _first = walked(last, "prev")
    return {"wanted": wanted[::-1], "there": there, "back": back[::-1]}


def statuses() -> dict[str, int]:
    """Return how all kinds of pages answer a visitor."""
    urls = (
        HERE,
        "/reviews/products/2/",
        "/reviews/products/3/",
        "/reviews/products/none/",
        f"/reviews/products/{'9' * 30}/",
        "/reviews/products/\u0663/",
        f"{HERE}most-helpful/",
        f"{HERE}comments/~/~/?format=atom",
        f"{HERE}comments/en/7/",
        "/reviews/rankings/most-loved/",
        "/reviews/rankings/recently-commented/",
        "/reviews/users/bob/",
        "/reviews/users/nobody/",
        "/reviews/users/Ada.L@example.com/",
        f"{HERE}comments/new/",
        "/reviews/staff/comments/",
        "/reviews/comments/old-00/",
        "/reviews/comments/none/",
        "/api/products/1/comments",
        "/api/comments/none",
        "/api/docs",
    )
    return {url: browser().get(url).status_code for url in urls}


def staff_statuses(staff: Client) -> dict[str, int]:
    """Return how pages for staff answer them."""
    queue, one = "/reviews/staff/comments", "old-01"
    urls = (
        *(f"{queue}{state}" for state in ("/", "/hidden/", "/held/")),
        *(f"{queue}{state}.csv" for state in ("", "/hidden", "/held")),
        f"{queue}/reply/{one}/",
        f"/reviews/comments/{one}/",
        f"/reviews/comments/delete/{one}/",
        f"/reviews/comments/report/{one}/",
        "/reviews/staff/authors/Ada.L@example.com/",
        f"{HERE}comments/~/~/",
        f"{HERE}comments/new/",
    )
    return {url: staff.get(url).status_code for url in urls}


def posts(author: Client, staff: Client) -> tuple[str, dict[str, object]]:
    """Post a comment, and have it published; return its id as well."""
    new = f"{HERE}comments/new/"
    sent = author.post(new, {**fields_in(text(author, new), new), **WORDS})
    own = sent["Location"]
    mine = own.rstrip("/").rpartition("/")[2]
    waits = {
        "is told": "published once the shop has looked" in text(author, own),
        "for others": browser().get(own).status_code,
        "is listed": mine in text(browser(), HERE) + text(browser(), ARTICLE),
    }
    decide = f"/reviews/staff/comments/decide/{mine}/"
    fields = fields_in(text(staff, "/reviews/staff/comments/held/"), decide)
    published = staff.post(decide, {**fields, "decision": "publish"}).status_code
    page = text(browser(), HERE)
    files = re.findall(r'"/static/([^"]*)"', page)
    return mine, {
        "waits": waits,
        "published": published,
        "mine": {"title": "Lovely" in page, "verified": "Verified purchase" in page},
        "profile": ids_in(text(browser(), "/reviews/users/Ada.L@example.com/")) == [mine],
        "article": text(browser(), ARTICLE),
        "static files": [len(files) > 5, [each for each in files if find(each) is None]],
    }


def reacts(mine: str, author: Client, reader: Client, staff: Client) -> dict[str, object]:
    """Vote for a comment and report it, and have it hidden."""
    vote, report, decide = (
        f"/reviews/{path}/{mine}/"
        for path in ("comments/vote", "comments/report", "staff/comments/decide")
    )
    voted = reader.post(vote, {"helpful": "yes", "next": HERE}).status_code
    shown = re.findall(rf'data-comment-id="{mine}".*?</article>', text(reader, HERE), re.DOTALL)
    helpful = ids_in(text(browser(), f"{HERE}most-helpful/")) == [mine]
    fields = fields_in(text(reader, report), report)
    reported = reader.post(report, {**fields, "reason": "spam"}).status_code
    queue = text(staff, "/reviews/staff/comments/")
    decided = staff.post(decide, {**fields_in(queue, decide), "decision": "hide"}).status_code
    return {
        "voted": voted,
        "sees_vote": shown[0],
        "helpful": helpful,
        "reported": reported,
        "queue": ids_in(queue) == [mine],
        "decided": decided,
        "hidden": [
            browser().get(f"/reviews/comments/{mine}/").status_code,
            author.get(f"/reviews/comments/{mine}/").status_code,
            mine in ids_in(text(browser(), HERE)),
        ],
    }


def by_keys() -> list[object]:
    """Vote by the API: with a key of bob's, with one that does not exist, and without any."""
    keys = ({"authorization": f"Bearer {one}"} for one in ("a-long-random-text", "none"))
    answers = [browser(**key).put("/api/votes/old-00") for key in (*keys, {})]
    return [answers[0].json(), *(answer.status_code for answer in answers)]


def main() -> dict[str, object]:
    seen = listen()
    settings.PAGE_SIZE = 5
    password = {"password": "sample-shop-1"}
    ada = User.objects.create_user("Ada.L@example.com", **password)
    bob = User.objects.create_user("bob", **password)
    sam = User.objects.create_user("sam", is_staff=True, **password)
    lamp, chair = (Article.objects.create(name=name) for name in ("A lamp", "A chair"))
    lamp.buyers.add(ada)
    told: dict[str, object] = {"empty": text(browser(), f"/articles/{chair.pk}/")}
    told |= {"lists": lists(), "statuses": statuses()}
    login = browser().get(f"{HERE}comments/new/")["Location"]
    told["after_signing_in"] = browser().post(login, {"username": "bob", **password})["Location"]
    author, staff = browser(ada), browser(sam)
    told["of staff"] = staff_statuses(staff)
    mine, posted = posts(author, staff)
    told |= {**posted, **reacts(mine, author, browser(bob), staff)}
    lamp.refresh_from_db()
    return {
        **told,
        "events": [*seen],
        "counted by a receiver": lamp.comments,
        "german": text(browser(accept_language="de"), HERE),
        "by keys": by_keys(),
        "imported": sorted({"shop", "config", "demo", "lab", "tests"} & sys.modules.keys()),
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main()))
