"""For django-ninja: pages of lists with their links, keys of callers, and errors as problems.

An operation that lists is one of `lists`. `KeyAuth` asks the project who sends a
key: the setting ``API_AUTHENTICATOR`` is the dotted path of a function with the arguments of
`Authenticate`. `ProblemAPI` answers each error with a problem (RFC 9457), never with HTML; so do
the middleware and handlers of `dynapages.django` for all addresses that begin with ``API_PATH``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial, wraps
from http import HTTPStatus
from inspect import Parameter, signature
from secrets import token_bytes
from typing import Annotated, Any, Generic, TypeVar
from urllib.parse import urlsplit

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.utils.cache import add_never_cache_headers, patch_cache_control, patch_vary_headers
from django.utils.crypto import salted_hmac
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _
from ninja import NinjaAPI, Query, Schema
from ninja.errors import AuthenticationError, HttpError, ValidationError
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation
from ninja.security import HttpBearer
from pydantic import PlainSerializer, StringConstraints, WithJsonSchema

from dynapages.calls.faults import FAILURES
from dynapages.calls.meter import current_meter
from dynapages.django.access import SHARED_SECONDS, Visitor
from dynapages.django.callers import Caller, Scope
from dynapages.django.paging import LONGEST_ID, PageLinks, Pager, note_list
from dynapages.django.refusals import Refusal, problem, refusal_of
from dynapages.items import timestamp
from dynapages.lists.reader import Page, PageRequest, PageResult

__all__ = [
    "IDEMPOTENCY_KEY",
    "KEY_OR_NOBODY",
    "LONGEST_KEY",
    "IdText",
    "KeyAuth",
    "ListOf",
    "Listing",
    "Moment",
    "PageOf",
    "ProblemAPI",
    "caller_of",
    "lists",
    "token_of",
]

T = TypeVar("T")

IdText = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_ID)]
Moment = Annotated[
    datetime,
    PlainSerializer(timestamp, return_type=str),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
"""UTC, with microseconds and Z."""
END = "end"
"""The cursor of the last page."""
Cursor = Annotated[
    str | None,
    Query(
        pattern=rf"^({END}|(after|before)\.[A-Za-z0-9_-]{{1,1500}}\.[A-Za-z0-9_-]{{43}})$",
        description="From a link; a cursor is of one list with its filter. “end” is the last page.",
    ),
]

ANONYMOUS = Caller("", "", None)
"""Who sends no key."""
Authenticate = Callable[[HttpRequest, str, Scope], Caller | None]
"""Returns who sends a request with the text of a key for a scope, None for no such key.

