"""Makes counts wrong on purpose."""

from collections.abc import Mapping

from comments.store.counts import counters
from dynapages.process import client
from dynapages.writes import Transactions


def settle(product_id: str, cells: Mapping[str, int]) -> None:
    """Make the counts of a product say this."""
    if actions := counters().set_sums(product_id, cells):
        Transactions(client()).write(lambda: actions)
