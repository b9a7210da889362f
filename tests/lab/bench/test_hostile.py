"""``bench grid --hostile``, on a little data: every page is right, and none is dear."""

import pytest

from dynapages.django.options import Progress
from dynapages.engine.server import find_dynoxide
from lab.bench.hostile import PRODUCTS, hostile_section, measure_hostile_lists
from lab.reports.results import Results
from tests.support.project import PROJECT

pytestmark = [pytest.mark.real_engine, pytest.mark.slow, pytest.mark.long]


def test_the_dearest_page_costs_no_more_than_is_promised(tmp_path, settings):
    if find_dynoxide(PROJECT) is None:
        pytest.skip("dynoxide is not installed")
    settings.VAR_DIR = tmp_path
    silent = Progress(shown=False)
    pages = 40 * PRODUCTS
    found = measure_hostile_lists(count=1_500, pages=pages, fresh=True, progress=silent)
    section = hostile_section(Results(found))
    assert section.holds, section.text()
