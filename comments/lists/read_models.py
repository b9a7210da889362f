"""The read models that lists of comments may be read from.

==========  ==========================================  ============================
model       lists are read from                         planned by
==========  ==========================================  ============================
``indexes`` the four indexes of ``comments``            `comments.indexes.planner`
``sets``    the copies in ``comment_sets``              `comments.sets.plans`
==========  ==========================================  ============================

The setting ``COMMENTS_READ_MODEL`` chooses. Both have the same items in the same places, so a
position in one is valid in the other. Single comments, counts and rankings are read from
``comments`` under both, and so are repairs, which must not rest on derived items.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Protocol

from django.conf import settings

from comments.filters import CommentFilter
from comments.indexes import access_patterns
from comments.indexes import planner as planning
from comments.indexes.access_patterns import ListPlan
from comments.sets import plans
from comments.sets.following import SETS
from comments.store.counts import ProductCounts

INDEXES = "indexes"


class ListPlanner(Protocol):
    """Plans a page of a list."""

    def __call__(
        self,
        product_id: str,
        chosen: CommentFilter,
        counts: ProductCounts,
        *,
        needed: int,
        forced: str | None = None,
        most_units: float = inf,
    ) -> ListPlan:
        """Plan a page of ``needed`` items, look-ahead included, for about ``most_units`` at most.

        ``forced`` is the name of the plan to use whatever it costs. Raises NoSuchPlan.
        """


@dataclass(frozen=True, slots=True)
class ReadModel:
    """A way to read lists: ``plan`` plans without counts, ``plan_list`` with them."""

    name: str
    plan: Callable[[str, CommentFilter], ListPlan]
    plan_list: ListPlanner


_MODELS = {
    INDEXES: ReadModel(INDEXES, access_patterns.plan, planning.plan_list),
    SETS: ReadModel(SETS, plans.plan, plans.plan_list),
}


def read_model() -> ReadModel:
    """Return the read model of the site."""
    return _MODELS[settings.COMMENTS_READ_MODEL]
