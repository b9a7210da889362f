"""Documents of the folder ``docs``, rendered from Markdown.

A document's name is its path without ``.md``: ``how-it-works`` or ``designs/filters``; that of a
folder is its ``README.md``.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from posixpath import normpath

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

from dynapages.django.access import public

STATIC_PREFIX = "docs"
"""The folder of static files that has the documents' pictures."""
_NAME = re.compile(r"[a-z0-9-]+(/[a-z0-9-]+)?")
_SCHEME = re.compile(r"[a-z]+:")
ALIGNED_RIGHT = "text-align:right"
"""How Markdown's parser marks the cells of a column of numbers."""


class NoSuchDocument(LookupError):
    """There is no document of this name."""


@dataclass(frozen=True, slots=True)
class Document:
    """A document's title, and its HTML without the heading of it."""

    name: str
    title: str
    html: SafeString


@lru_cache(maxsize=128)
def find_document(name: str) -> Document:
    """Return a document. Raises NoSuchDocument."""
    folder = settings.BASE_DIR / "docs"
    candidates = (folder / f"{name}.md", folder / name / "README.md")
    path = next(filter(Path.exists, candidates), None) if _NAME.fullmatch(name) else None
    if path is None:
        raise NoSuchDocument(name)
    parser = MarkdownIt().enable("table")
    _opening, title, _closing, *tokens = parser.parse(path.read_text(encoding="utf-8"))
    here = PurePosixPath(path.relative_to(folder).as_posix()).parent
    html = parser.renderer.render(list(_adapted(tokens, here)), parser.options, {})
    return Document(name, title.content, SafeString(html))


def _adapted(tokens: list[Token], here: PurePosixPath) -> Iterator[Token]:
    """Yield tokens with addresses of the site, and with an id for each heading."""
    for number, token in enumerate(tokens):
        if token.type == "html_block":  # marks of what commands write
            continue
        if token.type == "heading_open":
            token.attrSet("id", slugify(tokens[number + 1].content))
        if token.type == "th_open" and not tokens[number + 1].content:
            token.tag = tokens[number + 2].tag = "td"  # heads nothing
        elif token.type == "th_open":
            token.attrSet("scope", "col")
        if token.attrs.pop("style", "") == ALIGNED_RIGHT:  # no policy of ours lets a style in
            token.attrSet("class", "number")
        for child in token.children or ():
            if child.type == "image":
                child.attrSet("src", _picture(str(child.attrGet("src")), here))
        if token.children:
            token.children = list(_linked(token.children, here))
        yield from _scrollable(token)


def _scrollable(token: Token) -> Iterator[Token]:
    """Yield a table within an element that scrolls; it, and code, take the focus of a keyboard."""
    if token.type == "fence":
        token.type = "code_block"  # whose attributes are those of the element that scrolls
    if token.type == "code_block":
        token.attrSet("tabindex", "0")
    if token.type == "table_open":
        token.attrSet("class", "ledger")
        yield Token("scroller_open", "div", 1, {"class": "scroller", "tabindex": "0"})
    yield token
    if token.type == "table_close":
        yield Token("scroller_close", "div", -1)


def _linked(children: list[Token], here: PurePosixPath) -> Iterator[Token]:
    """Yield tokens without the links that lead to no page of the site."""
    open_links: list[bool] = []
    for child in children:
        if child.type == "link_open":
            address = _address(str(child.attrGet("href")), here)
            open_links.append(bool(address))
            if not address:
                continue
            child.attrSet("href", address)
        if child.type == "link_close" and not open_links.pop():
            continue
        yield child


def _address(href: str, here: PurePosixPath) -> str:
    """Return where a link leads on the site; empty for what the site does not show."""
    if href.startswith("#") or _SCHEME.match(href):
        return href
    path, _, anchor = href.partition("#")
    target = normpath(here / path)
    name = target.removesuffix(".md").removesuffix("/README")
    if target == name or not _NAME.fullmatch(name):
        return ""
    return reverse("document", args=[name]) + (f"#{anchor}" if anchor else "")


def _picture(src: str, here: PurePosixPath) -> str:
    return static(f"{STATIC_PREFIX}/{normpath(here / src)}")


@require_safe
@public
def document(request: HttpRequest, name: str) -> HttpResponse:
    """Show a document; it reads nothing from DynamoDB."""
    try:
        found = find_document(name)
    except NoSuchDocument as error:
        raise Http404(_("There is no such page in the documentation.")) from error
    return render(request, "document.html", {"document": found})
