"""What is told of a request: figures and names of the code, nothing that a person has typed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from dynamo.calls.meter import UNLABELLED, Meter

COUNTED = ("languages", "ratings", "kind", "status")
"""Sets in a filter, of which the number of values is told; 0 means any."""
NAMED = ("after", "before", "from", "month", "order", "q", "to", "near", "format", "count")
"""Parameters of which is told that they are there. A query may have others, which are not told."""


@dataclass(frozen=True, slots=True)
class RequestFacts:
    """A request that was answered.

    ``view`` and ``route`` are the name and the pattern of its URL, empty where none fits. ``list``
    names the kind of the list it shows, ``plan`` how that was read, ``filter`` its form (see
    `filter_shape`). ``rounds`` is how many calls waited for one another, ``units`` are capacity
    units of all calls, ``list_units`` those of the list alone, ``ms`` milliseconds until the answer
    was made, and sent where it is streamed. ``shed`` is whether it was refused because too many
    were there.
    """

    view: str
    method: str
    status: int
    route: str = ""
    list: str = ""
    filter: Mapping[str, int] = field(default_factory=dict)
    plan: str = ""
    calls: int = 0
    rounds: int = 0
    units: float = 0.0
    list_units: float = 0.0
    ms: float = 0.0
    shed: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return the fields of the log, in their order."""
        fields = asdict(self)
        del fields["route"]
        return fields

    def __str__(self) -> str:
        """Format the line of the log: what is empty is left out, but for the figures."""
        fields = self.as_dict()
        spelled = ",".join(f"{name}:{number}" for name, number in self.filter.items())
        told = {
            "list": self.list,
            "filter": spelled,
            "plan": self.plan.replace(" ", "_"),
            "shed": "yes" if self.shed else "",
        }
        figures = {name: f"{fields[name]:g}" for name in ("calls", "rounds", "units", "ms")}
        parts = [f"{name}={value}" for name, value in {**told, **figures}.items() if value]
        return " ".join([self.method, self.view or "-", str(self.status), *parts])


def facts_of(
    meter: Meter, *, view: str, route: str, method: str, status: int, shape: Mapping[str, int]
) -> RequestFacts:
    """Return the facts of a request whose calls a meter has seen."""
    return RequestFacts(
        view=view,
        method=method,
        status=status,
        route=route,
        list=meter.list_name,
        filter=shape,
        plan=meter.plan,
        calls=meter.requests(),
        rounds=meter.rounds,
        units=meter.capacity_units(),
        list_units=meter.capacity_units(UNLABELLED) if meter.list_name else 0.0,
        ms=round(meter.milliseconds, 1),
    )


def filter_shape(parts: Mapping[str, Any], query: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Return the form of a filter, such as ``{"languages": 2, "ratings": 3, "after": 1}``.

    ``parts`` are those of the URL's path, ``query`` the lists of its parameters. Values are counted
    and never told, and so are names that the site does not know.
    """
    return dict(_shape(parts, query))


def _shape(
    parts: Mapping[str, Any], query: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, int]]:
    for name in COUNTED:
        if name in parts:
            yield name, _number_in(str(parts[name]))
        elif query.get(name):
            yield name, len(query[name])
    for name in NAMED:
        if any(query.get(name, ())):
            yield name, 1


def _number_in(spelled: str) -> int:
    return 0 if spelled == "~" else spelled.count(".") + 1