It may raise Refusal, such as TooManyRequests, and HttpError 403 for a key of another scope.
"""

IDEMPOTENCY_KEY = "Idempotency-Key"
LONGEST_KEY = 255
_IDEMPOTENCY = {
    "in": "header",
    "name": IDEMPOTENCY_KEY,
    "required": False,
    "schema": {"type": "string", "minLength": 1, "maxLength": LONGEST_KEY},
    "description": "Any text that names this request: sent again with it, it is done once.",
}

Sentences = Mapping[type[Exception], tuple[HTTPStatus, object]]
"""By errors of a project, the status of their answer; and its sentence, None for that of each."""

PROBLEMS = tuple(map(HTTPStatus, (400, 401, 403, 404, 409, 422, 429, 503)))
"""The statuses of errors that any operation may be answered with."""

_ADDED_PARAMETERS = (
    Parameter("response", Parameter.KEYWORD_ONLY, annotation=HttpResponse),
    Parameter("cursor", Parameter.KEYWORD_ONLY, default=None, annotation=Cursor),
)
"""What an operation that lists takes besides its own parameters."""


# Callers, and their keys.


class KeyAuth(HttpBearer):
    """Requires a key that allows a scope, in ``Authorization: Bearer``."""

    def __init__(self, scope: Scope) -> None:
        super().__init__()
        self.scope = scope

    def authenticate(self, request: HttpRequest, token: str) -> Caller | None:
        """Return who sends a request with a key."""
        authenticate: Authenticate = import_string(settings.API_AUTHENTICATOR)
        return authenticate(request, token, self.scope)


class _NoKey:
    """Lets who sends no key be `ANONYMOUS`."""

    openapi_security_schema = None

    def __call__(self, request: HttpRequest) -> Caller | None:
        # A wrong key is refused: its sender would take what is public for what is theirs.
        if "Authorization" in request.headers:
            return None
        return ANONYMOUS


KEY_OR_NOBODY = [KeyAuth(Scope.READ), _NoKey()]
"""The ``auth`` of an operation that may be called without a key."""


def caller_of(request: HttpRequest) -> Caller:
    """Return who sends a request, as `KeyAuth` found."""
    caller: Caller = request.auth  # type: ignore[attr-defined] # ninja sets it
    return caller


def visitor_of(request: HttpRequest) -> Visitor:
    """Return the same as a visitor of pages, whom the key has confirmed."""
    user_id = caller_of(request).user_id

    def is_confirmed() -> bool:
        return bool(user_id)

    return Visitor(user_id, is_confirmed)


# Pages of lists.


class Listing(Schema, Generic[T]):
    """A page of a list; its links are addresses on this host, null where there is no such page.

    A page may be short, even empty, and have a next one. ``total`` is null where it is not counted,
    ``cost`` is in capacity units.
    """

    items: list[T]
    first: str
    previous: str | None
    next: str | None
    last: str | None
    total: int | None
    cost: float


@dataclass(frozen=True, slots=True)
class PageOf(PageResult[T]):
    """A page of a list, with what its read knows: the ``total``, the ``plan``, another ``pager``.

    Links keep the query of that pager's first page. ``more`` are fields of the answer besides those
    of `Listing`: the operation's ``response`` is then a subclass of that, which declares them.
    """

    total: int | None = None
    plan: str = ""
    pager: Pager | None = None
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ListOf(Generic[T]):
    """A list: its pager, what reads a page of it, and by which plan, unless a `PageOf` has one."""

    pager: Pager
    read: Callable[[PageRequest], PageResult[T]]
    plan: str = ""


@dataclass(frozen=True, slots=True)
class _CursorPager(Pager):
    """The pages of a list in an API, whose links have a ``cursor``."""

    def _url(self, **query: str) -> str:
        ((side, token),) = query.items()
        cursor = f"{side}.{token}"
        if token == END:
            cursor = END
        return super(_CursorPager, self)._url(cursor=cursor)

    def page_at(self, cursor: str | None) -> PageRequest:
        """Return the request of the page at a cursor. Raises Refusal for one of another list."""
        size = settings.PAGE_SIZE
        if not cursor:
            return self.requested({}, size=size)
        if cursor == END:
            return self.requested({"before": END}, size=size)
        side, _dot, token = cursor.partition(".")
        return self.requested({side: token}, size=size)


def lists(run: Callable[..., ListOf[Any]]) -> Callable[..., dict[str, Any]]:
    """Have an operation that returns a `ListOf` answer the page that a `Cursor` asks for.

    The way back past the beginning is answered with the first page, whole. Adds the header ``Link``
    (RFC 8288). Raises Refusal for a cursor of another list, and what ``read`` does.
    """

    @wraps(run)
    def answer(
        request: HttpRequest,
        *,
        response: HttpResponse,
        cursor: str | None,
        **values: Any,  # noqa: ANN401 - of any operation
    ) -> dict[str, Any]:
        return _answer_with_page(request, response, cursor, run(request, **values))

    own = signature(run)
    answer.__signature__ = own.replace(  # type: ignore[attr-defined] # ninja asks for it
        parameters=[*own.parameters.values(), *_ADDED_PARAMETERS]
    )
    return answer


def _answer_with_page(
    request: HttpRequest, response: HttpResponse, cursor: str | None, api_list: ListOf[Any]
) -> dict[str, Any]:
    """Read the page of a list at a cursor; return the fields of its `Listing`."""
    pager = _cursor_pager(request, api_list.pager)
    page_request = pager.page_at(cursor)
    result = api_list.read(page_request)
    # Programs get the first page itself; a redirect would cost them another call.
    if pager.overshot(result.page, page_request):
        page_request = PageRequest(page_request.size, most_units=_units_left_by(result.page))
        result = api_list.read(page_request)
    if not isinstance(result, PageOf):
        result = PageOf(result.items, result.page)
    note_list(api_list.pager, page_request, result.plan or api_list.plan)
    if result.pager:
        query = QueryDict(urlsplit(result.pager.first_url).query)
        pager = _cursor_pager(request, result.pager, query)
    links = _links(pager.links(result.page, page_request))
    # For programs that follow links without knowing this API (RFC 8288).
    response["Link"] = _link_header(links)
    return {
        "items": result.items,
        **links,
        "total": result.total,
        "cost": _units_spent(result.page),
        **result.more,
    }


def _links(links: PageLinks) -> dict[str, str | None]:
    """Return the links of a page by the names that they have in an API."""
    return {
        "first": links.first_url,
        "previous": links.newer_url,
        "next": links.older_url,
        "last": links.last_url,
    }


def _link_header(links: Mapping[str, str | None]) -> str:
    """Format the links of a page as the header ``Link``, without those that are None."""
    named = []
    for name, url in links.items():
        if url:
            named.append(f'<{url}>; rel="{name}"')
    return ", ".join(named)


def _units_spent(page: Page) -> float:
    """Return the units of all that the request has read; those of its page without a meter."""
    meter = current_meter()
    if meter is None:
        return page.capacity_units
    return meter.units


def _units_left_by(page: Page) -> float:
    """Return the units that are left for another page in its place.

    What else was read counts as well: it is read again with that, as the counts of a product.
    """
    return max(page.most_units - _units_spent(page), 0)


def _cursor_pager(
    request: HttpRequest, pager: Pager, more: QueryDict | None = None
) -> _CursorPager:
    """Return the pager of a list at the address of a request, filter included."""
    query = request.GET.copy()
    query.pop("cursor", None)
    if more is not None:
        for name, values in more.lists():
            query.setlist(name, values)
    url = request.path
    if query:
        url += f"?{query.urlencode()}"
    return _CursorPager(url, pager.list_name)


def token_of(request: HttpRequest) -> bytes:
    """Return 16 bytes, the same for a caller's ``Idempotency-Key`` and body, else random ones."""
    key = request.headers.get(IDEMPOTENCY_KEY)
    if not key:
        return token_bytes(16)
    # Two callers may send the same key, and one caller the same key with another body.
    content = f"{caller_of(request).id}/{key}/".encode() + request.body
    return salted_hmac("dynapages.ninja", content, algorithm="sha256").digest()[:16]


