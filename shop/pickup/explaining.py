"""EXPLAIN for the nearest pickup points."""

from dynamo.calls.meter import labelled_calls, metered
from dynamo.lists.explain import Explanation, explain
from shop.pickup.places import locate
from shop.pickup.queries import nearest_points

PLAN = "nearest"


def explain_pickup(near: str, *, count: int) -> Explanation:
    """Explain the page of the points nearest to a typed place. Raises BadPlace, NoSuchZip."""
    with metered() as meter:
        with labelled_calls("postcode"):
            place = locate(near).place
        page = nearest_points(place, count).page
    return explain(page, plan=PLAN, meter=meter)
