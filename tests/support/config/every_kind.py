"""A shop with every kind of item, written by the site's services and commands."""

from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import StringIO
from smtplib import SMTPRecipientsRefused

import pytest
from django.core.mail import EmailMessage
from django.core.management import call_command
from django.http import HttpResponse
from django.test import override_settings

from comments.data.checkpoints import save_checkpoint
from comments.data.writer import BulkWriter
from comments.gates import block_author
from comments.items import NewComment, NewReply
from comments.moderation.year_counts import Step, count
from comments.posting.services import add_comment, delete_comment, edit_comment
from comments.rankings.queries import commented_products
from comments.replies.services import find_reply, reply_to
from comments.reports.services import Reason, report_comment
from comments.requests.purchases import DuePurchase
from comments.requests.services import choose, note_reviewed, request_review
from comments.sets.copies import Consumer
from comments.store.comments import load_comment
from comments.store.counts import counters, tallies
from comments.store.table import limiter
from comments.topics.banning import ban
from comments.topics.samples import Vocabularies
from comments.votes.services import cast_vote
from demo.sample import orders, reactions
from demo.sample.catalogue import sample_catalogue
from dynapages.calls import Batches, Pool
from dynapages.django.callers import Scope
from dynapages.django.rate_limits import count_uses
from dynapages.lists import timestamp
from dynapages.process import client
from dynapages.writes import Limit, write_transaction
from lab.figures import find_published
from lab.stored_figures import store_figures
from shop.accounts.confirmation import confirm
from shop.accounts.emails import owed_email
from shop.accounts.queries import find_user
from shop.accounts.rate_limits import SIGN_UPS_WITH_AN_EMAIL
from shop.accounts.second_factor.services import turn_on
from shop.accounts.services import create_profile
from shop.activity.months import Month
from shop.activity.recording import LOG
from shop.activity.shards import forget_shards
from shop.api_keys.answers import begin, finish
from shop.api_keys.services import create_key, revoke_key
from shop.catalogue.content import NewProduct
from shop.catalogue.services import put_catalogue
from shop.order_status import Status
from shop.orders import large_orders
from shop.orders.counts import customer_counter
from shop.orders.ids import imported_order_id
from shop.orders.importing import put_orders
from shop.orders.items import NewLine, NewOrder, NewPickup, StatusChange
from shop.orders.placing import place_order
from shop.sitemap.services import write_sitemap
from shop.table import OPEN_ORDERS, counters_of
from shop.webhooks.events import ORDER_MOVED, ORDER_PLACED
from shop.webhooks.services import create_webhook
from tests.support.catalogue.switching import take_off
from tests.support.comments.deciding import feature, hide
from tests.support.comments.topical import Word, put_topics
from tests.support.orders.addresses import ADDRESS
from tests.support.webhooks import remember_no_webhooks

NOW = datetime.now(UTC)
MODELS = [
    "shop.models.ShopItem",
    "comments.models.Comment",
    "comments.sets.models.CommentSetItem",
]
"""Those of a site whose lists are read from ``comment_sets``."""
AUTHOR, READER, STAFF = "ada", "ben", "cleo"
COUNTED_ON = datetime(2026, 3, 14, tzinfo=UTC)
"""The day of all that is counted in attributes that are called by a day or month."""


def load_every_kind() -> None:
    """Load a small sample shop, and write what it does not have."""
    forget_shards(Month.of(NOW))  # which the process may know of another engine
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reactions, "VOTES", ((2,),))
        patch.setattr(orders, "ORDERS_OF_REGULAR", 10)
        patch.setattr(orders, "ORDERS_OF_OTHERS", 10)
        call_command("load_sample", comments=40, json=True, sign_in=True, stdout=StringIO())
    _write_accounts()
    _write_api_keys()
    _write_webhooks()
    _owe_emails()
    _write_orders()
    _write_products()
    _write_comments()
    Consumer(pause=0).walk().drain()
    LOG.flush(seconds=5)


