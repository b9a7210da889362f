"""Writes that meet something else than they expect: a problem that brings what is there now."""

from typing import Generic, TypeVar

from django.http import HttpRequest, HttpResponse
from pydantic import BaseModel

from dynapages.django.problems import ProblemType, problem
from dynapages.ninja.document import ProblemBody
from dynapages.ninja.versions import conflict_status

T = TypeVar("T")


class Conflict(ProblemBody, Generic[T]):
    """A problem of a write; ``current`` is what is there now, as reading it answers the caller.

    It is null, or left out, where the reason is another one than a version.
    """

    current: T | None = None
    """What is there now; null, or left out, where the reason is no version."""


def conflict(
    request: HttpRequest, kind: ProblemType, detail: object, current: BaseModel
) -> HttpResponse:
    """Build the answer to a write whose version is not the current one: 409, by `IfMatch` 412.

    The operation declares `Conflict` of what it answers as its response of both.
    """
    shown = current.model_dump(mode="json")
    return problem(kind, detail, status=conflict_status(request), current=shown)
