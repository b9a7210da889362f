"""The lists of rejected rows of all imports: which row it is can be seen, also by a number."""

import json

import pytest

from tests.support.importing import rejected_in, run_import

pytestmark = pytest.mark.usefixtures("tables")

COMMENT = {"id": 900, "product_id": 4, "rating": 17, "created_at": "2024-01-01", "language": "en"}
ORDER = {
    "order_id": 1035,
    "customer": "ann",
    "placed_at": "2024-01-01",
    "status": "LOST",
    "currency": "EUR",
    "product_id": 4,
    "quantity": 1,
    "unit_price": 5,
}
PRODUCT = {"id": 77, "name": "Lamp", "price": "dear", "currency": "EUR"}


@pytest.mark.parametrize(
    ("command", "row", "shown"),
    [
        ("import_comments", COMMENT, "900"),
        ("import_orders", ORDER, "1035"),
        ("import_products", PRODUCT, "77"),
    ],
)
def test_an_id_that_is_a_number_of_json_is_shown(tmp_path, command, row, shown):
    path, rejects = tmp_path / "rows.jsonl", tmp_path / "rejected.csv"
    path.write_text(json.dumps(row))
    run_import(command, path, rejects=rejects)
    assert [rejected["id"] for rejected in rejected_in(rejects)] == [shown]


@pytest.mark.parametrize("found", [["a"], True])
@pytest.mark.parametrize(
    ("command", "row", "field"),
    [
        ("import_comments", COMMENT, "id"),
        ("import_orders", ORDER, "order_id"),
        ("import_products", PRODUCT, "id"),
    ],
)
def test_an_id_that_is_no_text_and_no_number_is_not(tmp_path, command, row, field, found):
    path, rejects = tmp_path / "rows.jsonl", tmp_path / "rejected.csv"
    path.write_text(json.dumps(row | {field: found}))
    run_import(command, path, rejects=rejects)
    assert [rejected["id"] for rejected in rejected_in(rejects)] == [""]