def _write_accounts() -> None:
    for name in (AUTHOR, READER, STAFF):
        email = f"{name}@mail.example"
        create_profile(
            username=name, password="…", now=NOW, email=email, is_staff=True, external_id=name
        )
    user = find_user(AUTHOR)
    user.last_login = NOW
    user.save()
    turn_on(user, "secret", step=1)
    confirm(AUTHOR, f"{AUTHOR}@mail.example")
    user = find_user(AUTHOR)
    user.new_email = f"{AUTHOR}@other.example"
    user.mutes_replies = True
    user.save()
    assert not count_uses(SIGN_UPS_WITH_AN_EMAIL.use(f"{AUTHOR}@mail.example"), now=NOW)


def _owe_emails() -> None:
    """One that a process is about to send, and one that was given up."""
    owed = owed_email("changed", AUTHOR, "https://shop.example.com")
    failed = owed.after_failure(
        NOW, "The mail server did not take it (SMTPDataError 550).", counts=True
    )
    write_transaction(client(), [owed.claimed(timestamp(NOW)).action, failed.given_up().action])


def _write_api_keys() -> None:
    create_key(name="Till", scope=Scope.WRITE, username=AUTHOR, now=NOW)
    revoked, _text = create_key(name="Old till", scope=Scope.READ, username="", now=NOW)
    revoke_key(revoked.id, now=NOW)
    attempt = begin("once", "digest", now=NOW)
    headers = {"ETag": '"1"', "Location": "/api/v1/comments/once"}
    answer = HttpResponse(b"{}", "application/json", 201, headers=headers)
    finish(attempt, answer, now=NOW)


def _write_webhooks() -> None:
    create_webhook("https://example.com/events", [ORDER_PLACED, ORDER_MOVED], now=NOW)
    # What follows is no example of a table's rows.
    remember_no_webhooks()


def _write_orders() -> None:
    OPEN_ORDERS.raise_to(4)
    product = sample_catalogue().products[0]
    pickup = NewPickup("p", "Kiosk", "Rossio, Lisbon", "8 to 20")
    place_order(
        username=AUTHOR,
        client_id="1",
        basket={product.id: 1},
        now=NOW,
        pickup=pickup,
        address=ADDRESS,
    )
    imported = NewOrder(
        id=imported_order_id(NOW, "imported"),
        username=READER,
        placed_at=NOW,
        lines=(NewLine(product.id, product.name, 1, 100),),
        history=(StatusChange(Status.DELIVERED, NOW, original="complete"),),
        currency="EUR",
        foreign_id="shop-imported",
        id_prefix="shop-",
        zip_prefix="1100",
    )
    empty = replace(
        imported, id=imported_order_id(NOW, ""), lines=(), foreign_id=None, id_prefix=""
    )
    put_orders([imported, empty])
    _deliver(replace(empty, id=imported_order_id(NOW, "asked"), username=AUTHOR))
    lines = tuple(NewLine(f"{product.id}-{n}", product.name, 1, 100) for n in range(50))
    for step in ("write_with_counts", "settle"):
        large_order = replace(imported, id=imported_order_id(NOW, step), lines=lines)
        with pytest.MonkeyPatch.context() as patch, suppress(KeyboardInterrupt):
            patch.setattr(large_orders, step, _interrupted)
            put_orders([replace(large_order, foreign_id=None, id_prefix="")])
    name = customer_counter(AUTHOR)
    counters_of(name).spread(name)


def _deliver(order: NewOrder) -> None:
    """An order whose delivery owes a request for reviews."""
    with override_settings(REVIEW_REQUEST_DAYS=7, SITE_URL="https://shop.example.com"):
        put_orders([order], announces=True)


def _interrupted(*_: object) -> None:
    raise KeyboardInterrupt


