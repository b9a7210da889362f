"""Types of key values: values that do not fit are refused before any call.

DynamoDB refuses a Query for a value of another type than its key attribute. Engines that imitate it
may answer with an empty list, so that tests would not show the mistake.
"""

from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias

from dynapages.index_keys import MOST_OF_A_GLOBAL_INDEX
from dynapages.items import KeyValue, wire_value

KeyType: TypeAlias = Literal["S", "N", "B"]
"""The type of a key attribute, as its AttributeDefinition has it."""
KEY_TYPES: Mapping[str, str] = {"S": "strings", "N": "numbers", "B": "binaries"}
"""The types, and what values of them are called."""
FILLERS: Mapping[str, KeyValue] = {"S": "-", "N": 0, "B": b"-"}
"""Values of a table key that is made up, by their types."""


def type_of(value: KeyValue) -> str:
    """Return ``S``, ``N`` or ``B``. Raises ValueError for what is no key value."""
    (letter,) = wire_value(value)
    return letter


def check_types(types: Mapping[str, KeyType], key_names: Iterable[str], index: str) -> None:
    """Raise ValueError for types that DynamoDB does not have, or of what is no key attribute."""
    names = list(dict.fromkeys(key_names))
    for attribute, letter in types.items():
        if letter not in KEY_TYPES:
            raise ValueError(f"A key attribute is of the type S, N or B, and not {letter!r}")
        if attribute not in names:
            raise ValueError(
                f"The key attributes of {index!r} are {', '.join(names)}, and not {attribute!r}"
            )


def check_type(types: Mapping[str, KeyType], attribute: str, value: KeyValue, index: str) -> None:
    """Raise ValueError for a value that is not of its attribute's type, if that is known."""
    known = types.get(attribute)
    if known is not None and type_of(value) != known:
        raise ValueError(
            f"The values of {attribute!r} in {index!r} are {KEY_TYPES[known]}, and not {value!r}"
        )


def checked_names(names: str | Iterable[str], part: str) -> str | tuple[str, ...]:
    """Return a name, or a tuple of names. Raises ValueError for what no key can be of."""
    if isinstance(names, str):
        return names
    several = tuple(names)
    are_names = all(isinstance(name, str) for name in several)
    if not are_names or not 1 <= len(set(several)) == len(several) <= MOST_OF_A_GLOBAL_INDEX:
        raise ValueError(
            f"{part} is the name of an attribute, or a tuple of one to "
            f"{MOST_OF_A_GLOBAL_INDEX} different names, and not {several!r}"
        )
    return several


def check_partition(names: str | tuple[str, ...], value: object, index: str) -> None:
    """Raise ValueError for what is no value of a name, or no tuple of values of several names."""
    if isinstance(names, str):
        if isinstance(value, tuple):
            sentence = f"A partition of {index!r} is a value of {names!r}, not the tuple {value!r}"
            raise ValueError(sentence)  # noqa: TRY004 - a wrong argument, as the others
        return
    if not isinstance(value, tuple) or len(value) != len(names):
        values = "one value" if len(names) == 1 else f"{len(names)} values"
        raise ValueError(
            f"A partition of {index!r} is a tuple of {values}, of {', '.join(names)}: not {value!r}"
        )


def check_one_type(values: Iterable[KeyValue], what: str) -> None:
    """Raise ValueError for values of several types; ``what`` is what they are called."""
    first: dict[str, KeyValue] = {}
    for value in values:
        first.setdefault(type_of(value), value)
    if len(first) > 1:
        one, other, *_ = first.values()
        raise ValueError(
            f"{what} are of one type, all strings, all numbers or all binaries; "
            f"{one!r} and {other!r} are of two"
        )
