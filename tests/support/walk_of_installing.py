"""A walk through a project that has followed docs/installing.md; prints what it found as JSON.

It runs in the project, where nothing of this repository can be imported but the app. Its users are
those of the project's own model, whose user names may be e-mail addresses. All that anybody is
shown or sent is kept, and what is logged and stored, to look for addresses in it.
"""

import html
import json
import logging
import re
import sys
from io import StringIO
from pathlib import Path

import django

django.setup()

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.staticfiles.finders import find
from django.core import mail
from django.core.management import call_command
from django.dispatch import Signal
from django.http import HttpResponse
from django.test import Client
from goods.models import Article  # type: ignore[import-not-found] # of the project that is made

from comments import signals
from comments.models import TABLE
from comments.users import profile_url, slug_of, user_id_of
from dynapages.process import client as dynamodb

COUNT = 60
LANGUAGES = ("de", "en", "fr")
WORDS = {"rating": "5", "title": "Lovely", "body": "Bright and warm light.", "language": "en"}
HERE, ARTICLE = "/reviews/products/1/", "/articles/1/"
PASSWORD = "sample-shop-1"  # noqa: S105 - of users that live as long as the walk
HOST = "example.com"
seen: list[tuple[str, str]] = []
"""All that left the project, or was stored: what it is, and its text."""


class Browser(Client):
    """A client that keeps what it is answered."""

    def request(self, **request: object) -> HttpResponse:  # type: ignore[override] # Django's stubs have each
        answer = super().request(**request)
        shown = bytes(answer.getvalue()).decode()
        seen.append((str(request["PATH_INFO"]), f"{answer.headers} {shown}"))
        return answer


def browser(user: AbstractBaseUser | None = None, **headers: str) -> Client:
    made = Browser(SERVER_NAME="localhost", headers=headers)
    if user:
        made.force_login(user)
    return made


def somebody(local_part: str, **details: object) -> AbstractBaseUser:
    """Create a user with an e-mail address, which is the user name where that must be one."""
    users, address = get_user_model(), f"{local_part}@{HOST}"
    if users.USERNAME_FIELD == "email":
        details.pop("username")
        return users.objects.create_user(address, PASSWORD, **details)
    return users.objects.create_user(email=address, password=PASSWORD, **details)


class Keeper(logging.Handler):
    """Keeps what is logged, with the fields of events."""

    def emit(self, record: logging.LogRecord) -> None:
        seen.append(("log", f"{record.getMessage()} {vars(record)}"))


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
    heard: list[str] = []

    def hear(signal: Signal, **said: object) -> None:
        heard.append(names[signal])
        seen.append((names[signal], str(said)))

    for signal in names:
        signal.connect(hear, weak=False)
    return heard


def lists() -> dict[str, object]:
    """Import comments, and walk through a list of two languages and two ratings and back."""
    loaded = [(f"old-{one:02}", LANGUAGES[one % 3], one % 5 + 1) for one in range(COUNT)]
    rows = ["id,product_id,language,rating,created_at,author,body"]
    for number, (each, language, rating) in enumerate(loaded):
        author = OLD_ADDRESS if number == 0 else f"reader {number}"
        moment = f"2026-01-01T00:{number:02}:00Z"
        rows.append(f"{each},1,{language},{rating},{moment},{author},Number {number}")
    Path("old.csv").write_text("\n".join(rows))
    printed = StringIO()
    call_command("import_comments", "old.csv", stdout=printed)
    seen.append(("import", printed.getvalue()))
    wanted = [each for each, language, rating in loaded if language != "fr" and rating in (1, 5)]
    there, last = walked(f"{HERE}comments/de.en/1.5/", "next")
    back, _first = walked(last, "prev")
    return {
        "wanted": wanted[::-1],
        "there": there,
        "back": back[::-1],
        "left out": "Names of authors that are e-mail addresses, which were left out: 1."
        in printed.getvalue(),
    }


def users_unknown() -> dict[str, int]:
    """Return how pages and lists of users answer, of whom there is none."""
    ids = ("nobody", "0", "9" * 30, "\u0661", "01", "1 ", "bob", "1\0")
    urls = [profile_url(each) for each in ids]
    urls += [f"/api/users/{slug_of(each)}/comments" for each in ids]
    return {url: browser().get(url).status_code for url in urls}


