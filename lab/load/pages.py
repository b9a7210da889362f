"""What people of a load test find on a page: links, the hidden fields of forms, months."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html.parser import HTMLParser


@dataclass(slots=True)
class Form:
    """A form: where it is sent to, and its hidden fields."""

    action: str
    fields: dict[str, str] = field(default_factory=dict)


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[tuple[str, str]] = []
        self.forms: list[Form] = []
        self.options: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        name, value = given.get("name", ""), given.get("value", "")
        if tag == "a":
            self.links.append((given.get("rel", ""), given.get("href", "")))
        elif tag == "form":
            self.forms.append(Form(given.get("action", "")))
        elif tag == "option":
            self.options.append(value)
        elif tag == "input" and given.get("type") == "hidden" and self.forms:
            self.forms[-1].fields[name] = value


@dataclass(frozen=True)
class Page:
    """A page, or the part of one that htmx asks for."""

    status: int
    text: str
    headers: Mapping[str, str]

    def links(self, pattern: str, *, rel: str | None = None) -> list[str]:
        """Return the paths of links that match from their beginning, without their fragments."""
        found = (href.partition("#")[0] for its, href in self._parsed.links if rel in {None, its})
        return [path for path in found if re.match(pattern, path)]

    def forms(self, pattern: str) -> list[Form]:
        """Return the forms whose action matches from its beginning."""
        return [form for form in self._parsed.forms if re.match(pattern, form.action)]

    def months(self) -> list[str]:
        """Return the months that the list can jump to, such as ``2026-03``."""
        return [value for value in self._parsed.options if re.fullmatch(r"\d{4}-\d\d", value)]

    def headline(self) -> Iterator[str]:
        """Yield the first words that tell what the page is, for a report of what went wrong."""
        yield from re.findall(r"<(?:title|h1)[^>]*>\s*([^<]*?)\s*<", self.text)[:2]

    @cached_property
    def _parsed(self) -> _Parser:
        parser = _Parser()
        parser.feed(self.text)
        return parser
