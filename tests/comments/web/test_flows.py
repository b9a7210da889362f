"""Every write, sent once where nothing fails."""

from collections.abc import Callable

import pytest

from comments.store.counts import counts_of
from tests.support.comments.flows import FLOWS, Flow

pytestmark = [pytest.mark.newest, pytest.mark.fallback, pytest.mark.usefixtures("tables")]


@pytest.mark.parametrize("flow_of", FLOWS)
def test_what_is_sent_is_done(flow_of: Callable[[], Flow], engine_name: str) -> None:
    if engine_name == "dynoxide":
        pytest.skip("test_write_failures.py sends each of them there, with failures and without")
    flow = flow_of()
    assert flow.send() == 302
    assert counts_of(flow.product, consistent=True).cells == flow.cells
    assert flow.outcome() == flow.expected
