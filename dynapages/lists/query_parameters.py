"""Parameters of a Query: those that read a run, and what a caller adds to each.

`request_of` builds the Query of a run with a condition on its sort keys, which `sort_condition`
makes of equalities and of what `between` or `compared` say of the attribute behind these.
`extended` adds a caller's parameters, as `checked_query` returns them.
"""

import re
from collections.abc import Generator, Mapping, Sequence
from typing import Any, TypeAlias

from dynapages.items import KeyValue, wire_key
from dynapages.lists.key_texts import values_of
from dynapages.lists.runs import Chunk, Filter, HasAll, Index, Lacks, Run

Request: TypeAlias = dict[str, Any]
Answer: TypeAlias = Mapping[str, Any]
Queries: TypeAlias = Generator[Request, Answer, Chunk]
"""Yields the parameters of each Query, is sent its answer, and returns what was read."""
Condition: TypeAlias = tuple[str, Mapping[str, KeyValue]]
"""A condition on sort keys, such as ``" AND #s < :high"``, and its values."""
ALL: Condition = ("", {})
NEXT = "#next"
"""The sort attribute that a condition is about, before it is known which that is."""

_PLACEHOLDER = re.compile(r"([#:])(?=\w)")
_FURTHER = {
    "ConsistentRead",
    "ExpressionAttributeNames",
    "ExpressionAttributeValues",
    "FilterExpression",
    "ProjectionExpression",
}
"""The parameters of a Query that a caller may add."""


# The Query of a run


def request_of(run: Run, condition: Condition, *, ascending: bool) -> Request:
    """Build the Query of a run with a condition on its sort keys."""
    names = _placeholders("#p", run.index.partition)
    equalities = []
    values: dict[str, KeyValue] = {}
    for name, value in zip(names, values_of(run.partition), strict=True):
        equalities.append(f"{name} = {_value_of(name)}")
        values[_value_of(name)] = value
    terms, values_of_terms = condition
    if terms:
        for name, attribute in _placeholders("#s", run.index.sort).items():
            if name in terms:
                names[name] = attribute
    request: Request = {
        "TableName": run.index.table,
        "KeyConditionExpression": " AND ".join(equalities) + terms,
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": dict(wire_key({**values, **values_of_terms})),
        "ScanIndexForward": ascending,
        "ReturnConsumedCapacity": "INDEXES",
    }
    if run.index.name is not None:
        request["IndexName"] = run.index.name
    if run.index.consistent:
        request["ConsistentRead"] = True
    _add_filter(request, run.keep)
    return request


def _placeholders(prefix: str, key: str | tuple[str, ...]) -> dict[str, str]:
    """Return key attributes by the placeholders of their names: ``#s``, or ``#s0`` and so on."""
    if isinstance(key, str):
        return {prefix: key}
    return {f"{prefix}{number}": name for number, name in enumerate(key)}


def _value_of(name: str) -> str:
    """Return the placeholder of the value that is compared with the attribute of a placeholder."""
    return name.replace("#", ":")


def _add_filter(request: Request, keep: Sequence[Filter]) -> None:
    """Add the filters of a run to a Query, all of which an item has to pass."""
    terms = []
    for number, condition in enumerate(keep):
        name = f"#f{number}"
        request["ExpressionAttributeNames"][name] = condition.attribute
        if isinstance(condition, Lacks):
            terms.append(f"attribute_not_exists({name})")
            continue
        placeholders = []
        for value_number, value in enumerate(condition.values):
            placeholder = f":f{number}_{value_number}"
            request["ExpressionAttributeValues"][placeholder] = value
            placeholders.append(placeholder)
        if isinstance(condition, HasAll):
            terms += [f"contains({name}, {placeholder})" for placeholder in placeholders]
        else:
            terms.append(f"{name} IN ({', '.join(placeholders)})")
    if terms:
        request["FilterExpression"] = " AND ".join(terms)


def partition_key(run: Run) -> dict[str, KeyValue]:
    """Return the partition attributes of a run and their values."""
    return dict(zip(run.index.partition_names, values_of(run.partition), strict=True))


# Conditions on sort keys


