"""What a page is about, for search engines and for ``llms.txt``: its first paragraph."""

from docutils import nodes
from sphinx.application import Sphinx

LONGEST = 200
"""Characters of a description; search engines show about as many."""


def description_of(page: nodes.document) -> str:
    """Return the beginning of a page's first paragraph, or nothing where it has none."""
    for paragraph in page.findall(nodes.paragraph):
        text = " ".join(paragraph.astext().split())
        if len(text) <= LONGEST:
            return text
        return text[:LONGEST].rpartition(" ")[0] + " …"
    return ""


def describe(app: Sphinx, page: nodes.document) -> None:
    """Set the description of a page, from where Sphinx takes it into the head of the HTML."""
    text = description_of(page)
    if app.env.docname == app.config.root_doc:
        text = app.config.llms_txt_description
    page.insert(0, nodes.meta("", name="description", content=text))


def setup(app: Sphinx) -> dict[str, bool]:
    """Describe each page that is read."""
    app.connect("doctree-read", describe)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
