"""Visits the pages of the old database and prints, as JSON, which ids each of them shows.

The code that made the database printed ``pages.json``; later code must print the same. (Since then
the pages of lists have lost the highlights above them, and the record with them.) All of it goes
through URLs, so that the script needs no module of the shop and runs with any version.
"""

import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from html import unescape

import django
from django.test import Client

LISTS = (
    "/products/lamp/comments/~/~/",
    "/products/lamp/comments/de.en/1.2.5/",
    "/products/lamp/most-helpful/",
    "/users/ana/",
    "/orders/",
    "/orders/?status=PLACED&status=SHIPPED",
    "/orders/?open=1",
    "/staff/orders/",
    "/staff/comments/",
    "/staff/comments/hidden/",
    "/staff/activity/",
)
"""Walked to the end and back by the links on their pages, whose tokens are in the output.

Links to the last page have no token.
"""
PAGES = (
    "/",
    "/categories/",
    "/categories/lighting/?order=price",
    "/products/lamp/",
    "/products/chair/",
    "/products/lamp/also-bought/",
    "/rankings/most-loved/",
    "/comments/old-1/",
    "/comments/~/old-1/",
    "/comments/old-8/",
    "/comments/old-9/",
    "/comments/edit/old-1/",
    "/basket/",
    "/staff/orders/?status=PLACED",
    "/lab/",
    "/healthz",
    "/readyz",
)
PASSWORD = "a password of long ago"  # noqa: S105 - opens nothing
IDS = re.compile(r"\b(?:old-\d+|[0-9A-HJKMNP-TV-Z]{26})\b")

Shown = tuple[str, int, list[str]]
"""A URL, the status of the answer, and the ids of comments and orders in the order shown."""


def main(*, below: tuple[str, ...] = ("/",)) -> None:
    """Visit the pages whose paths start with one of some."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    browser = Client()
    browser.post("/accounts/login/", {"username": "ana", "password": PASSWORD})

    def get(url: str) -> tuple[Shown, str]:
        response = browser.get(url)
        text = response.content.decode() if response.status_code == 200 else ""
        return (url, response.status_code, list(dict.fromkeys(IDS.findall(text)))), text

    found = [shown for url in LISTS if url.startswith(below) for shown in walk(get, url)]
    found += [get(url)[0] for url in PAGES if url.startswith(below)]
    json.dump(found, sys.stdout, indent=1)


def walk(get: Callable[[str], tuple[Shown, str]], url: str) -> Iterator[Shown]:
    shown, text = get(url)
    yield shown
    for direction in ("after", "before"):
        while link := re.search(rf'href="([^"]*[?&;]{direction}=(?!end)[^"#]*)[#"]', text):
            shown, text = get(unescape(link[1]))
            yield shown


if __name__ == "__main__":
    main()