def statuses(bob: AbstractBaseUser) -> dict[str, int]:
    """Return how all kinds of pages answer a visitor."""
    urls = (
        HERE,
        "/reviews/products/2/",
        "/reviews/products/3/",
        "/reviews/products/none/",
        f"/reviews/products/{'9' * 30}/",
        "/reviews/products/\u0663/",
        f"{HERE}comments/~/~/?order=helpful",
        f"{HERE}comments/~/~/?format=atom",
        f"{HERE}comments/en/7/",
        "/reviews/rankings/most-loved/",
        "/reviews/rankings/recently-commented/",
        profile_url(user_id_of(bob)),
        "/reviews/users/nobody/",
        f"/reviews/users/nobody@{HOST}/",
        f"{HERE}comments/new/",
        "/reviews/staff/comments/",
        "/reviews/comments/old-00/",
        "/reviews/comments/none/",
        "/api/products/1/comments",
        "/api/comments/none",
        "/api/docs",
    )
    return {url: browser().get(url).status_code for url in urls}


def staff_statuses(staff: Client, bob: AbstractBaseUser) -> dict[str, int]:
    """Return how pages for staff answer them."""
    queue, one = "/reviews/staff/comments", "old-01"
    urls = (
        *(f"{queue}{state}" for state in ("/", "/hidden/", "/held/")),
        *(f"{queue}{state}.csv" for state in ("", "/hidden", "/held")),
        f"{queue}/reply/{one}/",
        f"/reviews/comments/{one}/",
        f"/reviews/comments/delete/{one}/",
        f"/reviews/comments/report/{one}/",
        f"/reviews/staff/authors/{slug_of(user_id_of(bob))}/",
        f"{HERE}comments/~/~/",
        f"{HERE}comments/new/",
    )
    return {url: staff.get(url).status_code for url in urls}


def posts(author: Client, staff: Client, ada: AbstractBaseUser) -> tuple[str, dict[str, object]]:
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
        "profile": ids_in(text(browser(), profile_url(user_id_of(ada)))) == [mine],
        "article": text(browser(), ARTICLE),
        "static files": [len(files) > 5, [each for each in files if find(each) is None]],
    }


def moves(mine: str, author: Client, ada: AbstractBaseUser) -> dict[str, object]:
    """Change the address that Ada signs in by, and have her edit what she wrote before."""
    urls = (
        HERE,
        f"{HERE}comments/~/~/",
        f"{HERE}comments/~/~/?format=atom",
        profile_url(user_id_of(ada)),
        f"{profile_url(user_id_of(ada))}?format=atom",
        f"/reviews/comments/{mine}/",
        "/api/products/1/comments",
        f"/api/users/{slug_of(user_id_of(ada))}/comments",
        f"/api/comments/{mine}",
    )
    before = [text(browser(), url) for url in urls]
    address = f"countess.1840@{HOST}"
    setattr(ada, ada.USERNAME_FIELD, address)
    ada.email = address
    ada.save()
    after = [text(browser(), url) for url in urls]
    edit = f"/reviews/comments/edit/{mine}/"
    words = {**fields_in(text(author, edit), edit), **WORDS, "body": "Bright and warm, and green."}
    return {
        "changed pages": [
            url for url, *texts in zip(urls, before, after, strict=True) if len({*texts}) > 1
        ],
        "is edited": author.post(edit, words).status_code,
        "shows the edit": "and green." in text(browser(), HERE),
        "name": json.loads(after[-1])["author"],
    }


