"""A walk through a project that has followed docs/installing.md; prints what it found as JSON.

It runs in the project, where nothing of this repository can be imported but the app.
"""

import html
import json
import re
import sys
from datetime import timedelta
from types import ModuleType

import django

django.setup()

from django.conf import settings  # noqa: E402 - apps are ready now
from django.contrib.auth.models import User  # noqa: E402
from django.test import Client  # noqa: E402
from django.utils import timezone  # noqa: E402
from goods.models import Article  # type: ignore[import-not-found] # noqa: E402 - the project's
from ulid import ULID  # noqa: E402

from comments.posting.services import Draft, post_comment  # noqa: E402

COUNT = 60
LANGUAGES = ("de", "en", "fr")
WORDS = {"rating": "5", "title": "Lovely", "body": "Bright and warm light.", "language": "en"}
HERE = "/reviews/products/1/"


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


def main() -> dict[str, object]:
    settings.PAGE_SIZE = 5
    ada = User.objects.create_user("Ada.L@example.com", password="sample-shop-1")
    bob = User.objects.create_user("bob", password="sample-shop-1")
    sam = User.objects.create_user("sam", password="sample-shop-1", is_staff=True)
    lamp, chair = (Article.objects.create(name=name) for name in ("A lamp", "A chair"))
    lamp.buyers.add(ada)
    told: dict[str, object] = {"empty": text(browser(), f"/articles/{chair.pk}/")}

    now = timezone.now()
    loaded = []
    for number in range(COUNT):
        at = now - timedelta(days=COUNT - number)
        language, rating = LANGUAGES[number % 3], number % 5 + 1
        loaded.append((str(ULID.from_datetime(at)), language, rating))
        post_comment(
            Draft(rating, language, "", f"Number {number}"),
            comment_id=loaded[-1][0],
            product_id="1",
            username="bob",
            now=at,
        )
    wanted = [each for each, language, rating in loaded if language in "de.en" and rating in (1, 5)]
    there, last = walked(f"{HERE}comments/de.en/1.5/", "next")
    back, _first = walked(last, "prev")
    told["lists"] = {"wanted": wanted[::-1], "there": there, "back": back[::-1]}

    visitor = browser()
    told["statuses"] = {
        url: visitor.get(url).status_code
        for url in (
            HERE,
            "/reviews/products/2/",
            "/reviews/products/3/",
            "/reviews/products/none/",
            f"/reviews/products/{'9' * 30}/",
            "/reviews/products/\u0663/",
            f"{HERE}most-helpful/",
            f"{HERE}comments/~/~/?format=json",
            f"{HERE}comments/~/~/?format=atom",
            f"{HERE}comments/en/7/",
            "/reviews/rankings/most-loved/",
            "/reviews/rankings/recently-commented/",
            "/reviews/users/bob/",
            "/reviews/users/nobody/",
            "/reviews/users/Ada.L@example.com/",
            f"{HERE}comments/new/",
            "/reviews/staff/comments/",
            f"/reviews/comments/{loaded[0][0]}/",
            "/reviews/comments/none/",
        )
    }
    login = visitor.get(f"{HERE}comments/new/")["Location"]
    signed_in = visitor.post(login, {"username": "bob", "password": "sample-shop-1"})
    told["after_signing_in"] = signed_in["Location"]

    author = browser(ada)
    new = f"{HERE}comments/new/"
    sent = author.post(new, {**fields_in(text(author, new), new), **WORDS})
    told["posted"] = [sent.status_code, sent["Location"].partition("#")[0]]
    page = text(author, HERE)
    mine = ids_in(page)[0]
    told["mine"] = {"title": "Lovely" in page, "verified": "Verified purchase" in page}
    told["told"] = "Thank you! Your comment is posted." in page
    told["article"] = text(browser(), f"/articles/{lamp.pk}/")
    told["profile"] = ids_in(text(visitor, "/reviews/users/Ada.L@example.com/"))

    reader = browser(bob)
    vote = f"/reviews/comments/vote/{mine}/"
    told["voted"] = reader.post(vote, {"helpful": "yes", "next": HERE}).status_code
    page = text(reader, HERE)
    told["sees_vote"] = re.findall(rf'data-comment-id="{mine}".*?</article>', page, re.DOTALL)[0]
    told["helpful"] = ids_in(text(visitor, f"{HERE}most-helpful/"))
    report = f"/reviews/comments/report/{mine}/"
    fields = fields_in(text(reader, report), report)
    told["reported"] = reader.post(report, {**fields, "reason": "spam"}).status_code

    staff = browser(sam)
    queue = text(staff, "/reviews/staff/comments/")
    told["queue"] = ids_in(queue) == [mine]
    decide = f"/reviews/staff/comments/decide/{mine}/"
    fields = fields_in(queue, decide)
    told["decided"] = staff.post(decide, {**fields, "decision": "hide"}).status_code
    told["hidden"] = [
        browser().get(f"/reviews/comments/{mine}/").status_code,
        author.get(f"/reviews/comments/{mine}/").status_code,
        mine in ids_in(text(browser(), HERE)),
    ]
    told["german"] = text(browser(accept_language="de"), HERE)
    told["imported"] = sorted(
        name
        for name, module in sys.modules.items()
        if name in {"shop", "config", "demo", "lab", "tests"} and isinstance(module, ModuleType)
    )
    return told


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main()))
