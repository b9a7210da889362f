"""Documents as the site renders them: headings, tables, code in them, and addresses."""

from pathlib import PurePosixPath

from config.docs_markup import render_document
from tests.support.markup import Element, read_markup

TITLE = "# Title\n\n"
LONG = "a sentence that is longer than a column on a phone is"
FIGURES = "| list | page | units |\n|---|--:|--:|\n| all | 1 | 2.5 |\n"
SENTENCES = f"| why | `how` | |\n|---|---|---|\n| {LONG} | {LONG} | {LONG} |\n"


def rendered(text: str, folder: str = ".") -> Element:
    _, _, html = render_document(TITLE + text, PurePosixPath(folder))
    return read_markup(html)


class TestHeadings:
    def test_have_ids_of_their_own_when_they_are_equal(self):
        _, headings, html = render_document(
            f"{TITLE}## Keys\n\n### `pk` and sk\n\n## Keys\n\n## Keys\n", PurePosixPath()
        )
        named = [(one.tag, one.attrs["id"], one.content) for one in headings]
        assert named == [
            ("h2", "keys", "Keys"),
            ("h3", "pk-and-sk", "pk and sk"),
            ("h2", "keys-2", "Keys"),
            ("h2", "keys-3", "Keys"),
        ]
        assert [(one.tag, one["id"], one.text) for one in read_markup(html).all(id=True)] == named

    def test_have_a_link_beside_them_that_says_where_it_leads(self):
        link = rendered("## The *last* page\n").one("a")
        assert (link["href"], link["aria-label"]) == ("#the-last-page", "Link to “The last page”")


class TestATable:
    def test_of_short_rows_stays_one_on_a_phone(self):
        table = rendered(FIGURES).one("table")
        assert table.get("role") is None
        assert table.all(data_label=True) == []

    def test_of_long_rows_has_a_label_for_each_cell(self):
        table = rendered(SENTENCES).one("table")
        cells = table.one("tbody").all("td")
        assert [cell["data-label"] for cell in cells] == ["why", "how", ""]

    def test_of_long_rows_is_still_told_of_as_a_table_when_it_is_stacked(self):
        table = rendered(SENTENCES).one("table")
        roles = [each["role"] for each in [table, *table.all(role=True)]]
        header = ["rowgroup", "row", "columnheader", "columnheader", "cell"]
        assert roles == ["table", *header, "rowgroup", "row", "cell", "cell", "cell"]

    def test_has_anchors_that_are_no_text_of_it(self):
        anchor = '<a id="some-place-that-is-far-away"></a>'
        table = rendered(f"| a | b | c |\n|---|---|---|\n| {anchor}x | {LONG} | {LONG} |\n").one(
            "table"
        )
        assert table.all("a", id="some-place-that-is-far-away")
        assert table.get("role") is None

    def test_may_break_code_behind_what_joins_words(self):
        code = "| a |\n|---|\n| `PK#<de>/1` |\n"
        _, _, html = render_document(TITLE + code, PurePosixPath())
        assert "<code>PK#&lt;de&gt;/<wbr>1</code>" in html

    def test_may_break_long_words_of_code_anywhere(self):
        code = rendered(f"| a |\n|---|\n| `{'0f' * 32}` |\n").one("code")
        assert code.all("wbr")
        assert code.text.replace(" ", "") == "0f" * 32


class TestALink:
    def test_leads_to_documents_and_the_index(self):
        text = "[a](../adr/README.md#b) [c](sets.md) [d](../README.md)"
        assert [link["href"] for link in rendered(text, "designs").all("a")] == [
            "/docs/adr/#b",
            "/docs/designs/sets/",
            "/docs/",
        ]

    def test_is_none_to_what_the_site_does_not_show(self):
        page = rendered("[the code](../config/urls.py) and [README](../README.md)")
        assert page.all("a") == []
        assert page.text == "the code and README"
