"""``bench imports``: what it measures is an import of the whole file."""

import pytest

from dynapages.django.options import Progress
from lab.bench import imports
from lab.bench.imports import Variant, measure_imports

ROWS = 600


@pytest.mark.slow
@pytest.mark.real_engine
def test_an_import_in_parts_stores_as_much_as_a_whole_one(monkeypatch):
    variants = (Variant(has_search=True, parts=1), Variant(has_search=True, parts=2))
    monkeypatch.setattr(imports, "VARIANTS", variants)
    monkeypatch.setattr(imports, "PRODUCTS", 5)
    section = measure_imports(ROWS, Progress(shown=False))
    assert section.holds
    whole, in_parts = section.tables[0].rows
    assert (whole[0], in_parts[0]) == ("with search", "with search, 2 parts")
    # Units differ: parts that begin at the same moment meet at the counts of few products.
    assert float(str(in_parts[5])) == pytest.approx(float(str(whole[5])), rel=0.2)
