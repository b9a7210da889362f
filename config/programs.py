"""How a program reads the page of a list: ``manage.py explain …``, and the Python that made it."""

import shlex
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
from shop.orders.filters import OrderFilter
from shop.orders.listing import OrderList, filter_of, queue_pager


def program_of(url: str, *, owner: str = "") -> dict[str, Any]:
    """Return the command for the page of a list at a URL, and what its Python is made of.

    Nothing for other lists, and for searches that staff alone can make. ``owner`` is whose orders
    they are at the address of one's own. Raises Refusal.
    """
    parts = urlsplit(url)
    path, values = unquote(parts.path), QueryDict(parts.query)
    match, program = resolve(path), dict[str, Any]()
    if match.view_name == "comments:list":
        product_id, *spelled = match.kwargs.values()
        chosen = CommentFilter.parse(*spelled)
        order = CommentOrder.parse(values.get("order", CommentOrder.NEWEST))
        try:
            search = SearchRequest(parse_search(values["q"])) if "q" in values else None
        except BadSearch:
            return program
        if "hidden" in values:  # which only staff's own pages read
            return program
        pager = pager_of(product_id, chosen, order, search)
        program |= {"product_id": product_id, "chosen": chosen, "order": order, "search": search}
        options = zip(("product", "languages", "ratings"), (product_id, *spelled), strict=True)
        words = [f"--{name}={value.replace('.', ',')}" for name, value in options if value != ANY]
        words.insert(0, "comments")
    elif match.view_name == "staff_orders":
        queued = filter_of(values, path, of_queue=True)
        pager, words = queue_pager(queued), ["orders", "--queue"]
        program["chosen"] = _parsed(queued, values)
    elif match.view_name in {"orders", "staff_customer_orders"}:
        owner = match.kwargs.get("username", owner)
        own = filter_of(values, path)
        pager, words = OrderList(owner, path).pager(own), ["orders", f"--user={owner}"]
        program |= {"owner": owner, "chosen": _parsed(own, values)}
    else:
        return program
    for name, value in parse_qsl(parts.query):
        option = f"--{'search' if name == 'q' else name}"
        words.append(option if name == "open" else f"{option}={value}")
    program["request"] = pager.requested(values, size=settings.PAGE_SIZE)
    return program | {"command": shlex.join(["python", "manage.py", "explain", *words])}


def _parsed(chosen: OrderFilter, values: QueryDict) -> str:
    given: dict[str, object] = {"statuses": [str(status) for status in chosen.statuses]}
    named = {"since": "from", "until": "to", "is_open": "open"}
    given |= {name: values.get(parameter, "") for name, parameter in named.items()}
    return ", ".join(f"{name}={value!r}" for name, value in given.items() if value)
