"""How a program reads the page of a list: ``manage.py explain …``, and the Python that made it."""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.conf import settings
from django.http import QueryDict
from django.urls import resolve

from comments.filters import ANY, CommentFilter
from comments.lists.listing import pager_of
from comments.lists.orders import CommentOrder
from comments.lists.search_queries import SearchRequest
from comments.search.words import BadSearch, parse_search
from dynapages.django.paging import Pager
from shop.orders.filters import OrderFilter
from shop.orders.listing import OrderList, filter_of, queue_pager


@dataclass(frozen=True, slots=True)
class ListProgram:
    """How a program reads a list: the options of ``explain``, and names for a template."""

    pager: Pager
    options: list[str]
    names: dict[str, Any]


def program_of(url: str, *, owner: str = "") -> dict[str, Any]:
    """Return the command for the page of a list at a URL, and what its Python is made of.

    Nothing for other lists, and for searches that staff alone can make. ``owner`` is whose orders
    they are at the address of one's own. Raises Refusal.
    """
    parts = urlsplit(url)
    path, values = unquote(parts.path), QueryDict(parts.query)
    match = resolve(path)
    if match.view_name == "comments:list":
        list_program = _comments_program(match.kwargs, values)
    elif match.view_name == "staff_orders":
        list_program = _queue_program(path, values)
    elif match.view_name in {"orders", "staff_customer_orders"}:
        list_program = _orders_program(path, values, owner=match.kwargs.get("username", owner))
    else:
        list_program = None
    if list_program is None:
        return {}
    options = [*list_program.options, *_options_in(parts.query)]
    command = shlex.join(["python", "manage.py", "explain", *options])
    request = list_program.pager.requested(values, size=settings.PAGE_SIZE)
    return {**list_program.names, "request": request, "command": command}


def _comments_program(address: Mapping[str, str], values: QueryDict) -> ListProgram | None:
    """Return that of a product's comments; ``address`` are the parts of the list's path."""
    product_id, languages, ratings = address.values()
    chosen = CommentFilter.parse(languages, ratings)
    order = CommentOrder.parse(values.get("order", CommentOrder.NEWEST))
    search = None
    if "q" in values:
        try:
            search = SearchRequest(parse_search(values.get("q", "")))
        except BadSearch:
            return None
    # Lists with hidden comments are read by staff's own pages alone.
    if "hidden" in values:
        return None
    options = ["comments", f"--product={product_id}"]
    if languages != ANY:
        options.append(f"--languages={languages.replace('.', ',')}")
    if ratings != ANY:
        options.append(f"--ratings={ratings.replace('.', ',')}")
    names = {"product_id": product_id, "chosen": chosen, "order": order, "search": search}
    return ListProgram(pager_of(product_id, chosen, order, search), options, names)


def _queue_program(path: str, values: QueryDict) -> ListProgram:
    chosen = filter_of(values, path, of_queue=True)
    names = {"chosen": _filter_arguments(chosen, values)}
    return ListProgram(queue_pager(chosen), ["orders", "--queue"], names)


def _orders_program(path: str, values: QueryDict, *, owner: str) -> ListProgram:
    chosen = filter_of(values, path)
    names = {"owner": owner, "chosen": _filter_arguments(chosen, values)}
    pager = OrderList(owner, path).pager(chosen)
    return ListProgram(pager, ["orders", f"--user={owner}"], names)


def _options_in(query: str) -> Iterator[str]:
    """Yield the options of ``explain`` that say the same as the query of a URL."""
    for name, value in parse_qsl(query):
        if name == "q":
            yield f"--search={value}"
        elif name == "open":
            yield "--open"
        else:
            yield f"--{name}={value}"


def _filter_arguments(chosen: OrderFilter, values: QueryDict) -> str:
    """Return the arguments of `OrderFilter.parse` for the filter in a URL, as Python."""
    given: dict[str, object] = {
        "statuses": [str(status) for status in chosen.statuses],
        "since": values.get("from", ""),
        "until": values.get("to", ""),
        "is_open": values.get("open", ""),
    }
    arguments = []
    for name, value in given.items():
        if value:
            arguments.append(f"{name}={value!r}")
    return ", ".join(arguments)
