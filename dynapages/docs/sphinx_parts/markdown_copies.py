"""What the Markdown copies of pages, for programs that read, cannot show in the way of HTML."""

from docutils import nodes
from sphinx.application import Sphinx


def prepare(app: Sphinx, page: nodes.document, _name: str) -> None:
    """Make of signatures' stars plain text, and leave out what stands in the head of HTML."""
    if app.builder.format == "html":
        return
    for star in list(page.findall(nodes.abbreviation)):
        star.replace_self(nodes.Text(star.astext()))
    for description in list(page.findall(nodes.meta)):
        description.parent.remove(description)


def setup(app: Sphinx) -> dict[str, bool]:
    """Prepare each page, when its links are resolved."""
    app.connect("doctree-resolved", prepare)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