# Errors.


class _Problem(Schema):
    """An error (RFC 9457): ``detail`` is a sentence that says what is allowed."""

    type: str
    title: str
    status: int
    detail: str


class ProblemAPI(NinjaAPI):
    """An API whose errors are problems, in its answers and in its schema."""

    def __init__(self, *, errors: Sentences, **options: Any) -> None:  # noqa: ANN401 - ninja's
        super().__init__(**options)
        for kind, (status, sentence) in errors.items():
            self.add_exception_handler(kind, partial(_as_problem, status, sentence))

    def set_default_exception_handlers(self) -> None:
        """Have each error that a caller can see be a problem."""
        self.add_exception_handler(Http404, partial(_as_problem, HTTPStatus.NOT_FOUND, None))
        self.add_exception_handler(HttpError, _of_status)
        self.add_exception_handler(ValidationError, _invalid)
        for kind in (Refusal, *FAILURES):
            self.add_exception_handler(kind, _refused)

    def get_openapi_operation_id(self, operation: Operation) -> str:
        """Return the names of the operation's app and function, such as ``comments_edit``."""
        view = operation.view_func
        return f"{view.__module__.partition('.')[0]}_{view.__name__}"

    def create_temporal_response(self, request: HttpRequest) -> HttpResponse:
        """Return the answer that an operation fills: caches may keep what everybody may read."""
        response = super().create_temporal_response(request)
        if caller_of(request) is ANONYMOUS:
            patch_cache_control(response, public=True, max_age=0, s_maxage=SHARED_SECONDS)
            patch_vary_headers(response, ("Authorization",))
        else:
            add_never_cache_headers(response)
        return response

    def get_openapi_schema(self, **options: Any) -> OpenAPISchema:  # noqa: ANN401 - ninja's
        """Return the schema, with the problems of each operation."""
        schema = super().get_openapi_schema(**options)
        schema["components"]["schemas"]["Problem"] = _Problem.model_json_schema()
        schema["components"]["securitySchemes"].pop(_NoKey.__name__, None)
        for operations in schema["paths"].values():
            for method, operation in operations.items():
                _describe_operation(operation, is_read=method == "get")
        return schema


