"""A small shop at some moments, its tables brought back to whichever of them a test wants.

The moments are snapshots of all tables. Between two of them everything happens that writes into
more than one table, or is found in one by what is in another.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from io import StringIO
from random import Random
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client, override_settings

from comments.host import SETS
from comments.models import TABLE as COMMENTS
from comments.posting.services import Draft, delete_comment, draft_of
from comments.replies.services import find_reply, reply_to
from comments.reports.services import Reason, report_comment
from comments.search.models import TABLE as WORDS
from comments.sets.copies import Consumer
from comments.sets.models import TABLE as COPIES
from comments.store.comments import load_comment
from comments.votes.services import cast_vote
from dynapages.calls import clock
from dynapages.django.callers import Scope
from dynapages.process import connect, current_connection
from shop import keys
from shop.accounts.confirmation import confirm
from shop.accounts.queries import find_user
from shop.accounts.services import create_profile
from shop.activity.months import Month
from shop.activity.recording import LOG
from shop.api_keys.services import create_key, list_keys, revoke_key
from shop.catalogue.content import NewProduct
from shop.catalogue.editing import (
    find_editable,
    find_editable_category,
    save_category,
    save_product,
)
from shop.catalogue.services import put_catalogue
from shop.order_status import Status
from shop.orders.moving import move_order
from shop.orders.placing import order_placed_by, place_order
from shop.table import TABLE as SHOP
from tests.support.catalogue.making import category
from tests.support.comments.deciding import feature, hide, restore
from tests.support.comments.outage import own_engine
from tests.support.comments.posting import edit_as, post_as
from tests.support.snapshots import Snapshot
from tests.support.work import finish_what_waits

MODELS = (
    "shop.models.ShopItem",
    "comments.models.Comment",
    "comments.sets.models.CommentSetItem",
    "comments.search.models.WordItem",
)
TABLES = ("shop", "comments", "words", "sets", "activity")
MOMENTS = ("early", "middle", "late")
"""Those at which nothing is left to be done."""
LIFE = (Status.PLACED, Status.APPROVED, Status.PROCESSING, Status.SHIPPED, Status.DELIVERED)
LONG = "A long text about a lamp, which lists cut and a page of its own shows. " * 12
NEVER = "never"
STAFF, BUYER, ERASED = "sam", "alice", "eve"
KEY = "Till"
"""The name of a key of the API that is revoked."""


@contextmanager
def every_read_model() -> Iterator[None]:
    """Have the site use all its tables, on an engine of the block's own."""
    options = {**settings.COMMENTS, "READ_MODEL": SETS, "SEARCH": True}
    with override_settings(COMMENTS=options, DYNAMODB_MODELS=MODELS), own_engine():
        yield


@dataclass(frozen=True)
class Moments:
    """The tables at moments, the earliest first; ``unfinished`` is while work is going on.

    ``revoked_key`` is the text of a key of the API that was revoked between the last two,
    ``staff_key`` that of one which is valid at each.
    """

    early: Snapshot
    middle: Snapshot
    unfinished: Snapshot
    late: Snapshot
    revoked_key: str
    staff_key: str

    def bring_back(self, **moments: str) -> None:
        """Bring tables back, each to a moment by its name; the others are as they are ``late``.

        At the moment ``never`` a table is empty.
        """
        items = dict(self.late.items)
        for name, moment in moments.items():
            table = table_called(name)
            items[table] = {} if moment == NEVER else getattr(self, moment).items[table]
        Snapshot(items).restore()
        forget()

    def order_ids(self, username: str) -> list[str]:
        """The ids of all orders that a user has ever placed."""
        order_ids = []
        for partition_key, sort_key in self.late.items[SHOP]:
            if partition_key == keys.user(username) and sort_key.startswith(keys.ORDER_PREFIX):
                order_ids.append(sort_key.removeprefix(keys.ORDER_PREFIX))
        return order_ids

    def tear(self, name: str, rng: Random) -> None:
        """Bring a table back with each item as it was at one of two moments, by chance."""
        table = table_called(name)
        pairs = [(self.early, self.late), (self.middle, self.late), (self.early, self.middle)]
        first, second = rng.choice(pairs)
        torn = {}
        for key in sorted(first.items[table].keys() | second.items[table].keys()):
            items = rng.choice([first, second]).items[table]
            if key in items:
                torn[key] = items[key]
        Snapshot({**self.late.items, table: torn}).restore()
        forget()


