"""Markdown to HTML for the site: its addresses, a link to each heading, and tables that fit."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, pairwise
from pathlib import PurePosixPath
from posixpath import normpath

from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString
from django.utils.text import slugify
from markdown_it import MarkdownIt
from markdown_it.token import Token

PICTURES = "docs"
"""The folder of static files that has the documents' pictures."""
NAME = re.compile(r"[a-z0-9-]+(/[a-z0-9-]+)?")
OPENAPI = "openapi.json"
ALIGNED_RIGHT = "text-align:right"
"""How Markdown's parser marks the cells of a column of numbers."""
WRAPS, MOST_ACROSS = 20, 52
"""Characters in which a column's cells can wrap, and all that a phone has for the columns of a row.

A table with longer rows is stacked there.
"""
ROLES = {
    "table": "table",
    "thead": "rowgroup",
    "tbody": "rowgroup",
    "tr": "row",
    "th": "columnheader",
    "td": "cell",
}
"""Roles of a table's elements, which some browsers forget when their ``display`` is another."""
_SCHEME = re.compile(r"[a-z]+:")
_MAY_BREAK = re.compile(r"(?<=[/#_.,:=-])(?=\w)|(?<=\w{24})(?=\w)")
"""Where a line may end within code: behind what joins words, and anywhere in long ones."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading below the title: its tag, its id in the page, and its text."""

    tag: str
    id: str
    text: str


def render_document(text: str, here: PurePosixPath) -> tuple[str, list[Heading], SafeString]:
    """Return a document's title, its other headings, and its HTML without the title.

    ``here`` is its folder below ``docs``, from which its links lead.
    """
    parser = MarkdownIt().enable("table")
    _opening, title, _closing, *tokens = parser.parse(text)
    headings = list(_set_ids(tokens))
    _fit_tables(tokens)
    html = parser.renderer.render(list(_adapted(tokens, here)), parser.options, {})
    return title.content, headings, SafeString(html)


def _set_ids(tokens: list[Token]) -> Iterator[Heading]:
    """Give each heading an id, which no other one of the page has, and yield it."""
    taken = set()
    for opening, content in pairwise(tokens):
        if opening.type == "heading_open":
            name = slugify(_text(content))
            names = (f"{name}-{number}" if number > 1 else name for number in count(1))
            unused = next(one for one in names if one not in taken)
            taken.add(unused)
            opening.attrSet("id", unused)
            yield Heading(opening.tag, unused, _text(content))


def _text(content: Token) -> str:
    """Return what an inline token says, without its marks."""
    return "".join(child.content for child in content.children or ())


def _fit_tables(tokens: list[Token]) -> None:
    """Set what tables need to be told of, and to fit into narrow windows."""
    begin = 0
    for number, token in enumerate(tokens):
        if token.type == "table_open":
            begin = number
        if token.type == "table_close":
            _fit_table(tokens[begin:number])


def _fit_table(table: list[Token]) -> None:
    """Mark headers, let code in cells break, and label cells where long rows are stacked."""
    table[0].attrSet("class", "ledger")
    texts, cells = [], []
    for number, cell in enumerate(table):
        if cell.type in {"th_open", "td_open"}:
            content, closing = table[number + 1 : number + 3]
            text = _text(content)
            if cell.tag == "th" and text:
                cell.attrSet("scope", "col")
            else:  # an empty one heads nothing
                cell.tag = closing.tag = "td"
            for code in content.children or ():
                if code.type == "code_inline":
                    parts = map(escape, _MAY_BREAK.split(code.content))
                    code.type, code.content = "html_inline", f"<code>{'<wbr>'.join(parts)}</code>"
            cells.append(cell)
            texts.append(text)
    columns = sum(cell.type == "th_open" for cell in cells)
    longest = (max(map(len, texts[column::columns])) for column in range(columns))
    if sum(min(length, WRAPS) + 2 for length in longest) > MOST_ACROSS:
        for token in table:
            if token.nesting == 1:
                token.attrSet("role", ROLES[token.tag])
        for number, cell in enumerate(cells[columns:]):
            cell.attrSet("data-label", texts[number % columns])


def _adapted(tokens: list[Token], here: PurePosixPath) -> Iterator[Token]:
    """Yield tokens with addresses and classes of the site, and with a link to each heading."""
    for number, token in enumerate(tokens):
        if token.type == "html_block":  # marks of what commands write
            continue
        if token.attrs.pop("style", "") == ALIGNED_RIGHT:  # no policy of ours lets a style in
            token.attrSet("class", "number")
        if token.type == "fence":
            token.type = "code_block"  # whose attributes are those of the element that scrolls
        if token.type == "code_block":
            token.attrSet("tabindex", "0")
        if token.children:
            token.children = list(_linked(token.children, here))
        if token.type == "heading_open":
            yield Token("heading_row_open", "div", 1, {"class": "heading"})
        yield token
        if token.type == "heading_close":
            link = '<a class="heading-link" href="#{}" aria-label="Link to “{}”">#</a></div>'
            html = format_html(link, tokens[number - 2].attrGet("id"), _text(tokens[number - 1]))
            yield Token("html_block", "", 0, content=html)


def _linked(children: list[Token], here: PurePosixPath) -> Iterator[Token]:
    """Yield tokens with addresses of the site, without the links that lead to none of its pages."""
    open_links: list[bool] = []
    for child in children:
        if child.type == "image":
            child.attrSet("src", static(f"{PICTURES}/{normpath(here / str(child.attrGet('src')))}"))
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
    if target == OPENAPI:
        return reverse("openapi")
    if target == "README.md":
        return reverse("documentation")
    name = target.removesuffix(".md").removesuffix("/README")
    if target == name or not NAME.fullmatch(name):
        return ""
    return reverse("document", args=[name]) + (f"#{anchor}" if anchor else "")
