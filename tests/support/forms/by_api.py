"""The writes of the API, without a name for them and with one (``Idempotency-Key``)."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from comments.votes.services import cast_vote
from shop.order_status import Status
from tests.support.chance import unique
from tests.support.comments.flows import put_reply
from tests.support.config.api import Program
from tests.support.forms.cast import (
    LONG,
    SAID,
    Cast,
    category,
    comment_of,
    lamp,
    oldest_orders,
    order_of,
    shelf,
)

Call = tuple[Program, str, str, object]
"""A program, a method, an address and a body."""
NAMED = ", with an Idempotency-Key"


def post(cast: Cast) -> Call:
    return cast.program, "POST", f"/products/{shelf()}/comments", SAID


def post_long(cast: Cast) -> Call:
    return cast.program, "POST", f"/products/{shelf()}/comments", {**SAID, "text": LONG.strip()}


def replace(cast: Cast) -> Call:
    return cast.program, "PUT", _address(cast), {**SAID, "version": 1}


def change(cast: Cast) -> Call:
    return cast.program, "PATCH", _address(cast), {"title": "Brighter", "version": 1}


def delete(cast: Cast) -> Call:
    return cast.program, "DELETE", _address(cast), None


def delete_as_staff(cast: Cast) -> Call:
    return cast.staff_program, "DELETE", _address(cast), None


def _address(cast: Cast) -> str:
    return f"/comments/{_comment(cast)}"


def _comment(cast: Cast) -> str:
    return comment_of(cast.author).comment.id


def vote(cast: Cast) -> Call:
    return cast.reading_program, "PUT", f"/votes/{_comment(cast)}", None


def withdraw_vote(cast: Cast) -> Call:
    comment_id = _comment(cast)
    cast_vote(comment_id=comment_id, user_id=cast.reader.username)
    return cast.reading_program, "DELETE", f"/votes/{comment_id}", None


def report(cast: Cast) -> Call:
    return cast.reading_program, "PUT", f"/reports/{_comment(cast)}", {"reason": "spam"}


def reply(cast: Cast) -> Call:
    return cast.staff_program, "PUT", f"/replies/{_comment(cast)}", {"text": "Thank you."}


def remove_reply(cast: Cast) -> Call:
    stored = comment_of(cast.author)
    put_reply(stored)
    return cast.staff_program, "DELETE", f"/replies/{stored.comment.id}", None


def hide(cast: Cast) -> Call:
    return cast.staff_program, "POST", f"/decisions/{_comment(cast)}", {"decision": "hide"}


def place(cast: Cast) -> Call:
    lines = [{"product_id": lamp(), "quantity": 2} for _ in range(2)]
    return cast.program, "POST", "/orders", {"lines": lines}


def cancel(cast: Cast) -> Call:
    order = order_of(cast.author.username)
    body = {"source": "PLACED", "target": "CANCELED", "reason": "No longer needed."}
    return cast.program, "POST", f"/orders/{order.id}/moves", body


def move(cast: Cast) -> Call:
    (order,) = oldest_orders(Status.PLACED, number=1)
    body = {"source": "PLACED", "target": "APPROVED"}
    return cast.staff_program, "POST", f"/orders/{order.id}/moves", body


def save_product(cast: Cast) -> Call:
    body = {"name": "Torch", "price": "12.50", "currency": "EUR", "categories": [category()]}
    return cast.staff_program, "PUT", f"/products/{unique('torch')}", body


def change_product(cast: Cast) -> Call:
    return _patch(cast, f"/products/{lamp()}")


def save_category(cast: Cast) -> Call:
    return cast.staff_program, "PUT", f"/categories/{unique('shelf')}", {"name": "Shelf"}


def change_category(cast: Cast) -> Call:
    return _patch(cast, f"/categories/{category()}")


def _patch(cast: Cast, address: str) -> Call:
    version = cast.staff_program.get(address).json()["version"]
    return cast.staff_program, "PATCH", address, {"name": "Torch", "version": version}


CALLS: dict[str, Callable[[Cast], Call]] = {
    "post a comment by API": post,
    "post a comment of 4 KB by API": post_long,
    "replace a comment by API": replace,
    "change parts of a comment by API": change,
    "delete one's comment by API": delete,
    "delete a comment by API, as staff": delete_as_staff,
    "vote by API": vote,
    "take a vote back by API": withdraw_vote,
    "report a comment by API": report,
    "reply to a comment by API": reply,
    "delete a reply by API": remove_reply,
    "hide a comment by API": hide,
    "place an order by API": place,
    "cancel an order by API": cancel,
    "move an order by API": move,
    "create a product by API": save_product,
    "change a product by API": change_product,
    "create a category by API": save_category,
    "change a category by API": change_category,
}


@dataclass(frozen=True)
class NamedCall:
    """A call that is ready to be sent, with a name for it or without."""

    call: Call
    once: str

    def send(self) -> Any:
        program, method, address, body = self.call
        return program.send(method, address, body, once=self.once)


def without_name(call: Callable[[Cast], Call], cast: Cast) -> NamedCall:
    return NamedCall(call(cast), "")


def with_name(call: Callable[[Cast], Call], cast: Cast) -> NamedCall:
    return NamedCall(call(cast), unique("once"))


FORMS: dict[str, Callable[[Cast], NamedCall]] = {}
for _name, _call in CALLS.items():
    FORMS[_name] = partial(without_name, _call)
    FORMS[f"{_name}{NAMED}"] = partial(with_name, _call)
