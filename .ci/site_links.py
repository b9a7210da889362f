"""Reads a built site: links to its pages lead somewhere, and no page loads from elsewhere.

``.ci/docs`` runs it: ``python .ci/site_links.py FOLDER``. It prints what is wrong, and ends with 1.
"""

import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

ROOT = Path(__file__).resolve().parents[1]
LOADED = {"audio", "embed", "iframe", "img", "script", "source", "video"}
"""Elements whose ``src`` a browser loads without being asked."""
LOADED_RELATIONS = {"icon", "manifest", "modulepreload", "preload", "stylesheet"}
"""Kinds of ``<link>`` that a browser loads."""
MARKDOWN_LINK = re.compile(r"\]\((\S+?)\)")


class Page(HTMLParser):
    """What a page links to and loads, its anchors, and what it says of itself."""

    def __init__(self) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.loaded: set[str] = set()
        self.anchors: set[str] = {"", "top"}
        self.description = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.anchors.add(found.get("id", ""))
        if tag == "meta" and found.get("name") == "description":
            self.description = found["content"]
        if tag in LOADED and "src" in found:
            self.loaded.add(found["src"])
        elif tag == "link" and LOADED_RELATIONS.intersection(found.get("rel", "").split()):
            self.loaded.add(found["href"])
        elif "href" in found:
            self.links.add(found["href"])


@cache
def read_page(path: Path) -> Page:
    """Return what a page of HTML has."""
    page = Page()
    page.feed(path.read_text())
    return page


class Site:
    """The files of a built site, and the address that it has been built for."""

    def __init__(self, folder: Path, address: str) -> None:
        self.folder = folder
        self.address = address

    def address_of(self, path: Path) -> str:
        return urljoin(self.address, path.relative_to(self.folder).as_posix())

    def faults(self) -> Iterator[str]:
        """Yield a sentence for each thing that is wrong."""
        for path in sorted(self.folder.rglob("*.html")):
            page = read_page(path)
            name = path.relative_to(self.folder)
            for target in sorted(page.loaded):
                if not urljoin(self.address_of(path), target).startswith((self.address, "data:")):
                    yield f"{name} loads {target} from elsewhere."
            for target in sorted(page.links | page.loaded):
                yield from self.faults_of(path, target)
            is_generated = name.as_posix() in {"404.html", "search.html"}
            if not page.description and not is_generated:
                yield f"{name} has no description."
        for path in (self.folder / "llms.txt", self.folder / "llms-full.txt"):
            for target in sorted(set(MARKDOWN_LINK.findall(path.read_text()))):
                yield from self.faults_of(path, urldefrag(target).url)

    def faults_of(self, path: Path, target: str) -> Iterator[str]:
        """Yield a sentence if a link of a file is one to this site, and leads nowhere."""
        address, anchor = urldefrag(urljoin(self.address_of(path), target))
        if not address.startswith(self.address):
            return
        name = path.relative_to(self.folder)
        inner = unquote(urlsplit(address).path).removeprefix(urlsplit(self.address).path)
        found = self.folder / (inner or "index.html")
        if not found.is_file():
            yield f"{name} links to {target}, which is not there."
        elif found.suffix == ".html" and unquote(anchor) not in read_page(found).anchors:
            yield f"{name} links to {target}: the page has no such anchor."


def main() -> int:
    """Print what is wrong with the site in a folder."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    site = Site(Path(sys.argv[1]).resolve(), project["urls"]["Documentation"])
    faults = list(site.faults())
    print("\n".join(faults) or "All links within the site lead somewhere.")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
