"""Who sends the forms that are measured, what they are about, and what a form of a page holds."""

import itertools
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import Any

from django.test import Client

from comments.store.comments import StoredComment
from dynapages.calls import clock
from dynapages.django.callers import Scope
from shop.accounts.queries import find_user
from shop.accounts.services import create_profile
from shop.catalogue.content import NewCategory, NewProduct
from shop.catalogue.services import put_catalogue
from shop.order_status import Status
from shop.orders.items import NewLine, NewOrder
from tests.support.accounts.cast import PASSWORD
from tests.support.chance import unique
from tests.support.comments.writers import Writer, load_older, made_product
from tests.support.config.api import Program, program_of
from tests.support.markup import Element
from tests.support.orders.making import made_order, put
from tests.support.orders.queueing import LONG_AGO

OLDER_COMMENTS = 12
LONG = "A long story, told at length. " * 130
"""The text of a comment, of 4 KB."""
_addresses = (f"10.11.{n >> 8 & 255}.{n & 255}" for n in itertools.count(1))
_days_before = itertools.count(1)


@dataclass(frozen=True)
class Form:
    """A form that is filled in, in the browser that sends it."""

    browser: Client
    path: str
    fields: dict[str, Any]

    def send(self) -> Any:
        """Send it, and return the answer with all that it streams."""
        answer = self.browser.post(self.path, self.fields)
        if answer.streaming:
            b"".join(answer.streaming_content)
        return answer


class Cast:
    """People and programs who have written nothing yet, all at a network address of their own."""

    def __init__(self) -> None:
        self.address = next(_addresses)
        self.turn = itertools.count()

    @cached_property
    def author(self) -> Writer:
        return self.someone("author")

    @cached_property
    def reader(self) -> Writer:
        return self.someone("reader")

    @cached_property
    def staff(self) -> Writer:
        return self.someone("staff", is_staff=True)

    @cached_property
    def program(self) -> Program:
        return program_of(self.author.username)

    @cached_property
    def reading_program(self) -> Program:
        return program_of(self.reader.username)

    @cached_property
    def staff_program(self) -> Program:
        return program_of(self.staff.username, Scope.STAFF)

    def someone(self, kind: str, *, is_staff: bool = False, email: str | None = None) -> Writer:
        username = unique(kind)
        create_profile(
            username=username, password=PASSWORD, now=clock.now(), is_staff=is_staff, email=email
        )
        return self.browser_of(username)

    def browser_of(self, username: str) -> Writer:
        """Another browser of somebody who is signed in."""
        browser = self.stranger()
        browser.force_login(find_user(username))
        return Writer(username, browser)

    def stranger(self) -> Client:
        return Client(REMOTE_ADDR=self.address)


# What forms are about


def shelf() -> str:
    """A product with comments, the newest of which was posted here."""
    product_id = made_product()
    load_older(product_id, count=OLDER_COMMENTS)
    Writer(unique("first"), Client()).has_written(product_id)
    return product_id


def comment_of(writer: Writer, **said: str) -> StoredComment:
    """A comment on a product with others, posted past the site's pages: it counts for no limit."""
    return writer.has_written(shelf(), **said)


def lamp() -> str:
    """A product that is sold."""
    product_id = unique("lamp")
    put_catalogue(categories=[], products=[sold(product_id)])
    return product_id


def sold(product_id: str, *categories: str) -> NewProduct:
    return NewProduct(product_id, "Lamp", categories, "Warm.", 1_999, "EUR")


def category() -> str:
    slug = unique("shelf")
    put_catalogue(categories=[NewCategory(slug, "Shelf", None)], products=[])
    return slug


def order_of(username: str, status: Status = Status.PLACED, *, lines: int = 2) -> NewOrder:
    """An order of so many products."""
    order = made_order(
        username, status, placed_at=clock.now() - timedelta(hours=2), lines=_lines(lines)
    )
    put(order)
    return order


def oldest_orders(status: Status, *, number: int) -> list[NewOrder]:
    """Orders of different customers that come first in the queue."""
    placed_at = LONG_AGO - timedelta(days=next(_days_before))
    orders = [
        made_order(
            unique("customer"),
            status,
            placed_at=placed_at + timedelta(minutes=minute),
            lines=_lines(2),
        )
        for minute in range(number)
    ]
    put(*orders)
    return orders


def _lines(number: int) -> list[NewLine]:
    return [NewLine(unique("lamp"), "Desk lamp", 2, 1_999) for _ in range(number)]


# What forms hold


def form_to(page: Element, path: str) -> Element:
    """The first form of a page that is sent to a path."""
    sent = page.all("form", method="post")
    found = [form for form in sent if (form.get("action") or "").partition("?")[0] == path]
    assert found, (path, [form.get("action") for form in sent])
    return found[0]


def typed(form: Element) -> dict[str, Any]:
    """What a form of a page sends if nothing is changed."""
    sent: dict[str, Any] = {}
    for field in form.all("input"):
        is_chosen = field.get("type") not in {"checkbox", "radio"} or field.get("checked") == ""
        if field.get("name") and is_chosen:
            sent[field["name"]] = field.get("value") or ""
    for area in form.all("textarea"):
        sent[area["name"]] = area.text
    for select in form.all("select"):
        chosen = [one["value"] for one in select.all("option") if "selected" in one.attributes]
        sent[select["name"]] = chosen if "multiple" in select.attributes else (*chosen, "")[0]
    sent.pop("csrfmiddlewaretoken", None)
    return sent


def form_of(visitor: Writer, path: str, fields: dict[str, Any] | None = None) -> Form:
    return Form(visitor.browser, path, fields or {})


SAID = {"rating": 4, "title": "Bright", "text": "It lights up the whole desk.", "language": "en"}
