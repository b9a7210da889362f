"""Which fields a body may have where one is not known, for the sentence of its error."""

from collections.abc import Iterable, Sequence
from typing import Any, get_args

from ninja.errors import ValidationErrorContext
from pydantic import BaseModel

SOURCE_AND_ARGUMENT = 2
"""How many steps of a location are not in the body: ``body``, and the argument's name."""


def fields_at(
    contexts: Iterable[ValidationErrorContext[Any]], location: Sequence[str | int]
) -> tuple[str, ...]:
    """Return the names that are known beside the last step of a location; none if it has none."""
    source, argument = location[:SOURCE_AND_ARGUMENT]
    for context in contexts:
        is_its_source = context.model.__ninja_param_source__ == source
        field = context.model.model_fields.get(argument)
        if is_its_source and field is not None:
            return _fields_below(field.annotation, location[SOURCE_AND_ARGUMENT:-1])
    return ()


def _fields_below(annotation: object, steps: Sequence[str | int]) -> tuple[str, ...]:
    """Return the names of the fields at the end of a path below an annotation."""
    model = _model_in(annotation)
    if model is None:
        return ()
    # Numbers are places in a list, whose items all have the same fields.
    names = [step for step in steps if isinstance(step, str)]
    if not names:
        return tuple(model.model_fields)
    field = model.model_fields.get(names[0])
    if field is None:
        return ()
    return _fields_below(field.annotation, names[1:])


def _model_in(annotation: object) -> type[BaseModel] | None:
    """Return the model of an annotation, also within ``list[…]`` or ``… | None``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for part in get_args(annotation):
        model = _model_in(part)
        if model is not None:
            return model
    return None
