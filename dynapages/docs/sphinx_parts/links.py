"""Links as the repository needs them, and as the site does.

A page links to files of the repository, such as ``../README.md`` or ``../examples/drf_viewset.py``.
On the site some of these are pages with other names; the others are shown by the repository.
"""

import re
from functools import partial
from pathlib import Path
from posixpath import normpath

from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[3]
LINK = re.compile(r"(?<!\\)\]\((?P<path>[\w./-]+)(?P<anchor>#[\w-]+)?\)")
INCLUDED = {"dynapages/README.md": "index.md", "dynapages/CHANGELOG.md": "changelog.md"}
"""Files that pages include, each with its page."""
PAGES = "dynapages/docs/"


def on_the_site(repository: str, folder: str, link: re.Match[str]) -> str:
    """Return a link of a file in this folder of the repository, as a link of a page of the site."""
    path = normpath(f"{folder}/{link['path']}")
    anchor = link["anchor"] or ""
    if path in INCLUDED:
        return f"](/{INCLUDED[path]}{anchor})"
    if path.startswith(PAGES) and path.endswith(".md"):
        return f"](/{path.removeprefix(PAGES)}{anchor})"
    if (ROOT / path).exists():
        return f"]({repository}/blob/main/{path}{anchor})"
    return link[0]


def rewrite_page(app: Sphinx, page: str, source: list[str]) -> None:
    """Rewrite the links of a page of Markdown."""
    if app.env.doc2path(page).suffix == ".md":
        repository = app.config.html_theme_options["source_repository"]
        source[0] = LINK.sub(partial(on_the_site, repository, PAGES), source[0])


def rewrite_included(app: Sphinx, path: Path, _page: str, source: list[str]) -> None:
    """Rewrite the links of a file that a page includes: it lies in the library's folder."""
    if f"dynapages/{path.name}" in INCLUDED:
        repository = app.config.html_theme_options["source_repository"]
        source[0] = LINK.sub(partial(on_the_site, repository, "dynapages"), source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Rewrite links whenever a page is read."""
    app.connect("source-read", rewrite_page)
    app.connect("include-read", rewrite_included)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