def table_called(name: str) -> str:
    """The name of a table of `TABLES` in DynamoDB."""
    tables = {"shop": SHOP, "comments": COMMENTS, "words": WORDS, "sets": COPIES}
    return tables.get(name) or Month.of(clock.now()).table


def forget() -> None:
    """Forget what the process knows of tables, as a process that starts on restored ones."""
    connect(current_connection())
    cache.clear()


def live() -> Moments:
    """Open a shop, and let time pass in it; return it at its moments."""
    _open()
    _key, text = create_key(name=KEY, scope=Scope.WRITE, username=BUYER, now=clock.now())
    _key, staff_key = create_key(name="Office", scope=Scope.STAFF, username=STAFF, now=clock.now())
    early = _at_rest()
    _first_week()
    assert post_by_key(text).status_code == 201
    middle = _at_rest()
    _second_week()
    unfinished = Snapshot.taken()
    late = _at_rest()
    return Moments(early, middle, unfinished, late, revoked_key=text, staff_key=staff_key)


def _at_rest() -> Snapshot:
    """Take a snapshot when all is done that follows from what was written."""
    finish_what_waits()
    Consumer(pause=0).walk().drain()
    LOG.flush(seconds=5)
    return Snapshot.taken()


# What happens


def _open() -> None:
    now = clock.now()
    for name in (STAFF, BUYER, "bob", "carol", ERASED):
        create_profile(
            username=name,
            password="secret",
            now=now,
            email=f"{name}@mail.example",
            is_staff=name == STAFF,
        )
    categories = [category("home"), category("light", "home"), category("garden")]
    products = [
        NewProduct("lamp", "Desk lamp", ("light",), "Warm.", 1_999, "EUR"),
        NewProduct("chair", "Garden chair", ("garden",), "", 4_900, "EUR"),
        NewProduct("pan", "Frying pan", ("home",), "", 2_500, "EUR"),
        NewProduct("rug", "Small rug", ("home",), "", 900, "EUR"),
    ]
    put_catalogue(categories=categories, products=products)
    create_key(name="Eve's", scope=Scope.WRITE, username=ERASED, now=now)
    buy(BUYER, "basket-1", "lamp", "pan", until=Status.DELIVERED)
    buy("bob", "basket-2", "chair", until=Status.SHIPPED)
    buy(ERASED, "basket-3", "rug", until=Status.DELIVERED)
    for number, product in enumerate(("lamp", "chair", "pan", "rug")):
        write(f"old-{product}-1", BUYER, product, 5, "Sturdy and bright")
        write(f"old-{product}-2", "bob", product, 1 + number, LONG)
        write(f"old-{product}-3", ERASED, product, 4, "Secret memories", language="de")
    cast_vote(comment_id="old-lamp-1", user_id="bob")
    cast_vote(comment_id="old-lamp-1", user_id=ERASED)
    cast_vote(comment_id="old-rug-1", user_id="carol")
    answer("old-pan-1", "Thank you.")
    report("old-chair-1", "carol")
    hide(comment_id="old-rug-2")


def _first_week() -> None:
    now = clock.now()
    create_profile(username="dora", password="secret", now=now, email="dora@mail.example")
    save_product(NewProduct("bed", "Wooden bed", ("home",), "", 30_000, "EUR"))
    rename("lamp", "Reading lamp")
    move_category("light", None)
    rename_category("garden", "Outdoors")
    buy("dora", "basket-4", "bed", "lamp", until=Status.DELIVERED)
    buy(BUYER, "basket-5", "rug", until=Status.PLACED)
    deliver("bob", "basket-2", Status.SHIPPED)
    write("new-bed-1", "dora", "bed", 5, "Comfortable nights")
    write("new-lamp-1", "dora", "lamp", 2, "Flickers sometimes")
    write("new-chair-1", BUYER, "chair", 3, LONG)
    edit("old-lamp-1", "Dimmer than before")
    edit("old-chair-2", "Short now")
    edit("old-pan-1", LONG + "Edited.")
    delete_comment("old-pan-2")
    cast_vote(comment_id="old-lamp-2", user_id=BUYER)
    cast_vote(comment_id="new-bed-1", user_id=BUYER)
    cast_vote(comment_id="old-lamp-1", user_id="carol")
    answer("old-lamp-2", "We are sorry.")
    answer("old-pan-1", "Thank you very much.")
    report("old-lamp-2", "dora")
    hide(comment_id="old-chair-1")
    restore(comment_id="old-rug-2")
    feature("old-lamp-1")
    confirm("carol", "carol@mail.example")
    call_command("delete_user_data", ERASED, stdout=StringIO())


