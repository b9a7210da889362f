"""Visitors without a browser: they ask for pages, send forms, and read the HTML."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urldefrag

from django.http import HttpResponse
from django.test import Client

from tests.support.markup import Element, read_markup

HTMX = {"HX-Request": "true"}


@dataclass(frozen=True)
class Shown:
    """An answer, and what it says."""

    response: HttpResponse
    page: Element

    @property
    def status(self) -> int:
        return self.response.status_code

    @property
    def comment_ids(self) -> list[str]:
        return [element["data-comment-id"] for element in self.page.all(data_comment_id=True)]

    @property
    def order_ids(self) -> list[str]:
        return [element["data-order-id"] for element in self._rows()]

    @property
    def dates(self) -> list[str]:
        return [element["data-date"] for element in self._rows()]

    @property
    def messages(self) -> list[str]:
        """What the page says was done or not; a fragment has the script say it."""
        if event := self.response.get("HX-Trigger-After-Settle"):
            told: list[str] = json.loads(event)["said"]["sentences"]
            return told
        return [element.text for element in self.page.all(class_="message-text")]

    @property
    def counts(self) -> dict[str, int]:
        """What the tabs count, without those that count nothing."""
        tabs = self.page.all("a", data_toggle="status")
        counted = {tab["data-value"]: tab.one(class_="toggle-count").text for tab in tabs}
        return {value: int(text) for value, text in counted.items() if text != "0"}

    @property
    def older(self) -> str | None:
        return self._link("next")

    @property
    def newer(self) -> str | None:
        return self._link("prev")

    next, previous = older, newer

    @property
    def first(self) -> str | None:
        return self._link("first")

    @property
    def last(self) -> str | None:
        return self._link("last")

    def toggle(self, kind: str, value: str = "~") -> Element:
        return self.page.one("a", data_toggle=kind, data_value=value)

    def action(self, order_id: str, move: str) -> tuple[str, dict[str, str]]:
        """The address of a row's or an order page's form for a move, and its fields."""
        places = self.page.all(data_order_id=order_id)
        (form,) = (
            form for form in places[0].all("form") if form.all("input", name="move", value=move)
        )
        fields = {i["name"]: i["value"] for i in form.all("input", type="hidden")}
        fields.pop("csrfmiddlewaretoken", None)
        return form["action"], fields

    def _rows(self) -> list[Element]:
        return [one for one in self.page.all(data_order_id=True) if one.tag in {"li", "tr"}]

    def _link(self, rel: str) -> str | None:
        found = self.page.all("a", rel=rel)
        assert len(found) <= 1
        return urldefrag(found[0]["href"]).url if found else None


@dataclass(frozen=True)
class Visitor:
    """Somebody at the site, signed in unless the name is empty."""

    username: str
    browser: Client

    def get(self, url: str, *, htmx: bool = False) -> Shown:
        """Ask for an address; redirects are not followed."""
        return shown(self.browser.get(url, headers=HTMX if htmx else {}))

    def send(
        self, url: str, fields: dict[str, Any] | None = None, *, htmx: bool = False
    ) -> HttpResponse:
        """Send a form; redirects are not followed."""
        return self.browser.post(url, fields or {}, headers=HTMX if htmx else {})

    def post(self, url: str, fields: dict[str, Any] | None = None, *, htmx: bool = False) -> Shown:
        """Send a form, and follow where it leads."""
        headers = HTMX if htmx else {}
        return shown(self.browser.post(url, fields or {}, headers=headers, follow=True))


def shown(response: Any) -> Shown:
    """Read an answer."""
    return Shown(response, read_markup(response.content.decode()))


def visit(url: str, **headers: str) -> Shown:
    """Ask for an address; redirects are not followed."""
    return shown(Client().get(url, headers={k.replace("_", "-"): v for k, v in headers.items()}))


def with_explanation(url: str) -> str:
    """The address of the same page with how it was read."""
    return f"{url}{'&' if '?' in url else '?'}explain=1"


def follow(url: str, way: str) -> Iterator[Shown]:
    """The page at an address, and those behind its links ``older`` or ``newer``."""
    address: str | None = url
    while address:
        seen = visit(address)
        assert seen.status == 200, (address, seen.status)
        yield seen
        address = getattr(seen, way)
