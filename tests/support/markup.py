"""What a page says, read from its HTML: elements by their attributes, with their text."""

from dataclasses import dataclass, field
from functools import cached_property
from html.parser import HTMLParser
from typing import Literal

VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"}
)


@dataclass(eq=False)
class Element:
    """An element; ``text`` is all text within it, white space squeezed."""

    tag: str
    attributes: dict[str, str]
    children: list["Element | str"] = field(default_factory=list)

    def __getitem__(self, name: str) -> str:
        return self.attributes[name]

    def get(self, name: str) -> str | None:
        return self.attributes.get(name)

    @property
    def elements(self) -> list["Element"]:
        """Its own children, without the text between them."""
        return [child for child in self.children if isinstance(child, Element)]

    @property
    def text(self) -> str:
        pieces = (child if isinstance(child, str) else child.text for child in self.children)
        return " ".join(" ".join(pieces).split())

    def all(self, tag: str | None = None, **wanted: str | Literal[True]) -> list["Element"]:
        """The elements within it of this tag and these attributes, in order.

        ``data_rating="5"`` asks for an attribute ``data-rating`` of that value, ``True`` for any
        value; a class must be among those the element has.
        """
        return [e for e in self._within if e._fits(tag, wanted)]

    def one(self, tag: str | None = None, **wanted: str | Literal[True]) -> "Element":
        """The only such element."""
        found = self.all(tag, **wanted)
        assert len(found) == 1, f"{len(found)} of {tag} {wanted}"
        return found[0]

    def _fits(self, tag: str | None, wanted: dict[str, str | Literal[True]]) -> bool:
        return tag in {None, self.tag} and all(
            self._has(name.rstrip("_").replace("_", "-"), value) for name, value in wanted.items()
        )

    def _has(self, name: str, value: str | Literal[True]) -> bool:
        actual = self.attributes.get(name)
        if actual is None or value is True:
            return actual is not None
        return value in actual.split() if name in {"class", "rel"} else actual == value

    @cached_property
    def _within(self) -> list["Element"]:
        found = []
        for child in self.elements:
            found += [child, *child._within]
        return found


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open = [Element("", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def read_markup(html: str) -> Element:
    """Read a page or a fragment; every element that is opened must be closed, in order."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    assert len(reader.open) == 1, f"<{reader.open[-1].tag}> is never closed"
    return reader.open[0]
