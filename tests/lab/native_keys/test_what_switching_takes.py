"""The figures of decision 60, of what it saves and takes to switch to native keys."""

from datetime import UTC, datetime

from comments.items import NewComment
from lab.designs.comments import comment_item, load_sample
from lab.native_keys.byte_prices import IndexShape, price_of_write
from lab.native_keys.designs import Concatenated, KeyDesign, NativePartitions
from lab.native_keys.figures import find_published_keys
from lab.native_keys.lists import NATIVE_INDEXES, lists_of, questions_about
from lab.native_keys.overloaded import MOST_PROJECTED
from tests.support.lab.labs import NOW, PAGE_SIZE
from tests.support.project import PROJECT

DECISION = " ".join(
    (PROJECT / "docs" / "adr" / "0060-comments-stay-concatenated.md").read_text().split()
)
ITEM = comment_item(
    NewComment(
        id="100001",
        product_id="42",
        language="en",
        rating=5,
        created_at=datetime(2026, 11, 20, 9, 30, tzinfo=UTC),
    )
)
NEW_PRODUCT = "pr"
"""A name for the product alone, while ``a`` is still a key of the old indexes."""


def list_indexes(design: KeyDesign) -> list[IndexShape]:
    """The indexes of a product's lists, which change."""
    return [index for index in design.indexes if index.name in NATIVE_INDEXES.values()]


def projected(indexes: list[IndexShape]) -> int:
    return sum(len(index.projected) for index in indexes)


def test_the_saving_is_that_of_the_figures():
    concatenated, native, _ = find_published_keys().designs
    number = concatenated.stored.items
    before = round(concatenated.stored.billed / number)
    saved = before - round(native.stored.billed / number)
    assert f"{saved} bytes of {before:,} a comment" in DECISION


def test_four_new_indexes_beside_the_old_ones_name_too_many_attributes():
    today = projected(list(Concatenated.indexes))
    new = list_indexes(NativePartitions())
    both = today + projected(new)
    assert f"{today} attributes" in DECISION
    assert f"would make it {both}, and a table may have {MOST_PROJECTED}" in DECISION
    assert both > MOST_PROJECTED
    *others, largest = sorted(new, key=lambda index: len(index.projected))
    for index in others:
        assert today + len(index.projected) <= MOST_PROJECTED
    # The last one is made when an old one is deleted.
    assert today + len(largest.projected) == MOST_PROJECTED + 1


def test_the_steps_take_six_units_a_comment():
    with_product = {**ITEM, NEW_PRODUCT: {"S": "42"}}
    adding = price_of_write(ITEM, with_product, Concatenated.indexes).units
    new = list_indexes(NativePartitions())
    building = sum(index.entry_of(ITEM) is not None for index in new)
    without = {name: value for name, value in with_product.items() if name not in "alrb"}
    removing = price_of_write(with_product, without, []).units
    assert (adding, building, removing) == (1, 4, 1)
    assert "six write units" in DECISION


def test_links_to_pages_stay():
    comments = load_sample(60, now=NOW).of_product
    today, native = (lists_of(one, comments) for one in (Concatenated(), NativePartitions()))
    for question in questions_about(comments, size=PAGE_SIZE):
        for number in range(1, len(question.answer) + 1):
            assert native.position_of(question, number) == today.position_of(question, number)
