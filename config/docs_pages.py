"""Documents of the folder ``docs`` as pages, and their index.

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
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import slugify
from django.utils.translation import get_language, pgettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from markdown_it.token import Token

from config.docs_markup import NAME, render_document
from dynapages.django.access import public

RECORDS = "adr"
"""The document that lists the decision records, each a document of its own."""
DOORS = {
    "Use": pgettext_lazy("documents", "Use"),
    "Run": pgettext_lazy("documents", "Run"),
    "Understand": pgettext_lazy("documents", "Understand"),
    "Measure": pgettext_lazy("documents", "Measure"),
    "Change": pgettext_lazy("documents", "Change"),
}
"""The headings of the index, in the visitor's language; documents are in English."""
_DOCS = settings.BASE_DIR / "docs"
_LIST_ITEM = re.compile(r"^(?:-|\d+\.) \[(.+?)\]\(([^)]+?)(?:/README)?\.md\)", re.MULTILINE)
"""A list item that begins with a link to a document: its title, and the document's name."""


@dataclass(frozen=True, slots=True)
class Document:
    """A document's title, its other headings, and its HTML without the title."""

    name: str
    title: str
    headings: list[Token]
    html: SafeString


@lru_cache(maxsize=128)
def find_document(name: str) -> Document:
    """Return a document. Raises Http404."""
    path = _path_of(name)
    if path is None:
        raise Http404(_("There is no such page in the documentation."))
    folder = PurePosixPath(path.parent.relative_to(_DOCS))
    title, headings, html = render_document(path.read_text(encoding="utf-8"), folder)
    return Document(name, title, headings, html)


def _path_of(name: str) -> Path | None:
    """Return the file of a document; None where no document has the name."""
    # A visitor chose the name: it must not lead out of the folder.
    if not NAME.fullmatch(name):
        return None
    for path in (_DOCS / f"{name}.md", _DOCS / name / "README.md"):
        if path.exists():
            return path
    return None


def _titles_in(text: str) -> dict[str, str]:
    """Return the titles of the documents that list items of a text link to, by name."""
    return {name: title for title, name in _LIST_ITEM.findall(text)}


@lru_cache(maxsize=1)
def read_doors() -> dict[str, dict[str, str]]:
    """Return the doors of the index: of each the titles of its documents, by name."""
    _intro, *sections = (_DOCS / "README.md").read_text(encoding="utf-8").split("\n## ")
    doors = {}
    for section in sections:
        heading, _newline, items = section.partition("\n")
        doors[heading] = _titles_in(items)
    return doors


@lru_cache(maxsize=1)
def read_order() -> dict[str, str]:
    """Return the titles of all documents, by name: those of the index, then the records."""
    order = {}
    for titles in read_doors().values():
        order.update(titles)
    records = (_DOCS / RECORDS / "README.md").read_text(encoding="utf-8").replace("`", "")
    for name, title in _titles_in(records).items():
        order[f"{RECORDS}/{name}"] = title
    return order


@require_safe
@public
def document(request: HttpRequest, name: str = "") -> HttpResponse:
    """Show a document, or the index; it reads nothing from DynamoDB."""
    shown = find_document(name)
    previous, following = _neighbours(name)
    breadcrumbs = []
    if name:
        breadcrumbs.append({"url": reverse("documentation"), "name": _("Documentation")})
    # The records are listed together, as one document of the index.
    listed_name = RECORDS if name.startswith(f"{RECORDS}/") else name
    context = {
        "document": shown,
        "html": shown.html if name else _with_door_titles(shown.html),
        "trail": breadcrumbs,
        "doors": [(DOORS[door], titles) for door, titles in read_doors().items()],
        "listed_name": listed_name,
        "previous": previous,
        "next": following,
    }
    return render(request, "document.html", context)


def _with_door_titles(html: str) -> SafeString:
    """Return the HTML of the index, its headings in the visitor's language."""
    language = get_language() or "en"
    for door, title in DOORS.items():
        heading = format_html('<h2 id="{}" lang="{}">{}</h2>', slugify(door), language, title)
        html = html.replace(f'<h2 id="{slugify(door)}">{door}</h2>', heading)
    return SafeString(html)


def _neighbours(name: str) -> tuple[tuple[str, str] | None, tuple[str, str] | None]:
    """Return the documents before and behind one, each as its name and title; None for none."""
    order = list(read_order().items())
    names = [each for each, _title in order]
    if name not in names:
        return None, None
    number = names.index(name)
    previous = order[number - 1] if number > 0 else None
    following = order[number + 1] if number + 1 < len(order) else None
    return previous, following
