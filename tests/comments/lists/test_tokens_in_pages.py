"""A page link that was tampered with: refused before anything is read, with a way back."""

import logging
import string
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from random import Random
from urllib.parse import urlencode

import pytest
from django.core.handlers.base import BaseHandler
from django.core.signing import Signer
from django.http import HttpResponse
from django.test import RequestFactory

from comments.filters import CommentFilter
from comments.lists.listing import pager_of
from dynamo.calls.meter import metered
from dynamo.lists.runs import Position, sort_key_of
from dynamo.lists.tokens import Tokens
from dynamo.web.paging import PositionSigner, tokens
from tests.support.chance import examples
from tests.support.comments.browsing import HTMX, visit
from tests.support.comments.spying import spied
from tests.support.comments.truth import START

URL = "/products/lamp/comments/de.en/1.2/"
CHOSEN = CommentFilter.of(["de", "en"], [1, 2])
LIST_NAME = pager_of("lamp", CHOSEN).list_name
BASE64 = string.ascii_letters + string.digits + "-_"


def position(comment_id: str = "c" * 90) -> Position:
    return Position(sort_key_of(START, comment_id), ordinal=20)


GENUINE = tokens().write(position(), list_name=LIST_NAME)


@dataclass(frozen=True)
class OtherSigner:
    """A signer of another site, or of another purpose on this one."""

    signer: Signer

    def sign(self, value: str) -> str:
        return self.signer.sign(value)

    def unsign(self, value: str) -> str | None:
        return self.signer.unsign(value)


def truncated() -> Iterator[str]:
    yield from (GENUINE[:end] for end in range(len(GENUINE)))
    yield from (GENUINE[start:] for start in range(1, len(GENUINE)))


def damaged(rng: Random) -> Iterator[str]:
    while True:
        at = rng.randrange(len(GENUINE))
        before, character, after = GENUINE[:at], GENUINE[at], GENUINE[at + 1 :]
        other = rng.choice([c for c in BASE64 + ".~:=+/ é" if c != character])
        yield before + other + after
        yield before + other + character + after
        if after and after[0] != character:
            yield before + after
            yield before + after[0] + character + after[1:]


