"""The cheapest cover of a grid, compared with every other."""

from itertools import chain, combinations, product

from hypothesis import given
from hypothesis import strategies as st

from comments.indexes.planner import cheapest_cover

prices = st.integers(0, 6).map(float)
ROWS, COLUMNS = "abc", "xyz"


def price(rows, columns, cells, *, taken_rows, taken_columns) -> float:
    left = (
        price
        for (row, column), price in cells.items()
        if row not in taken_rows and column not in taken_columns
    )
    return sum(left) + sum(rows[r] for r in taken_rows) + sum(columns[c] for c in taken_columns)


def some(names: str):
    return chain.from_iterable(combinations(names, n) for n in range(len(names) + 1))


@given(
    rows=st.fixed_dictionaries(dict.fromkeys(ROWS, prices)),
    columns=st.fixed_dictionaries(dict.fromkeys(COLUMNS, prices)),
    cells=st.fixed_dictionaries(dict.fromkeys(product(ROWS, COLUMNS), prices)),
)
def test_no_cover_is_cheaper(rows, columns, cells):
    def of(taken_rows, taken_columns) -> float:
        return price(rows, columns, cells, taken_rows=taken_rows, taken_columns=taken_columns)

    assert of(*cheapest_cover(rows, columns, cells)) == min(
        of(*taken) for taken in product(some(ROWS), some(COLUMNS))
    )


def test_takes_cells_where_they_cost_the_same():
    cells = {("a", "x"): 1.0, ("a", "y"): 1.0}
    assert cheapest_cover({"a": 2.0}, {"x": 1.0, "y": 1.0}, cells) == ((), ())