def reacts(mine: str, author: Client, reader: Client, staff: Client) -> dict[str, object]:
    """Vote for a comment and report it, and have it hidden."""
    vote, report, decide = (
        f"/reviews/{path}/{mine}/"
        for path in ("comments/vote", "comments/report", "staff/comments/decide")
    )
    voted = reader.post(vote, {"helpful": "yes", "next": HERE}).status_code
    shown = re.findall(rf'data-comment-id="{mine}".*?</article>', text(reader, HERE), re.DOTALL)
    helpful = ids_in(text(browser(), f"{HERE}comments/~/~/?order=helpful"))[0] == mine
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
        "reporter": re.findall(r'<a href="([^"]*)"><bdi>(.*?)</bdi>', queue),
        "decided": decided,
        "hidden": [
            browser().get(f"/reviews/comments/{mine}/").status_code,
            author.get(f"/reviews/comments/{mine}/").status_code,
            mine in ids_in(text(browser(), HERE)),
        ],
    }


def by_keys() -> dict[str, object]:
    """Vote by the API: with a key of bob's, with one that does not exist, and without any.

    And post with bob's.
    """
    key = {"authorization": "Bearer a-long-random-text"}
    keys = (key, {"authorization": "Bearer none"}, {})
    answers = [browser(**one).put("/api/votes/old-00") for one in keys]
    draft, kind = (
        json.dumps({"rating": 4, "text": "It does what a chair does."}),
        "application/json",
    )
    posted = browser(**key).post("/api/products/2/comments", draft, content_type=kind).json()
    return {
        "votes": [answers[0].json(), *(answer.status_code for answer in answers)],
        "posted": {name: posted[name] for name in ("author", "username")},
    }


def stored() -> None:
    """Look into all that the project has in DynamoDB."""
    for page in dynamodb().get_paginator("scan").paginate(TableName=TABLE):
        seen.extend(("stored", str(item)) for item in page["Items"])


def addresses() -> list[tuple[str, str]]:
    """Return where an address of a user is in what was seen, or the part before its “@”."""
    return [
        (what, said[max(said.lower().index(part) - 80, 0) :][:200])
        for what, said in seen
        for part in LOCAL_PARTS
        if part in said.lower()
    ]


LOCAL_PARTS = ("ada.l.1815", "bob.by.1990", "sam.staff.1975", "countess.1840", "old.reader.1960")
OLD_ADDRESS = f"{LOCAL_PARTS[-1]}@{HOST}"


def main() -> dict[str, object]:
    heard = listen()
    settings.PAGE_SIZE = 5
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    mail.outbox = []
    logging.getLogger().addHandler(Keeper())
    logging.getLogger().setLevel(logging.INFO)
    # Of Django's own users, who may take any name, one takes an address.
    ada = somebody("ada.l.1815", username=f"ada.l.1815@{HOST}", first_name="Ada", last_name="Lace")
    bob = somebody("bob.by.1990", username="bob")
    sam = somebody("sam.staff.1975", username="sam", first_name="Sam", is_staff=True)
    lamp, chair = (Article.objects.create(name=name) for name in ("A lamp", "A chair"))
    lamp.buyers.add(ada)
    told: dict[str, object] = {"empty": text(browser(), f"/articles/{chair.pk}/")}
    told |= {"lists": lists(), "statuses": statuses(bob), "unknown users": users_unknown()}
    login = browser().get(f"{HERE}comments/new/")["Location"]
    name = {"username": bob.get_username(), "password": PASSWORD}
    told["after_signing_in"] = browser().post(login, name)["Location"]
    author, staff = browser(ada), browser(sam)
    told["of staff"] = staff_statuses(staff, bob)
    mine, posted = posts(author, staff, ada)
    told |= {**posted, "moved": moves(mine, author, ada)}
    german = browser(accept_language="de")
    told["german"] = text(german, HERE)
    told["german profile"] = text(german, profile_url(user_id_of(ada)))
    told |= reacts(mine, author, browser(bob), staff)
    told["by keys"] = by_keys()
    seen.extend(("e-mail", str(each.message())) for each in mail.outbox)
    stored()
    lamp.refresh_from_db()
    return {
        **told,
        "events": [*heard],
        "counted by a receiver": lamp.comments,
        "slugs": {"ada": slug_of(user_id_of(ada)), "bob": slug_of(user_id_of(bob))},
        "seen": sorted({what for what, _said in seen if not what.startswith("/")}),
        "addresses": addresses(),
        "imported": sorted({"shop", "config", "demo", "lab", "tests"} & sys.modules.keys()),
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main()))