def _write_products() -> None:
    catalogue = sample_catalogue()
    imported = NewProduct(
        "imported",
        "An imported product",
        (catalogue.categories[0].slug,),
        unit_price_cents=100,
        currency="EUR",
        priced_at=NOW,
        external_id="Imported!",
    )
    put_catalogue(categories=[*catalogue.categories, *catalogue.subcategories], products=[imported])
    take_off("imported")
    write_sitemap()
    figures = find_published()
    assert figures is not None
    store_figures(figures)


def _write_comments() -> None:
    for number in range(3):
        add_comment(_comment(f"mine-{number}", user_id=AUTHOR, title="Title", body="Text"))
    seen = load_comment("mine-0")
    edit_comment(seen, now=NOW, body="A text of more bytes than lists show. " * 20)
    cast_vote(comment_id="mine-0", user_id=READER)
    report_comment(
        comment_id="mine-0",
        user_id=READER,
        author=READER,
        reason=Reason.OTHER,
        text="Is it?",
        now=NOW,
    )
    tallies().spread("mine-0")
    counters().spread(_comment("").product_id)
    feature("mine-0")
    for text in ("Thank you.", "Thank you!"):
        seen_reply = find_reply("mine-0")
        reply_to(
            comment_id="mine-0", text=text, user_id=STAFF, author=STAFF, seen=seen_reply, now=NOW
        )
    hide(comment_id="mine-1", now=NOW)
    add_comment(_comment("mine-3", user_id=AUTHOR, body="Waits."), held_for="from a new author")
    delete_comment("mine-2", now=NOW)
    block_author(READER, now=NOW)
    count(Step.HELD, "link", COUNTED_ON)
    limiter().take("comments", Limit(60, timedelta(hours=1)), now=NOW)
    reply = NewReply("An imported reply.", NOW)
    for product in ("first", "second"):
        moved = _comment("moved", product_id=product, author="Kim", verified=True, reply=reply)
        BulkWriter(Batches(client(), Pool(1))).write([moved])
    helpful = _comment("helpful", author="Kim", body="It works.", helpful=3)
    BulkWriter(Batches(client(), Pool(1))).write([helpful])
    _ask_for_reviews()
    _write_topics()
    save_checkpoint("5d41c0f3a2b9e871", 4_999)


def _write_topics() -> None:
    """What buyers say about a product, with a word that is banned for it, and one for all."""
    product_id = sample_catalogue().products[0].id
    put_topics(product_id, {"en": [Word("sharp", 40, 31), Word("handle", 35, 12)], "de": []})
    ban(product_id, ("en", "knife"), everywhere=False, now=NOW)
    ban(product_id, ("en", "thing"), everywhere=True, now=NOW)
    Vocabularies(commented_products, NOW).of("en")


def _ask_for_reviews() -> None:
    """One request that was answered, one whose address does not exist, and one under way."""
    product_id = sample_catalogue().products[0].id
    purchase = DuePurchase("order-1", STAFF, f"{STAFF}@mail.example", NOW, [product_id])
    request_review(purchase, site="https://shop.example.com", now=COUNTED_ON)
    note_reviewed(STAFF, purchase.id, now=COUNTED_ON)
    choose(STAFF, is_muted=True, now=COUNTED_ON)
    unreachable = replace(purchase, id="order-2", user_id=AUTHOR, bought_at=NOW + timedelta(days=1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(EmailMessage, "send", _refused)
        request_review(unreachable, site="https://shop.example.com", now=COUNTED_ON)
    under_way = replace(unreachable, id="order-3", user_id=READER)
    with pytest.MonkeyPatch.context() as patch, suppress(KeyboardInterrupt):
        patch.setattr(EmailMessage, "send", _interrupted)
        request_review(under_way, site="https://shop.example.com", now=COUNTED_ON)


def _refused(message: EmailMessage) -> None:
    raise SMTPRecipientsRefused({message.to[0]: (550, b"No such user")})


def _comment(comment_id: str, **fields: object) -> NewComment:
    product = sample_catalogue().products[0].id
    values = {"product_id": product, "language": "en", "rating": 5, "created_at": NOW, **fields}
    return NewComment(id=comment_id, **values)