def _second_week() -> None:
    for key in list_keys():
        if key.name == KEY:
            revoke_key(key.id, now=clock.now())
    user = find_user("bob")
    user.email = "bob@other.example"
    user.set_password("another")
    user.save()
    save_product(NewProduct("sofa", "Velvet sofa", ("home",), "", 90_000, "EUR"))
    rename("bed", "Oak bed")
    stored = find_editable("chair")
    save_product(replace(stored.content, is_off=True), version=stored.version)
    buy("carol", "basket-6", "sofa", "bed", until=Status.DELIVERED)
    move(BUYER, "basket-5", Status.PLACED, Status.CANCELED)
    write("late-sofa-1", "carol", "sofa", 5, "Velvet dreams")
    write("late-bed-1", "carol", "bed", 1, "Creaks awfully")
    edit("new-bed-1", "Comfortable until it creaked")
    delete_comment("new-lamp-1")
    delete_comment("old-rug-1")
    hide(comment_id="new-chair-1")
    create_profile(username="fred", password="secret", now=clock.now(), email="fred@mail.example")
    write("late-lamp-1", "fred", "lamp", 4, "Elegant", language="fr")
    cast_vote(comment_id="late-sofa-1", user_id="fred")


# Single writes


def write(
    comment_id: str, who: str, product: str, rating: int, text: str, *, language: str = "en"
) -> None:
    post_as(
        who,
        Draft(rating, language, "Title", text),
        comment_id=comment_id,
        product_id=product,
        author=who,
        now=clock.now(),
    )


def post_by_key(key: str) -> Any:
    """Post a comment by a key of the API, or have the answer to the same request again."""
    return Client().post(
        "/api/v1/products/rug/comments",
        {"rating": 2, "title": "Thin", "text": "Bright, but thin"},
        content_type="application/json",
        headers={"Authorization": f"Bearer {key}", "Idempotency-Key": "rug"},
    )


def edit(comment_id: str, text: str) -> None:
    stored = load_comment(comment_id)
    edit_as(
        stored.comment.user_id,
        replace(draft_of(stored.comment), body=text),
        comment_id=comment_id,
        version=stored.version,
        now=clock.now(),
    )


def answer(comment_id: str, text: str) -> None:
    seen = find_reply(comment_id)
    reply_to(
        comment_id=comment_id, text=text, user_id=STAFF, author=STAFF, seen=seen, now=clock.now()
    )


def report(comment_id: str, who: str) -> None:
    report_comment(
        comment_id=comment_id,
        user_id=who,
        author=who,
        reason=Reason.SPAM,
        text="",
        now=clock.now(),
    )


def rename(product_id: str, name: str) -> None:
    stored = find_editable(product_id)
    save_product(replace(stored.content, name=name), version=stored.version)


def rename_category(slug: str, name: str) -> None:
    stored = find_editable_category(slug)
    save_category(replace(stored.content, name=name), version=stored.version)


def move_category(slug: str, parent: str | None) -> None:
    stored = find_editable_category(slug)
    save_category(replace(stored.content, parent=parent), version=stored.version)


def buy(who: str, client_id: str, *products: str, until: Status) -> None:
    """Place an order, and move it on to a status."""
    basket: Mapping[str, int] = dict.fromkeys(products, 1)
    place_order(username=who, client_id=client_id, basket=basket, now=clock.now())
    source = Status.PLACED
    for target in LIFE[1 : LIFE.index(until) + 1]:
        move(who, client_id, source, target)
        source = target


def deliver(who: str, client_id: str, source: Status) -> None:
    move(who, client_id, source, Status.DELIVERED)


def move(who: str, client_id: str, source: Status, target: Status) -> None:
    order_id = order_placed_by(username=who, client_id=client_id)
    assert order_id
    move_order(
        username=who,
        order_id=order_id,
        source=source,
        target=target,
        is_staff=True,
        who=STAFF,
        now=clock.now() + timedelta(seconds=1),
    )
