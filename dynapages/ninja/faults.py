"""What pydantic says of values that do not fit: where each stands in the request, what is allowed.

Pydantic names a value by the operation's arguments, which no caller knows: ``body.content.rating``.
"""

from collections.abc import Iterable, Sequence
from typing import Any, get_args

from ninja.errors import ValidationErrorContext
from pydantic import BaseModel

from dynapages.ninja.strict import UNKNOWN

LENGTHS = ("too_long", "too_short")
Step = str | int
"""A step of a location: the name of a field, or a place in a list, counted from 0."""


def faults_of(contexts: Iterable[ValidationErrorContext[Any]]) -> list[dict[str, Any]]:
    """Return pydantic's errors, each with its ``loc`` in the request: ``("body", "rating")``.

    One of a name that is not known has the names that are ``allowed`` in its place.
    """
    faults: list[dict[str, Any]] = []
    for context in contexts:
        errors = context.pydantic_validation_error.errors(include_url=False)
        for error in errors:
            faults.append(_fault(context.model, dict(error)))
    return faults


def _fault(model: Any, error: dict[str, Any]) -> dict[str, Any]:  # noqa: ANN401 - ninja's
    """Return an error of a model that has all arguments of one source, at its place in that."""
    value = error.pop("input")
    # The length of text that has another check, too, is refused as if it was a list.
    if isinstance(value, str) and error["type"] in LENGTHS:
        error["type"] = f"string_{error['type']}"
    argument, *steps = error["loc"]
    source = model.__ninja_param_source__
    field = model.model_fields.get(argument)
    annotation = field.annotation if field else None
    if source == "body":
        is_known = model.__read_from_single_attr__ is None
    else:
        is_known = _model_in(annotation) is None
    if error["type"] == UNKNOWN:
        error["allowed"] = _fields_below(annotation, steps[:-1])
    if is_known:
        error["loc"] = (source, argument, *steps)
    else:
        error["loc"] = (source, *steps)
    return error


def _fields_below(annotation: object, steps: Sequence[Step]) -> tuple[str, ...]:
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
