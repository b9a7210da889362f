"""The table ``shop`` and its indexes for docs/orders.md, drawn with the keys of sample rows."""

from collections.abc import Sequence

from config.docs_tables import load_models, markdown_table
from config.infrastructure.sample_rows import rows_of, sample_rows, sample_schemas
from dynapages.items import Item

LONGEST_CELL = 74
TABLE_KEY = ("pk", "sk")


def shop_table() -> str:
    """Return the table ``shop`` and its indexes, with the keys of the sample rows."""
    load_models()
    schema = sample_schemas()["shop"]
    rows = rows_of(sample_rows()["shop"])
    sections = [_rows_by_key("The table", schema.key, rows, note="Every item.")]
    indexes = [("LSI", index) for index in schema.local_indexes]
    indexes += [("GSI", index) for index in schema.global_indexes]
    for kind, index in indexes:
        projected = ", ".join(f"`{name}`" for name in index["Projection"]["NonKeyAttributes"])
        title = f"`{index['IndexName']}`"
        note = f"{kind}. Besides its keys it holds {projected}."
        sections.append(_rows_by_key(title, index["KeySchema"], rows, note=note))
    return "\n" + "\n".join(sections)


def _rows_by_key(
    title: str, key: Sequence[dict[str, str]], rows: Sequence[Item], *, note: str
) -> str:
    """Return a section of Markdown about a table or an index: its keys in each of the rows."""
    names = [part["AttributeName"] for part in key]
    if names == ["sk", "pk"]:
        return f"### {title}\n\n{note} Every item of the table, by `sk`, then by `pk`.\n"
    roles = dict(zip(names, ("partition key", "sort key"), strict=True))
    shown = names + [name for name in TABLE_KEY if name not in names]
    titles = tuple(f"`{name}` ({roles.get(name, 'table key')})" for name in shown)
    lines = []
    for row in rows:
        # An index has only the items with both attributes of its key.
        if all(name in row for name in names):
            lines.append([row[name]["S"] for name in shown])
    cells = []
    for line in sorted(lines):
        cells.append(tuple(_cell(text) for text in line))
    return f"### {title}\n\n{note}\n{markdown_table(titles, cells)}"


def _cell(text: str) -> str:
    if len(text) > LONGEST_CELL:
        text = text[:LONGEST_CELL] + "…"
    return f"`{text}`"
