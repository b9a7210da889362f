import pytest

from dynapages.calls.meter import dollars, prices


class TestPrices:
    def test_are_of_a_million_pages_of_so_many_units(self):
        assert prices().reads(2.0) == pytest.approx(0.25)
        assert prices().writes(8.0) == pytest.approx(5.0)


@pytest.mark.parametrize(
    ("amount", "spelled"),
    [(0, "$0.00"), (0.004, "under $0.01"), (0.0625, "$0.06"), (0.625, "$0.63"), (9.99, "$9.99"),
     (12.3, "$12"), (1_250.0, "$1,250")],
)  # fmt: skip
def test_an_amount_has_cents_only_where_they_matter(amount, spelled):
    assert dollars(amount) == spelled