def sort_condition(
    run: Run, equal_to: Sequence[KeyValue] = (), behind: Condition = ALL
) -> Condition:
    """Require what a run fixes, and values of the sort attributes that it does not fix.

    Those are equal to some values, from the first one on; ``behind`` is the condition on the next,
    which it calls ``#next``.
    """
    condition, bounds = behind
    required = (*run.fixed, *equal_to)
    if not required and not condition:
        return ALL
    names = list(_placeholders("#s", run.index.sort))
    terms = ""
    values: dict[str, KeyValue] = {}
    for name, value in zip(names, required, strict=False):
        terms += f" AND {name} = {_value_of(name)}"
        values[_value_of(name)] = value
    if condition:
        terms += condition.replace(NEXT, names[len(required)])
    return terms, {**values, **bounds}


def compared(operator: str, value: KeyValue) -> Condition:
    """Build a condition on the next sort attribute, such as ``>`` a value."""
    return f" AND {NEXT} {operator} :bound", {":bound": value}


def begins_with(prefix: str | bytes) -> Condition:
    """Build the condition that the next sort attribute begins so."""
    return f" AND begins_with({NEXT}, :prefix)", {":prefix": prefix}


def between(low: KeyValue | None, high: KeyValue | None, *, is_open: bool) -> Condition:
    """Build a condition from ``low`` to ``high``; BETWEEN includes both ends, even if open."""
    if low is not None and high is not None:
        return f" AND {NEXT} BETWEEN :low AND :high", {":low": low, ":high": high}
    if low is not None:
        return f" AND {NEXT} >= :low", {":low": low}
    if high is not None:
        return f" AND {NEXT} {'<' if is_open else '<='} :high", {":high": high}
    return ALL


def units_of(answer: Answer) -> float:
    """Return the capacity units of a Query; 0.0 where an engine meters nothing."""
    units: float = answer.get("ConsumedCapacity", {}).get("CapacityUnits", 0.0)
    return units


# Further parameters of a caller's


def checked_query(query: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Return a caller's parameters of each Query, with placeholders that are not the library's.

    They are ConsistentRead, FilterExpression, ProjectionExpression, and the names and values that
    these use, as botocore takes them. Raises ValueError for others.
    """
    checked = dict(query or {})
    others = sorted(set(checked) - _FURTHER)
    if others:
        raise ValueError(f"A list takes {', '.join(sorted(_FURTHER))}, and not {', '.join(others)}")
    for name in ("FilterExpression", "ProjectionExpression"):
        if name in checked:
            checked[name] = _renamed(checked[name])
    for name in ("ExpressionAttributeNames", "ExpressionAttributeValues"):
        if name in checked:
            checked[name] = {_renamed(key): value for key, value in checked[name].items()}
    return checked


def _renamed(expression: str) -> str:
    """Return an expression with placeholders that `request_of` has not, such as ``#q_name``."""
    return _PLACEHOLDER.sub(r"\1q_", expression)


def extended(request: Request, further: Mapping[str, Any], index: Index) -> Request:
    """Return a Query with what `checked_query` returned; a projection also has the key."""
    if not further:
        return request
    result = {**request, **further}
    names = {**request["ExpressionAttributeNames"], **further.get("ExpressionAttributeNames", {})}
    values = further.get("ExpressionAttributeValues", {})
    result["ExpressionAttributeValues"] = {**request["ExpressionAttributeValues"], **values}
    filters = []
    for parameters in (request, further):
        if "FilterExpression" in parameters:
            filters.append(f"({parameters['FilterExpression']})")
    if filters:
        result["FilterExpression"] = " AND ".join(filters)
    if "ProjectionExpression" in further:
        key_names = _missing_key_names(further["ProjectionExpression"], names, index)
        names |= key_names
        projection = [further["ProjectionExpression"], *key_names]
        result["ProjectionExpression"] = ", ".join(projection)
    result["ExpressionAttributeNames"] = names
    return result


def _missing_key_names(projection: str, names: Mapping[str, str], index: Index) -> dict[str, str]:
    """Return placeholders and names of the key attributes that a projection does not have."""
    projected = set()
    for term in projection.split(","):
        path = term.strip()
        projected.add(names.get(path, path))
    key_names = dict.fromkeys((*index.partition_names, *index.sort_names, *index.key_names))
    missing = {}
    for number, name in enumerate(key_names):
        if name not in projected:
            missing[f"#k{number}"] = name
    return missing