def edited(rng: Random) -> Iterator[str]:
    """Other bytes under the signature of the old ones."""
    value, signature = GENUINE.split(".")
    body = urlsafe_b64decode(value + "=" * (-len(value) % 4))
    while True:
        bit = rng.randrange(8 * len(body))
        flipped = bytearray(body)
        flipped[bit // 8] ^= 1 << bit % 8
        yield f"{urlsafe_b64encode(flipped).rstrip(b'=').decode()}.{signature}"


def foreign() -> Iterator[str]:
    """Genuine tokens of other lists."""
    products = ("lamp2", "LAMP", "lam", "p-lamp", "lamp-comments")
    filters = [((), ()), (("de",), (1, 2)), (("de", "en"), ()), (("de", "en"), (1,))]
    names = [
        *(pager_of(product_id, CHOSEN).list_name for product_id in products),
        *(pager_of("lamp", CommentFilter.of(*chosen)).list_name for chosen in filters),
        *("", "categories", "orders/alice", f"{LIST_NAME}/", f"/{LIST_NAME}", LIST_NAME.upper()),
    ]
    yield from (tokens().write(position(), list_name=name) for name in names)


def resigned() -> Iterator[str]:
    """Positions of this very list, signed by somebody else."""
    salt = "dynamo.position"
    signers = [
        *(Signer(key=key, sep=".", salt=salt) for key in ("another key", " ")),
        *(Signer(sep=".", salt=salt, algorithm=name) for name in ("sha1", "md5")),
        *(Signer(sep=".", salt="another purpose"), Signer(sep="."), Signer(sep=":", salt=salt)),
    ]
    for signer in signers:
        for number in range(100):
            other = Tokens(OtherSigner(signer))
            yield other.write(position(f"comment-{number}"), list_name=LIST_NAME)


def of_another_version() -> Iterator[str]:
    body = urlsafe_b64decode(GENUINE.split(".")[0] + "==")
    for version in (0, 2, 3, 255):
        changed = bytes([version]) + body[1:]
        yield PositionSigner().sign(urlsafe_b64encode(changed).rstrip(b"=").decode())


def never_tokens() -> Iterator[str]:
    yield from [
        "",
        " ",
        ".",
        "..",
        "=",
        "0",
        "None",
        "null",
        "~",
        "%",
        "%00",
        "\0",
        "a.b",
        "a" * 43,
    ]
    yield from [f" {GENUINE}", *(GENUINE + more for more in (" ", "\n", ".", "=", GENUINE))]
    yield from ["日本語", "🦊" * 50, "é.é", "\u202e" + GENUINE, "\uff21" + GENUINE[1:]]
    yield "\ud800".encode("utf-8", "replace").decode()
    yield from ["x" * size for size in (2_047, 2_048, 2_049, 3_000, 60_000)]
    yield from ["A" * 3_000 + "." + GENUINE.split(".")[1], "." * 1_000, "<script>alert(1)</script>"]


def tampered() -> list[str]:
    """10,000 of them with ``--thorough``, else a quarter."""
    rng = Random(20_261_120)
    told = chain(truncated(), foreign(), resigned(), of_another_version(), never_tokens())
    some = list(told)
    rest = examples(10_000) - len(some)
    return [*some, *islice(damaged(rng), rest // 2), *islice(edited(rng), rest - rest // 2)]


class Site:
    """The whole site, middleware and all, without what a test client adds to each request."""

    def __init__(self) -> None:
        self._handler = BaseHandler()
        self._handler.load_middleware()

    def answer(self, query: dict[str, str], **headers: str) -> HttpResponse:
        request = RequestFactory().get(f"{URL}?{urlencode(query)}", headers=headers)
        return self._handler.get_response(request)


@pytest.fixture(scope="module")
def site():
    return Site()


@pytest.fixture
def unlogged():
    """Thousands of refusals are thousands of lines."""
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.usefixtures("tables")
class TestTokens:
    def test_that_are_not_this_lists_are_refused_before_any_read(self, site, unlogged):
        with metered() as meter, spied() as asked:
            for number, token in enumerate(tampered()):
                way = ("after", "before")[number % 2]
                headers = HTMX if number % 10 else {}  # the fragment is made faster than the page
                response = site.answer({way: token}, **headers)
                assert response.status_code == 400, token
                assert f'href="{URL}"'.encode() in response.content, token
        assert (meter.calls, asked) == ([], [])

    def test_are_refused_on_a_products_own_page_before_its_list_is_read(self, site):
        with metered() as meter:
            shown = visit("/products/lamp/?" + urlencode({"after": GENUINE}))
        assert shown.status == 400
        assert meter.labelled("list") == []

    @pytest.mark.parametrize(
        "query", ["after=&before=", "after=x&before=y", "before=&after", "after", "before="]
    )
    def test_that_are_empty_or_two_are_refused(self, query):
        shown = visit(f"{URL}?{query}")
        assert shown.status == 400
        assert shown.page.one(class_="button")["href"] == URL

    @pytest.mark.parametrize(
        "query", ["after=%ff", "after=%ed%a0%80", "before=%00", "after=%", "after=%F0%9F%A6%8A"]
    )
    def test_that_are_no_text_are_refused(self, query):
        assert visit(f"{URL}?{query}").status == 400

    def test_are_short_even_for_the_longest_ids(self):
        assert len(GENUINE) <= 300
        everything = CommentFilter.of(["da", "de", "en", "es", "fr", "is", "it"], [1, 2, 3, 4])
        longer = tokens().write(position(), list_name=pager_of("x" * 128, everything).list_name)
        assert len(longer) == len(GENUINE)

    def test_hold_only_what_an_address_may_hold(self):
        assert set(GENUINE) <= {*BASE64, "."}

    def test_that_are_genuine_are_accepted(self, site):
        assert tokens().read(GENUINE, list_name=LIST_NAME) == position()
