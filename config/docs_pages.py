"""Documents of the folder ``docs`` as pages, and their index.

A document's name is its path without ``.md``: ``how-it-works`` or ``designs/filters``; that of a
folder is its ``README.md``. ``docs/README.md``, whose name is empty, is the index: its headings are
the doors, the links that begin its list items the documents behind them, in the order of reading.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path, PurePosixPath

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from markdown_it.token import Token

from config.docs_markup import NAME, render_document
from dynapages.django.access import public

RECORDS = "adr"
"""The document that lists the decision records, each a document of its own."""
_DOCS = settings.BASE_DIR / "docs"
_LISTED = re.compile(r"^(?:-|\d+\.) \[(.+?)\]\(([^)]+?)(?:/README)?\.md\)", re.MULTILINE)


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
    candidates = (_DOCS / f"{name}.md", _DOCS / name / "README.md")
    path = next(filter(Path.exists, candidates), None) if NAME.fullmatch(name) else None
    if path is None:
        raise Http404(_("There is no such page in the documentation."))
    folder = PurePosixPath(path.parent.relative_to(_DOCS))
    return Document(name, *render_document(path.read_text(encoding="utf-8"), folder))


@lru_cache(maxsize=1)
def read_doors() -> dict[str, dict[str, str]]:
    """Return the doors of the index: of each the titles of its documents, by name."""
    _intro, *doors = (_DOCS / "README.md").read_text(encoding="utf-8").split("\n## ")
    return {
        door.partition("\n")[0]: {name: title for title, name in _LISTED.findall(door)}
        for door in doors
    }


@lru_cache(maxsize=1)
def read_order() -> dict[str, str]:
    """Return the titles of all documents, by name: those of the index, then the records."""
    order = {name: title for titles in read_doors().values() for name, title in titles.items()}
    records = (_DOCS / RECORDS / "README.md").read_text(encoding="utf-8").replace("`", "")
    return order | {f"{RECORDS}/{name}": title for title, name in _LISTED.findall(records)}


@require_safe
@public
def document(request: HttpRequest, name: str = "") -> HttpResponse:
    """Show a document, or the index; it reads nothing from DynamoDB."""
    found = find_document(name)
    order = [*read_order().items()]
    index = {"url": reverse("documentation"), "name": _("Documentation")}
    context = {
        "document": found,
        "trail": [index] if name else [],
        "doors": read_doors(),
        "listed": RECORDS if name.startswith(f"{RECORDS}/") else name,
        "previous": next((one for one, (other, _title) in pairwise(order) if other == name), None),
        "next": next((one for (other, _title), one in pairwise(order) if other == name), None),
    }
    return render(request, "document.html", context)
