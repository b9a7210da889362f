"""The API of a project: a `NinjaAPI` that is strict, answers problems, and knows ETags."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial, wraps
from http import HTTPStatus
from inspect import unwrap
from threading import Lock
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.utils.cache import (
    add_never_cache_headers,
    get_conditional_response,
    patch_cache_control,
    patch_vary_headers,
)
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe
from ninja import NinjaAPI
from ninja.errors import ValidationError, ValidationErrorContext
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation
from ninja.renderers import BaseRenderer
from pydantic_core import to_json

from dynapages.django.access import SHARED_SECONDS
from dynapages.django.callers import OPERATION
from dynapages.django.problems import NOT_FOUND, PROBLEM_TYPES, ProblemType, problem
from dynapages.ninja.document import Document, ScopedSchema, complete
from dynapages.ninja.errors import Sentences, answer_errors, as_problem
from dynapages.ninja.faults import faults_of
from dynapages.ninja.keys import ANONYMOUS, caller_of
from dynapages.ninja.strict import StrictParser, refuse_parameters, refuse_unknown
from dynapages.ninja.versions import entity_tag

DOCUMENT = "openapi.json"
"""The address of the OpenAPI document, below that of the API."""
_OPERATION_OBJECT = "dynapages.operation_object"
"""In ``request.META``: the operation itself, until its request is checked."""


class PlainRenderer(BaseRenderer):
    """Writes JSON by pydantic's serializer, several times as fast as Python's own."""

    media_type = "application/json"

    def render(self, request: HttpRequest, data: Any, *, response_status: int) -> bytes:  # noqa: ANN401 - ninja's
        """Return JSON in UTF-8."""
        del request, response_status
        return to_json(data)


class ProblemAPI(NinjaAPI):
    """An API that refuses what it does not know, and whose errors are problems.

    ``errors`` are exceptions of the project with the type of their problem, and its sentence, None
    for that of each. ``problem_types`` are further types that it may answer with.
    ``headers_of_keys`` are the headers that the project adds to every answer to a key, with what
    each says in the document.
    """

    def __init__(
        self,
        *,
        errors: Sentences,
        problem_types: Iterable[ProblemType] = (),
        headers_of_keys: Mapping[str, str] | None = None,
        **options: Any,  # noqa: ANN401 - ninja's
    ) -> None:
        options.setdefault("renderer", PlainRenderer())
        options.setdefault("servers", [{"url": "/"}])
        options.setdefault("docs_decorator", _read_alone)
        super().__init__(parser=StrictParser(), openapi_url=f"/{DOCUMENT}", **options)
        self._problem_types = {*PROBLEM_TYPES, *problem_types}
        self._headers_of_keys = headers_of_keys or {}
        self._documents: dict[str, Document] = {}
        self._documents_lock = Lock()
        for error, (kind, sentence) in errors.items():
            self._problem_types.add(kind)
            self.add_exception_handler(error, partial(as_problem, kind, sentence))
        self.add_decorator(self._with_operation, mode="view")

    @property
    def problem_types(self) -> list[ProblemType]:
        """All types of problems, by status and code."""
        return sorted(self._problem_types, key=_by_status)

    def set_default_exception_handlers(self) -> None:
        """Have each error that a caller can see be a problem."""
        answer_errors(self)

    @property
    def urls(self) -> tuple[list[Any], str, str]:
        """What ``path`` takes: the operations, the document, and a problem for all else."""
        patterns, app_name, namespace = super().urls
        document = path(DOCUMENT, _read_alone(self._document), name="openapi-json")
        # With DEBUG, Django would answer a program with a page for developers.
        root = path("", no_such_address, name="no-such-root")
        unknown = path("<path:unknown>", no_such_address, name="no-such-address")
        return [document, root, *patterns, unknown], app_name, namespace

    def _document(self, request: HttpRequest) -> HttpResponse:
        """Answer the OpenAPI document, which is made by the first request of a process."""
        prefix = self.get_root_path({})
        # Of requests that come at once, the first one makes it, and the others wait for it.
        with self._documents_lock:
            if prefix not in self._documents:
                self._documents[prefix] = Document(self.get_openapi_schema(path_prefix=prefix))
        try:
            refuse_parameters(request)
        except ValidationError as error:
            return self.on_exception(request, error)
        return self._documents[prefix].answer(request)

    def get_openapi_operation_id(self, operation: Operation) -> str:
        """Return the names of the operation's app and function, such as ``comments_edit``."""
        view = operation.view_func
        return f"{view.__module__.partition('.')[0]}_{view.__name__}"

    def get_openapi_schema(
        self, *, path_prefix: str | None = None, path_params: dict[str, Any] | None = None
    ) -> OpenAPISchema:
        """Return the document, with the problems and the headers of each operation."""
        if path_prefix is None:
            path_prefix = self.get_root_path(path_params or {})
        schema = ScopedSchema(self, path_prefix)
        complete(schema, self.problem_types, self._headers_of_keys)
        return schema

    def create_temporal_response(self, request: HttpRequest) -> HttpResponse:
        """Return the answer that an operation fills: caches may keep what everybody may read.

        It is called when the key was found right, and nothing of the request was read. Raises
        ValidationError and Refusal for what the operation does not know.
        """
        refuse_unknown(request, request.META.pop(_OPERATION_OBJECT))
        response = super().create_temporal_response(request)
        if caller_of(request) is ANONYMOUS:
            patch_cache_control(response, public=True, max_age=0, s_maxage=SHARED_SECONDS)
            patch_vary_headers(response, ("Authorization",))
        else:
            add_never_cache_headers(response)
        return response

    def create_response(
        self,
        request: HttpRequest,
        data: Any,  # noqa: ANN401 - ninja's
        **options: Any,  # noqa: ANN401 - ninja's
    ) -> HttpResponse:
        """Return the answer of an operation, with its ETag."""
        response = super().create_response(request, data, **options)
        response["ETag"] = entity_tag(data)
        return response

    def validation_error_from_error_contexts(
        self, error_contexts: list[ValidationErrorContext[Any]]
    ) -> ValidationError:
        """Return the error of values that do not fit, each with its place in the request."""
        return ValidationError(faults_of(error_contexts))

    def _with_operation(self, run: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
        """Note which operation a request is for; answer 304 to who has the same answer."""
        operation: Operation = unwrap(run).__self__  # a bound method
        operation_id = operation.operation_id or self.get_openapi_operation_id(operation)

        @wraps(run)
        def answered(request: HttpRequest, **values: Any) -> HttpResponse:  # noqa: ANN401 - ninja's
            request.META[OPERATION] = operation_id
            request.META[_OPERATION_OBJECT] = operation
            response = run(request, **values)
            if response.status_code == HTTPStatus.NO_CONTENT:
                # There is no content that it could be the type of.
                del response["Content-Type"]
            if request.method != "GET" or "ETag" not in response:
                return response
            etag = response["ETag"]
            return get_conditional_response(request, etag=etag, response=response) or response

        return answered


def _read_alone(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Have a view answer 405 to who would write, before a token of a form is looked for."""
    return csrf_exempt(require_safe(view))


def _by_status(kind: ProblemType) -> tuple[int, str]:
    return kind.status, kind.code


@csrf_exempt
def no_such_address(_request: HttpRequest, **parts: str) -> HttpResponse:
    """Answer a program that there is no such address; for what a project has beside its API."""
    del parts
    return problem(NOT_FOUND, _("There is no such address in this API: look at its document."))
