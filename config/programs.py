"""How a program reads the page of a list: ``manage.py explain …``, and the Python that made it.

Both are made from the page's URL, which names the list, its filter and the position. The Python is
for ``manage.py shell``. It has the position itself, at which every query of the page resumes.
"""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit

from django.conf import settings
from django.http import QueryDict
from django.urls import resolve

from comments.filters import CommentFilter
from comments.lists.listing import pager_of
from comments.lists.orders import CommentOrder
from dynapages.django.formats import PARAMETER
from dynapages.django.paging import Pager
from dynapages.lists import Toward
from shop.order_status import OPEN
from shop.orders.filters import OrderFilter
from shop.orders.listing import OrderList, filter_of, queue_pager


@dataclass(frozen=True, slots=True)
class Program:
    """The command that explains a page, and the Python that reads it into ``page``."""

    command: str
    python: str


def program_of(url: str, *, owner: str = "") -> Program | None:
    """Return the programs for the page of a list at a URL; None where there are none.

    ``owner`` is whose orders they are at the address of one's own. Raises Refusal.
    """
    parts = urlsplit(url)
    path, values = unquote(parts.path), QueryDict(parts.query)
    match = resolve(path)
    username = match.kwargs.get("username", owner)
    if match.view_name == "comments:list":
        return _of_comments(values, **match.kwargs)
    if match.view_name == "staff_orders":
        chosen = filter_of(values, path, among=OPEN)
        return _of_orders(values, chosen, queue_pager(chosen))
    if match.view_name in {"orders", "staff_customer_orders"}:
        chosen = filter_of(values, path, is_open=values.get("open", ""))
        pager = OrderList(username, path).pager(chosen)
        return _of_orders(values, chosen, pager, owner=username)
    return None


def _of_comments(values: QueryDict, product_id: str, languages: str, ratings: str) -> Program:
    chosen = CommentFilter.parse(languages, ratings)
    order = CommentOrder.parse(values.get("order", CommentOrder.NEWEST))
    product, pager = repr(product_id), pager_of(product_id, chosen, order)
    parts = {"languages": chosen.languages, "ratings": [*map(str, chosen.ratings)]}
    options = [f"--{name}={','.join(part)}" for name, part in parts.items() if part]
    imports = [
        "comments.filters import CommentFilter",
        "comments.lists.queries import list_comments",
    ]
    arguments = [product, repr(chosen), _page(values, pager), f"counts=counts_of({product})"]
    if order is not CommentOrder.NEWEST:
        imports.append("comments.lists.orders import CommentOrder")
        arguments.append(f"order=CommentOrder.{order.name}")
    imports.append("comments.store.counts import counts_of")
    return Program(
        _command(values, "comments", f"--product={product_id}", *options),
        _python(imports, "list_comments", arguments),
    )


def _of_orders(values: QueryDict, chosen: OrderFilter, pager: Pager, *, owner: str = "") -> Program:
    function, whose = "list_open_orders", "--queue"
    if owner:
        function, whose = "list_orders", f"--user={owner}"
    statuses = [status.value for status in chosen.statuses]
    given = {"statuses": statuses, "is_open": "1" if chosen.open_only else ""}
    given |= {"since": values.get("from", ""), "until": values.get("to", "")}
    parsed = ", ".join(f"{name}={value!r}" for name, value in given.items() if value)
    imports = ["shop.orders.filters import OrderFilter", f"shop.orders.queries import {function}"]
    first = [repr(owner)] if owner else []
    arguments = [*first, f"OrderFilter.parse({parsed})", _page(values, pager)]
    return Program(_command(values, "orders", whose), _python(imports, function, arguments))


def _command(values: QueryDict, *words: str) -> str:
    """Format the command; the other values of a URL are options of the same name."""
    pairs = parse_qsl(values.urlencode())
    others = [
        f"--{name}" if name == "open" else f"--{name}={value}"
        for name, value in pairs
        if name != PARAMETER
    ]
    return shlex.join(["python", "manage.py", "explain", *words, *others])


def _page(values: QueryDict, pager: Pager) -> str:
    """Format the page that a URL asks for as Python."""
    request = pager.requested(values, size=settings.PAGE_SIZE)
    arguments = [str(request.size)]
    if position := request.position:
        given = [repr(each) for each in (position.place, position.rest) if each]
        arguments.append(f"Position({', '.join(given)})")
    if request.toward is Toward.PREVIOUS:
        arguments.append("toward=Toward.PREVIOUS")
    return f"PageRequest({', '.join(arguments)})"


def _python(imports: Sequence[str], function: str, arguments: Sequence[str]) -> str:
    call = "\n".join([f"page = {function}(", *(f"    {each}," for each in arguments), ")"])
    names = [name for name in ("PageRequest", "Position", "Toward") if name in call]
    lines = [f"from {each}" for each in (*imports, f"dynapages.lists import {', '.join(names)}")]
    return "\n".join(["# python manage.py shell", *lines, "", call])
