"""Documents of the folder ``docs`` as pages, their index, and the description of the API.

A document's name is its path without ``.md``: ``how-it-works`` or ``designs/filters``; that of a
folder is its ``README.md``. ``docs/README.md``, whose name is empty, is the index: its headings are
the doors, the links that begin its list items the documents behind them, in the order of reading.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from config.docs_markup import NAME, OPENAPI, Heading, render_document
from dynapages.django.access import public

RECORDS = "adr"
"""The document that lists the decision records, each a document of its own."""
_DOOR = re.compile(r"## (.+)")
_LISTED = re.compile(r"(?:-|\d+\.) \[(.+?)\]\(([^)]+)\.md\)")


class NoSuchDocument(LookupError):
    """There is no document of this name."""


@dataclass(frozen=True, slots=True)
class Document:
    """A document's title, its other headings, and its HTML without the title."""

    name: str
    title: str
    headings: list[Heading]
    html: SafeString


@lru_cache(maxsize=128)
def find_document(name: str) -> Document:
    """Return a document. Raises NoSuchDocument."""
    path = _path(name)
    here = PurePosixPath(path.relative_to(settings.BASE_DIR / "docs").as_posix()).parent
    return Document(name, *render_document(path.read_text(encoding="utf-8"), here))


def _path(name: str) -> Path:
    folder = settings.BASE_DIR / "docs"
    candidates = (folder / f"{name}.md", folder / name / "README.md")
    is_name = not name or NAME.fullmatch(name)
    path = next(filter(Path.exists, candidates), None) if is_name else None
    if path is None:
        raise NoSuchDocument(name)
    return path


@lru_cache(maxsize=1)
def read_doors() -> dict[str, dict[str, str]]:
    """Return the doors of the index: of each the titles of its documents, by name."""
    doors: dict[str, dict[str, str]] = {}
    for line in _path("").read_text(encoding="utf-8").splitlines():
        if door := _DOOR.fullmatch(line):
            titles = doors[door[1]] = {}
        elif listed := _LISTED.match(line):
            titles[listed[2].removesuffix("/README")] = listed[1]
    return doors


@lru_cache(maxsize=1)
def read_order() -> dict[str, str]:
    """Return the titles of all documents, by name: those of the index, then the records."""
    order = {name: title for titles in read_doors().values() for name, title in titles.items()}
    listed = map(_LISTED.match, _path(RECORDS).read_text(encoding="utf-8").splitlines())
    records = {f"{RECORDS}/{match[2]}": match[1].replace("`", "") for match in listed if match}
    return order | records


@require_safe
@public
def document(request: HttpRequest, name: str = "") -> HttpResponse:
    """Show a document, or the index; it reads nothing from DynamoDB."""
    try:
        found = find_document(name)
    except NoSuchDocument as error:
        raise Http404(_("There is no such page in the documentation.")) from error
    order = [*read_order().items()]
    names = [each for each, _title in order]
    listed = RECORDS if name.startswith(f"{RECORDS}/") else name
    trail = [{"url": reverse("documentation"), "name": _("Documentation")}] if name else []
    if listed != name:
        trail.append({"url": reverse("document", args=[listed]), "name": dict(order)[listed]})
    context = {
        "document": found,
        "trail": trail,
        "doors": read_doors(),
        "listed": listed,
        "previous": dict(zip(names[1:], order, strict=False)).get(name),
        "next": dict(zip(names, order[1:], strict=False)).get(name),
    }
    return render(request, "document.html", context)


@require_safe
@public
def openapi(request: HttpRequest) -> HttpResponse:
    """Answer with the description of the site's JSON, for tools."""
    del request
    text = (settings.BASE_DIR / "docs" / OPENAPI).read_bytes()
    return HttpResponse(text, content_type="application/json")
