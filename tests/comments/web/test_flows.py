"""Every write, sent once where nothing fails."""

import pytest

from comments.store.counts import read_counts
from tests.support.comments.flows import FLOWS

pytestmark = [pytest.mark.newest, pytest.mark.fallback, pytest.mark.usefixtures("tables")]


@pytest.mark.parametrize("flow_of", FLOWS)
def test_what_is_sent_is_done(flow_of, engine_name):
    if engine_name == "dynoxide":
        pytest.skip("test_write_failures.py sends each of them there, with failures and without")
    flow = flow_of()
    assert flow.send() == 302
    assert read_counts(flow.product, consistent=True).cells == flow.cells
    assert flow.outcome() == flow.expected
