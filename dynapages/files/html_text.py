"""HTML in the texts of a file: whether a text is HTML, and what it says without its tags.

Texts of other systems are HTML or plain, and few files say which. So only what nobody writes by
chance counts as HTML: the tags of elements that HTML has, and character references that end with
a semicolon. All other signs stay as they are, as in “I <3 it”, “a < b > c” and “AT&T”. A parser
of pages would read these as broken tags, and leave them out.
"""

import re
from html import unescape
from html.entities import html5


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PARAGRAPHS = _names("blockquote dl h1 h2 h3 h4 h5 h6 hr ol p pre table ul")
"""Elements with an empty line before and behind them."""
_LINES = _names(
    "address article aside body button caption center dd details dialog dir div dt fieldset "
    "figcaption figure footer form head header hgroup html iframe legend li main menu nav "
    "noscript optgroup option section select summary tbody tfoot thead title tr video"
)
"""Elements that begin and end a line."""
_WITHIN_LINES = _names(
    "a abbr acronym area audio b base basefont bdi bdo big blink br canvas cite code col colgroup "
    "data datalist del dfn em embed font i img input ins kbd label link map mark marquee meta "
    "meter nobr object output param picture progress q rp rt ruby s samp small source span strike "
    "strong sub sup svg td template textarea th time track tt u var wbr"
)
_UNSEEN = frozenset(("script", "style"))
"""Elements whose contents are no text."""
_ELEMENTS = _PARAGRAPHS | _LINES | _WITHIN_LINES | _UNSEEN
_CELLS = frozenset(("td", "th"))
_BOOLEAN = re.compile(
    r"(?:\s++(?:allowfullscreen|async|autoplay|checked|compact|controls|defer|disabled|hidden|"
    r"itemscope|loop|multiple|muted|noshade|nowrap|open|playsinline|readonly|required|reversed|"
    r"selected))*+\s*+/?\s*+",
    re.IGNORECASE,
)
"""What may be behind the name of an element where no attribute has a value."""
_MARKUP = re.compile(
    r"""
    (?P<comment> <!-- )
    | (?P<declaration> <! (?: doctype\b | \[ ) [^<>]*+ > )
    | (?P<foreign> < /? (?: o | v | w | m | st1 ) : [a-z0-9]++ [^<>]*+ > )
    | < (?P<end> /? ) (?P<name> [a-z][a-z0-9]*+ ) (?= [\s/>] )
      (?P<rest> (?: "[^"<]*+" | '[^'<]*+' | [^"'<>] )*+ (?= > ) | [^<>]*+ ) >
    | (?P<reference> & (?: \#[0-9]{1,7} | \#x[0-9a-f]{1,6} | [a-z][a-z0-9]{1,31} ) ; )
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""What may be markup. Of a tag nothing goes beyond the next “<”: so each sign is read at most a
few times, whatever a text is made of."""
_WHITE_SPACE = re.compile(r"[ \t\r\n\f]+")
_END_OF = {
    "<!--": re.compile("-->"),
    "script": re.compile(r"</script[^<>]*+>", re.IGNORECASE),
    "style": re.compile(r"</style[^<>]*+>", re.IGNORECASE),
}
_EMPTY_LINES = re.compile(r"\n{3,}")
_PARAGRAPH = 2
_LINE = 1


def has_html(text: str) -> bool:
    """Return whether a text has a tag of HTML, or a character reference such as ``&amp;``."""
    # Most texts have no such sign at all.
    if "<" not in text and "&" not in text:
        return False
    return any(_is_html(found) for found in _MARKUP.finditer(text))


def text_of_html(html: str) -> str:
    """Return the text of HTML, with an empty line between paragraphs.

    Rows of tables and items of lists have a line each. Breaks between lines that are no tags are
    kept only where the text has no tag that breaks lines: some systems keep them in texts with
    other tags. What is no markup, and a comment or script that is never closed, stays as text.
    """
    writer = _Writer(keeps_lines=not _has_breaks(html))
    ends = _Ends(html)
    position = 0
    for found in _MARKUP.finditer(html):
        # It may be within a comment or script that was passed.
        if found.start() < position or not _is_markup(found):
            continue
        after = ends.after(found)
        if after is None:
            continue
        writer.add_text(html[position : found.start()])
        position = after
        if found["reference"]:
            writer.add_text(unescape(found[0]))
        elif found["name"]:
            writer.add_tag(found["name"].lower(), is_end=bool(found["end"]))
    writer.add_text(html[position:])
    return writer.text()


def _is_html(found: re.Match[str]) -> bool:
    """Return whether it is a tag of HTML, or a character reference."""
    if found["reference"]:
        name = found["reference"][1:]
        return name.startswith("#") or name in html5
    if not found["name"] or found["name"].lower() not in _ELEMENTS:
        return False
    # What is within “a <b and c> d” are words, not attributes.
    return "=" in found["rest"] or _BOOLEAN.fullmatch(found["rest"]) is not None


def _is_markup(found: re.Match[str]) -> bool:
    """Return whether it is left out of HTML, or replaced: also what is not HTML by itself."""
    return bool(found["comment"] or found["declaration"] or found["foreign"]) or _is_html(found)


def _has_breaks(html: str) -> bool:
    """Return whether HTML has a tag that begins or ends a line."""
    return any(_breaks_line(found) and _is_html(found) for found in _MARKUP.finditer(html))


def _breaks_line(found: re.Match[str]) -> bool:
    name = (found["name"] or "").lower()
    return name == "br" or name in _PARAGRAPHS or name in _LINES


class _Ends:
    """Where comments and scripts end; an end that is not there is looked for once."""

    def __init__(self, html: str) -> None:
        self._html = html
        self._missing: set[str] = set()

    def after(self, found: re.Match[str]) -> int | None:
        """Return where the text goes on behind markup; None where what it begins never ends."""
        begun = found[0]
        if found["name"] and not found["end"]:
            begun = found["name"].lower()
        if begun not in _END_OF:
            return found.end()
        if begun in self._missing:
            return None
        end = _END_OF[begun].search(self._html, found.end())
        if end is None:
            self._missing.add(begun)
            return None
        return end.end()


class _Writer:
    """Puts a text together; breaks between lines are written once text follows them."""

    def __init__(self, *, keeps_lines: bool) -> None:
        self._keeps_lines = keeps_lines
        self._parts: list[str] = []
        self._breaks = 0
        self._open_pre = 0
        self._is_at_start = True

    def add_text(self, text: str) -> None:
        if not self._keeps_lines and not self._open_pre:
            text = _WHITE_SPACE.sub(" ", text)
            if self._is_at_start or self._breaks:
                text = text.lstrip(" ")
        if not text:
            return
        if not self._is_at_start:
            self._parts.append("\n" * self._breaks)
        self._breaks = 0
        self._parts.append(text)
        self._is_at_start = False

    def add_tag(self, name: str, *, is_end: bool) -> None:
        if name == "br":
            self._parts.append("\n" * (self._breaks + 1))
            self._breaks = 0
            self._is_at_start = True
        elif name in _PARAGRAPHS:
            self._breaks = max(self._breaks, _PARAGRAPH)
        elif name in _LINES:
            self._breaks = max(self._breaks, _LINE)
        elif name in _CELLS and is_end:
            self._parts.append(" ")
        if name == "pre":
            self._open_pre = max(0, self._open_pre + (-1 if is_end else 1))

    def text(self) -> str:
        """Return the text, without blanks at the ends of lines, and two empty lines nowhere."""
        text = "".join(self._parts)
        if not self._keeps_lines:
            lines = [line.rstrip() for line in text.split("\n")]
            text = _EMPTY_LINES.sub("\n\n", "\n".join(lines))
        return text.strip()
