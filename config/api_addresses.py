"""The address of a list's page in the API: the same items, by the same filter and position."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from django.urls import resolve, reverse

from comments.filters import ANY

END = "end"
"""The value of a page's ``before``, and of the API's ``cursor``, for the last page."""
OPERATIONS = {
    "comments:list": "list_comments",
    "comments:profile": "written_by",
    "comments:most_loved": "most_loved",
    "comments:recently_commented": "recently_commented",
    "categories": "list_categories",
    "category": "list_products",
    "products": "all_products",
    "search": "search_products",
    "orders": "own_orders",
    "staff_customer_orders": "customer_orders",
    "staff_orders": "open_orders",
}
"""The operation of the API that has the list of a page, by the page's route."""
WITH_A_KEY = frozenset({"own_orders", "customer_orders", "open_orders"})
"""The operations that answer nobody without a key."""
PARAMETERS = {"from": "since", "to": "until"}
"""Parameters of pages that have another name in the API."""
SWITCHES = frozenset({"open", "hidden"})
"""Parameters that are ``1`` in a page's address and ``true`` in the API."""
OF_THE_PATH = {"languages": "language", "ratings": "rating"}
"""Parts of a page's path that are parameters in the API, with dots between their values."""


@dataclass(frozen=True, slots=True)
class ApiAddress:
    """The path and query of a list in the API, and whether it is read with a key alone."""

    url: str
    needs_key: bool


def api_address_of(url: str) -> ApiAddress | None:
    """Return the address in the API of the page of a list, None where the API has no such list.

    ``url`` is the path and query of the page, as its pager writes them.
    """
    parts = urlsplit(url)
    match = resolve(unquote(parts.path))
    operation = OPERATIONS.get(match.view_name)
    if operation is None:
        return None
    in_path, query = _arguments(match.kwargs)
    query.extend(_parameters(parts.query))
    address = reverse(f"api:{operation}", args=in_path)
    if query:
        address = f"{address}?{urlencode(query)}"
    return ApiAddress(address, operation in WITH_A_KEY)


def _arguments(of_page: Mapping[str, object]) -> tuple[list[str], list[tuple[str, str]]]:
    """Return what the path of the API takes of that of a page, and what its query takes of it."""
    in_path, in_query = [], []
    for name, value in of_page.items():
        if name not in OF_THE_PATH:
            if isinstance(value, str):  # a view's own arguments are no part of the address
                in_path.append(value)
        elif value != ANY:
            for one in str(value).split("."):
                in_query.append((OF_THE_PATH[name], one))
    return in_path, in_query


def _parameters(query: str) -> Iterator[tuple[str, str]]:
    """Yield the parameters of the API that say the same as the query of a page."""
    for name, value in parse_qsl(query):
        if name in {"after", "before"}:
            cursor = f"{name}.{value}"
            if value == END:
                cursor = END
            yield "cursor", cursor
        elif name in SWITCHES:
            yield name, "true"
        else:
            yield PARAMETERS.get(name, name), value
