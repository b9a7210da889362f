"""The documentation of orders says what the code does."""

from pathlib import Path

from django.core.management import call_command

from shop.orders.access_patterns import PATTERNS, plan_for_queue
from shop.orders.filters import OrderFilter
from shop.table_picture import picture
from tests.support.project import PROJECT

DOC = PROJECT / "docs" / "orders.md"
BEGIN, END = "<!-- picture -->\n", "<!-- end of picture -->\n"


class TestThePictureOfTheTable:
    def test_is_what_the_code_draws(self) -> None:
        """If not: ``manage.py draw_table --write docs/orders.md``."""
        drawn = DOC.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
        assert drawn == picture()

    def test_is_written_by_its_command(self, tmp_path: Path) -> None:
        doc = tmp_path / "doc.md"
        doc.write_text(f"before\n{BEGIN}old\n{END}after\n", encoding="utf-8")
        call_command("draw_table", write=doc)
        assert doc.read_text(encoding="utf-8") == f"before\n{BEGIN}{picture()}{END}after\n"

    def test_shows_an_open_order_alone_in_the_sparse_indexes(self) -> None:
        sections = picture().split("### ")
        sparse = [s for s in sections if s.startswith(("`open_by_date`", "`queue`"))]
        rows = [line for s in sparse for line in s.splitlines() if line.startswith("| `")]
        assert len([row for row in rows if "ORDER#" in row]) == 2


class TestThePlans:
    def test_are_all_in_the_documentation(self) -> None:
        names = [pattern.name for pattern in PATTERNS] + [
            plan_for_queue(OrderFilter(), shards=1).name
        ]
        text = DOC.read_text(encoding="utf-8")
        assert all(f"`{name}`" in text for name in names)