def _describe_operation(operation: dict[str, Any], *, is_read: bool) -> None:
    """Complete the schema of an operation: its keys, and the problems it may be answered with."""
    operation["summary"] = operation.pop("description")
    # In OpenAPI, that a key may be left out is an empty requirement.
    security: list[dict[str, Any]] = []
    for requirement in operation["security"]:
        if _NoKey.__name__ in requirement:
            security.append({})
        else:
            security.append(requirement)
    operation["security"] = security
    statuses = [*PROBLEMS]
    if is_read:
        statuses.remove(HTTPStatus.CONFLICT)
    else:
        operation["parameters"].append(_IDEMPOTENCY)
    content = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    for status in statuses:
        response = {"description": status.phrase, "content": content}
        operation["responses"].setdefault(status.value, response)


def _as_problem(
    status: HTTPStatus, sentence: object, _request: HttpRequest, error: Exception
) -> HttpResponse:
    """Answer with a status and a sentence, or with that of the error where there is none."""
    return problem(status, sentence or error)


def _of_status(_request: HttpRequest, error: Any) -> HttpResponse:  # noqa: ANN401 - ninja's
    if not isinstance(error, AuthenticationError):
        return problem(HTTPStatus(error.status_code), error.message)
    sentence = _("Send a key of the API that is valid: “Authorization: Bearer …”.")
    response = problem(HTTPStatus.UNAUTHORIZED, sentence)
    response["WWW-Authenticate"] = "Bearer"
    return response


def _invalid(_request: HttpRequest, error: Any) -> HttpResponse:  # noqa: ANN401 - ninja's
    errors = []
    for each in error.errors:
        detail = each["msg"].removeprefix("Value error, ")
        errors.append({"at": _name_of_value(each["loc"]), "detail": detail})
    sentence = "; ".join(f"{each['at']}: {each['detail']}" for each in errors)
    return problem(HTTPStatus.UNPROCESSABLE_ENTITY, sentence, errors=errors)


def _name_of_value(location: Sequence[str | int]) -> str:
    """Return where a value stands, without the name of the argument that has all of them.

    A location is the source, such as ``body``, the argument's name, and the path in that.
    """
    has_path = len(location) > 2 and isinstance(location[2], str)  # noqa: PLR2004 - see above
    path = location[1:]
    if has_path:
        path = location[2:]
    return ".".join(map(str, [location[0], *path]))


def _refused(request: HttpRequest, error: Any) -> HttpResponse:  # noqa: ANN401 - ninja's
    response = refusal_of(request, error)
    # What nobody can do anything about is for the log, and answered with 500.
    if response is None:
        raise error
    return response
