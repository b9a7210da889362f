"""A visitor without a browser: asks for pages and reads their HTML."""

from collections.abc import Iterator
from dataclasses import dataclass
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
    def older(self) -> str | None:
        return self._link("next")

    @property
    def newer(self) -> str | None:
        return self._link("prev")

    @property
    def first(self) -> str | None:
        return self._link("first")

    @property
    def last(self) -> str | None:
        return self._link("last")

    def toggle(self, kind: str, value: str = "~") -> Element:
        return self.page.one("a", data_toggle=kind, data_value=value)

    def _link(self, rel: str) -> str | None:
        found = self.page.all("a", rel=rel)
        assert len(found) <= 1
        return urldefrag(found[0]["href"]).url if found else None


def visit(url: str, **headers: str) -> Shown:
    """Ask for an address; redirects are not followed."""
    response = Client().get(url, headers={k.replace("_", "-"): v for k, v in headers.items()})
    return Shown(response, read_markup(response.content.decode()))


def follow(url: str, way: str) -> Iterator[Shown]:
    """The page at an address, and those behind its links ``older`` or ``newer``."""
    address: str | None = url
    while address:
        shown = visit(address)
        assert shown.status == 200, (address, shown.status)
        yield shown
        address = getattr(shown, way)
