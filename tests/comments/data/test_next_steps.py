"""The last line of an import says what to do next."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

pytestmark = pytest.mark.usefixtures("tables")


@pytest.fixture
def file(tmp_path, fresh):
    """A file of one row; its product."""
    product = fresh("product")
    path = tmp_path / "comments.csv"
    path.write_text(
        f"id,product_id,language,rating,created_at\n{product}-1,{product},en,5,2024-01-01\n"
    )
    return path, product


def last_line(path: object, *options: str, **more: Any) -> str:
    out = StringIO()
    call_command("import_comments", str(path), *options, stdout=out, **more)
    return out.getvalue().strip().rpartition("\n")[2]


class TestTheLastLine:
    def test_leads_to_a_product_that_has_the_comments(self, file):
        path, product = file
        assert last_line(path) == f"Next: look at them, for example at /products/{product}/."
        assert last_line(path) == f"Next: look at them, for example at /products/{product}/."

    def test_of_a_trial_is_to_leave_that_out(self, file):
        path, _ = file
        assert last_line(path, dry_run=True) == "Next: run the same command without --dry-run."

    def test_of_a_part_names_the_other_parts(self, file):
        path, _ = file
        line = last_line(path, "--part", "1/3")
        assert line == "Next: import the other parts of 3, unless that is done."

    def test_is_to_correct_rows_that_were_rejected(self, file):
        path, _ = file
        with path.open("a") as rows:
            rows.write("x,y,en,9,2024-01-01\n")
        with pytest.raises(CommandError, match="Correct the rejected rows or add options, then"):
            last_line(path)
