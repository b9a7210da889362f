"""Markdown to HTML for the site: its addresses, a link to each heading, and tables that fit."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path, PurePosixPath
from posixpath import normpath

from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString
from django.utils.text import slugify
from markdown_it import MarkdownIt
from markdown_it.token import Token

NAME = re.compile(r"([a-z0-9-]+(/[a-z0-9-]+)?)?")
ALIGNED_RIGHT = "text-align:right"
"""How Markdown's parser marks the cells of a column of numbers."""
MOST_OF_CELL, MOST_OF_ROW = 20, 52
"""Characters of a cell that need not wrap on a phone, and of a row that need not be stacked."""
ROLES = {"thead": "rowgroup", "tbody": "rowgroup", "tr": "row", "th": "columnheader", "td": "cell"}
"""What parts of a table are; some browsers forget it when they are no boxes of a table."""
_PROJECT = Path(__file__).parent.parent
_LENGTH = re.compile(r' (width|height)="(\d+)"')
_SCHEME = re.compile(r"[a-z]+:")
_MAY_BREAK = re.compile(r"(?<=[/#_.,:=-])(?=\w)|(?<=\w{24})(?=\w)")
"""Where a line may end in code: behind what joins words, and anywhere in long ones."""


def render_document(text: str, folder: PurePosixPath) -> tuple[str, list[Token], SafeString]:
    """Return the title, the other headings, and the rest as HTML; links are from the folder."""
    parser = MarkdownIt().enable("table")
    # A document begins with its title, a heading of three tokens.
    _opening, title, _closing, *tokens = parser.parse(text)
    for table in _tables_in(tokens):
        _fit_table(table)
    html = parser.renderer.render(list(_adapted(tokens, folder)), parser.options, {})
    headings = [token for token in tokens if token.type == "heading_open"]
    return title.content, headings, SafeString(html)


def _tables_in(tokens: list[Token]) -> Iterator[list[Token]]:
    """Yield the tokens of each table, without the one that closes it."""
    start = 0
    for number, token in enumerate(tokens):
        if token.type == "table_open":
            start = number
        elif token.type == "table_close":
            yield tokens[start:number]


def _text(content: Token) -> str:
    """Return the text of an inline token, without its marks and anchors."""
    children = content.children or ()
    return "".join(child.content for child in children if child.type != "html_inline")


def _fit_table(table: list[Token]) -> None:
    """Mark headers, let code in cells break, and label the cells of rows that are stacked."""
    table[0].attrSet("class", "ledger")
    cells, texts = [], []
    columns = 0
    for cell, content, closing in zip(table, table[1:], table[2:], strict=False):
        if cell.type not in {"th_open", "td_open"}:
            continue
        text = _text(content)
        cells.append(cell)
        texts.append(text)
        if cell.type == "th_open":
            columns += 1
        if cell.tag == "th" and text:
            cell.attrSet("scope", "col")
        else:  # an empty one heads nothing
            cell.tag = closing.tag = "td"
        _let_code_break(content)
    if _row_width(texts, columns) > MOST_OF_ROW:
        for token in table:
            if token.nesting == 1:
                token.attrSet("role", ROLES.get(token.tag, token.tag))
        for number, cell in enumerate(cells[columns:]):
            cell.attrSet("data-label", texts[number % columns])


def _let_code_break(content: Token) -> None:
    """Put marks into the code of a cell, where its line may end."""
    for code in content.children or ():
        if code.type == "code_inline":
            parts = [escape(part) for part in _MAY_BREAK.split(code.content)]
            code.type = "html_inline"
            code.content = f"<code>{'<wbr>'.join(parts)}</code>"


def _row_width(texts: list[str], columns: int) -> int:
    """Return the width of a table's rows in characters, its long cells wrapped.

    ``texts`` are those of all cells, row by row.
    """
    width = 0
    for column in range(columns):
        longest = max(len(text) for text in texts[column::columns])
        width += min(longest, MOST_OF_CELL) + 2
    return width


def _adapted(tokens: list[Token], folder: PurePosixPath) -> Iterator[Token]:
    """Yield tokens with addresses and classes of the site, and a link to each heading."""
    slugs: Counter[str] = Counter()
    for token, following in zip(tokens, [*tokens[1:], tokens[-1]], strict=True):
        if token.type == "html_block":  # marks of what commands write
            continue
        if token.attrs.pop("style", "") == ALIGNED_RIGHT:  # no policy of ours lets a style in
            token.attrSet("class", "number")
        if token.type == "fence":
            token.type = "code_block"  # whose attributes are those of the element that scrolls
        if token.type == "code_block":
            token.attrSet("tabindex", "0")
        if token.type == "heading_open":
            text = _text(following)
            slug = slugify(text)
            slugs[slug] += 1
            name = slug if slugs[slug] == 1 else f"{slug}-{slugs[slug]}"
            token.content = text
            token.attrSet("id", name)
            yield Token("heading_row_open", "div", 1, {"class": "heading"})
        if token.children:
            token.children = list(_linked(token.children, folder))
        yield token
        if token.type == "heading_close":
            link = '<a class="heading-link" href="#{}" aria-label="Link to “{}”">#</a></div>'
            yield Token("html_block", "", 0, content=format_html(link, name, text))


def _linked(children: list[Token], folder: PurePosixPath) -> Iterator[Token]:
    """Yield tokens with addresses of the site, without the links that lead to none of its pages."""
    open_links: list[bool] = []
    for child in children:
        if child.type == "image":
            path = normpath("docs" / folder / str(child.attrGet("src")))
            child.attrSet("src", static(path))
            # A picture whose place is kept moves nothing when it comes.
            for name, length in _size_of(path):
                child.attrSet(name, length)
        if child.type == "link_open":
            address = _address(str(child.attrGet("href")), folder)
            open_links.append(bool(address))
            if not address:
                continue
            child.attrSet("href", address)
        if child.type == "link_close" and not open_links.pop():
            continue
        yield child


@lru_cache
def _size_of(path: str) -> tuple[tuple[str, str], ...]:
    """Return width and height of a drawing in pixels, as attributes; none of other pictures."""
    drawing = _PROJECT / path
    if drawing.suffix != ".svg" or not drawing.is_file():
        return ()
    root = drawing.read_text(encoding="utf-8").partition(">")[0]
    return tuple(_LENGTH.findall(root))


def _address(href: str, folder: PurePosixPath) -> str:
    """Return where a link leads on the site; empty for what the site does not show."""
    if href.startswith("#") or _SCHEME.match(href):
        return href
    path, _, anchor = href.partition("#")
    target = normpath(folder / path)
    if target == "README.md":
        return reverse("documentation")
    name = target.removesuffix(".md").removesuffix("/README")
    if target == name or not NAME.fullmatch(name):
        return ""
    address = reverse("document", args=[name])
    if anchor:
        address += f"#{anchor}"
    return address
