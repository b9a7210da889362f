"""A storm: clients of the site, which stands on an engine behind the library's proxy of faults.

The clients are browsers, each signed in as somebody. They read, search, post, edit, vote and
delete, place orders and move those of all, and send again what failed. Each keeps a ledger of what
it was told: what was told as done must be stored exactly once; what was told as refused must not;
of what was answered by a 503, or not at all, either all or nothing. What is known for some seconds
must be true of searches, too.
"""

import json
import os
import re
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from itertools import cycle
from pathlib import Path
from random import Random
from threading import Lock
from time import monotonic, sleep
from urllib.parse import urlencode

from django.conf import settings
from django.shortcuts import resolve_url
from django.test import Client
from django.utils.module_loading import import_string

from comments import keys
from comments.host import COMMENTS, SETS
from comments.integrity.comments import comment_differences
from comments.keys import comment_key
from comments.posting.forms import comment_id_in, new_form_id
from comments.rankings.ratings import KIND as RATE
from comments.search.integrity import word_differences
from comments.search.models import WordItem
from comments.sets.integrity import set_differences
from comments.store.comments import NoSuchComment, load_comment
from comments.store.table import read_item
from demo.file_engine import FileEngine
from demo.processes import LOCAL_ENVIRONMENT, DemoConfig, manage, serving
from dynapages.django.callers import Scope
from dynapages.django.work import queues
from dynapages.engine import FaultProxy, Lag
from dynapages.engine.child import LOOPBACK, Child, free_port
from dynapages.process import client, connected
from dynapages.pynamodb import FAILURES
from dynapages.tables import create_missing
from dynapages.upkeep import Difference
from lab.bench.engines import local_connection, require_binary
from shop.accounts.queries import users_called
from shop.accounts.services import create_profile
from shop.activity.tables import make_tables
from shop.api_keys.services import create_key
from shop.catalogue.services import ensure_products
from shop.order_status import OPEN
from tests.support.storm_orders import (
    OrderLedger,
    order_body,
    order_differences,
    order_faults,
    put_goods,
    selected_on,
    way_on,
)

CLIENTS = 12
STAFF = ("staff-ada", "staff-ben", "staff-cleo")
PRODUCTS = ("storm-lamp", "storm-kettle")
"""So few that writers meet."""
FAULTS = 0.05
"""The share of the calls that meet a fault."""
LAG_SECONDS, LAGGING_SHARE = 1.0, 0.5
"""The most that a write lags in eventual reads, and the share of these that lag."""
LOCK_SECONDS = 0.02
"""How much longer a transaction holds its items, so that others meet it."""
SECONDS_BETWEEN_KILLS = 7.0
SEARCHES_KNOW_AFTER = 10.0
"""Seconds after which searches must know what a client was told: longer than any read lags."""
WORK_SECONDS = 420.0
"""How long the site's processes may take in the end for the work that is left.

What was left behind is due after a minute, and looked for every minute; what failed, again later.
"""
COPIES_SECONDS = 60.0
"""How long the copies of the read model ``sets`` may take in the end."""
REPAIRABLE = frozenset({"rank", "rating", "leftovers"})
"""Kinds of differences that an interrupted write may leave behind, and a repair removes."""
KEPT_LINES = 100_000

DONE, REFUSED, FAILED, AWAY = "done", "refused", "failed", "away"
"""What clients were told: ``away`` is a 503, or no answer at all."""
WRONGLY_REFUSED, COMPARED = "wrongly refused", "compared"
CAST_SHARE = 0.7
"""Of the votes: the others are taken back."""
CSRF_TOKEN = "t" * 32
Fields = Mapping[str, str | list[str]]
HTMX_SECONDS = 15.0
"""After which htmx gives up."""
ATTEMPTS = 5
"""How often a form is sent whose outcome is not known."""
WORDS = {"rating": "4", "language": "en", "title": "In the storm"}
INCOMPLETE = "Searches are being brought up to date"
"""What a page says that may lack comments."""
ACTIONS = {
    "read": 30,
    "search": 20,
    "post": 20,
    "edit": 15,
    "vote": 10,
    "vote_by_api": 10,
    "delete": 5,
    "place": 5,
    "move": 8,
}
"""A client's methods, and how often it does what they do."""
EXCEPTION_LINE = re.compile(r"[\w.]+(:|$)(?! File)")
"""The line of a traceback that names the exception; those before begin with two words."""


@dataclass
class Storm:
    """What came of a storm: outcomes by operation, and everything that is not as it should be."""

    outcomes: Counter[tuple[str, str]]
    faults: int
    kills: Counter[str]
    tracebacks: list[str]
    wrong: list[str]
    unfinished: list[str]
    differences: list[str]

    def number(self, outcome: str) -> int:
        """How many answers there were of an outcome."""
        return sum(n for (_, one), n in self.outcomes.items() if one == outcome)


# What clients know.


@dataclass
class Written:
    """A comment of a client's: the texts that it may have, and whether it may be there or not."""

    comment_id: str
    product_id: str
    texts: set[str] = field(default_factory=set)
    sent: list[str] = field(default_factory=list)
    may_be_there: bool = True
    may_be_gone: bool = True
    known_since: float = 0.0

    def send(self, text: str) -> None:
        self.texts.add(text)
        self.sent.append(text)

    def saved(self, text: str) -> None:
        self.texts, self.may_be_there, self.may_be_gone = {text}, True, False
        self.known_since = monotonic()

    def deleted(self, *, surely: bool) -> None:
        self.may_be_there, self.may_be_gone = not surely and self.may_be_there, True
        self.known_since = monotonic()

    @property
    def is_sure(self) -> bool:
        """Whether it is known what is stored."""
        return len(self.texts) == 1 and self.may_be_there != self.may_be_gone

    def difference(self) -> str:
        """What is stored otherwise than it was told; empty where nothing is."""
        try:
            text = load_comment(self.comment_id).comment.body
        except NoSuchComment:
            return "" if self.may_be_gone else f"{self.comment_id} is lost: {self.texts}"
        if not self.may_be_there:
            return f"{self.comment_id} is still there"
        return "" if text in self.texts else f"{self.comment_id} is {text}, not {self.texts}"

    def difference_in_search(self, text: str, page: str) -> str:
        """What the search for a text shows otherwise than is known; empty where nothing is."""
        if not self.is_sure:
            return ""
        is_there = self.may_be_there and text in self.texts
        is_found = f'data-comment-id="{self.comment_id}"' in page
        if is_found and not is_there:
            return f"{self.comment_id} is found by {word_of(text)}, which it has no more"
        if is_there and not is_found and INCOMPLETE not in page:
            return f"{self.comment_id} is not found by {word_of(text)}"
        return ""


def word_of(text: str) -> str:
    """The word of a text that no other has."""
    return text.rpartition(" ")[2]


@dataclass
class Ledger:
    """What one client wrote, by pages or with the text of its API ``key``.

    ``votes`` are those told as done, by comment: cast or taken back.
    """

    username: str
    key: str
    orders: OrderLedger
    written: list[Written] = field(default_factory=list)
    votes: dict[str, bool] = field(default_factory=dict)

    def differences(self) -> Iterator[str]:
        for written in self.written:
            difference = written.difference()
            if difference:
                yield difference
        for comment_id, is_cast in self.votes.items():
            is_listed = "g" in read_item(comment_key(comment_id))
            is_stored = bool(read_item(comment_key(comment_id, keys.vote(self.username))))
            if is_listed and is_stored != is_cast:
                yield f"the vote of {self.username} on {comment_id} is {is_stored}"


# Clients.


@dataclass(frozen=True)
class Browser:
    """Sends requests to the site on a port, each on a connection of its own."""

    port: int
    cookies: str = ""

    @classmethod
    def of_user(cls, port: int, username: str) -> "Browser":
        visitor = Client()
        visitor.force_login(users_called(username)[0])
        cookies = visitor.cookies.output(attrs=[], header="", sep=";").strip()
        return cls(port, f"{cookies}; csrftoken={CSRF_TOKEN}")

    def send(self, path: str, fields: Fields | None = None) -> tuple[int, str]:
        """Ask for a page, or send a form; return the status, 0 without an answer, and the page.

        Being sent to the login page counts as 403.
        """
        headers = {"Cookie": self.cookies}
        if fields is None:
            return self.request("GET", path, None, headers)
        body = urlencode({**fields, "csrfmiddlewaretoken": CSRF_TOKEN}, doseq=True)
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        return self.request("POST", path, body, headers)

    def call(
        self, method: str, path: str, key: str, *, once: str = "", body: object = None
    ) -> tuple[int, str]:
        """Call the API with a key; return the same."""
        headers, sent = {"Authorization": f"Bearer {key}"}, None
        if once:
            headers["Idempotency-Key"] = once
        if body is not None:
            sent = json.dumps(body)
            headers["Content-Type"] = "application/json"
        return self.request(method, f"/api/v1{path}", sent, headers)

    def request(
        self, method: str, path: str, body: str | None, headers: Mapping[str, str]
    ) -> tuple[int, str]:
        """Send a request on a connection of its own."""
        connection = HTTPConnection(LOOPBACK, self.port, timeout=HTMX_SECONDS)
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            page = response.read().decode()
        except (OSError, HTTPException):
            return 0, ""
        finally:
            connection.close()
        if response.headers.get("Location", "").startswith(resolve_url("login")):
            return HTTPStatus.FORBIDDEN, page
        return response.status, page


@dataclass
class Notes:
    """What all clients share: outcomes by operation, comments, and wrong answers of searches."""

    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    comment_ids: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)

    def count(self, operation: str, status: int) -> str:
        """Count an answer; return its outcome."""
        if status in {0, 503}:
            outcome = AWAY
        elif status >= 500:
            outcome = FAILED
        elif status >= 400:
            outcome = REFUSED
        else:
            outcome = DONE
        with self.lock:
            self.outcomes[operation, outcome] += 1
        return outcome


@dataclass
class StormClient:
    """One client.

    It searches as a visitor who has not signed in: who has just written sees that in any list.
    """

    browser: Browser
    visitor: Browser
    staff: Browser
    ledger: Ledger
    notes: Notes
    random: Random
    texts: int = 0

    def step(self) -> None:
        (action,) = self.random.choices(list(ACTIONS), list(ACTIONS.values()))
        getattr(self, action)()

    def read(self) -> None:
        product_id = self.random.choice(PRODUCTS)
        paths = (f"/products/{product_id}/", f"/products/{product_id}/comments/en/4.5/", "/")
        status, _page = self.browser.send(self.random.choice(paths))
        self.notes.count("read", status)

    def search(self) -> None:
        """Search for a word of a text of one's own, be it still there or not."""
        if not self.ledger.written:
            return
        written = self.random.choice(self.ledger.written)
        text = self.random.choice(written.sent)
        is_known = monotonic() - written.known_since > SEARCHES_KNOW_AFTER
        page = search_for(written, text, self.visitor, self.notes)
        if page is not None and is_known:
            self.notes.outcomes["search", COMPARED] += 1
            self.notes.wrong += filter(None, [written.difference_in_search(text, page)])

    def post(self) -> None:
        product_id, username = self.random.choice(PRODUCTS), self.ledger.username
        form_id = new_form_id(user_id=username, product_id=product_id, now=datetime.now(UTC))
        comment_id = comment_id_in(form_id, user_id=username, product_id=product_id)
        written, text = Written(comment_id, product_id), self.new_text()
        written.send(text)
        self.ledger.written.append(written)
        fields = {**WORDS, "body": text, "form_id": form_id}
        if self.send_form("post", f"/products/{product_id}/comments/new/", fields) == DONE:
            written.saved(text)
            self.notes.comment_ids.append(comment_id)

    def edit(self) -> None:
        written = self.own_comment()
        if written is None:
            return
        try:
            version = load_comment(written.comment_id).version
        except (NoSuchComment, *FAILURES):  # the ledger finds what is lost; the engine may be away
            return
        text = self.new_text()
        written.send(text)
        fields = {**WORDS, "body": text, "version": str(version)}
        if self.send_form("edit", f"/comments/edit/{written.comment_id}/", fields) == DONE:
            written.saved(text)

    def delete(self) -> None:
        written = self.own_comment()
        if written is not None:
            outcome = self.send_form("delete", f"/comments/delete/{written.comment_id}/", {})
            written.deleted(surely=outcome == DONE)

    def vote(self) -> None:
        comment_id = self.comment_of_another()
        if comment_id is None:
            return
        is_cast = self.random.random() < CAST_SHARE
        self.ledger.votes.pop(comment_id, None)
        fields = {"helpful": "yes" if is_cast else "no"}
        path = f"/comments/vote/{comment_id}/"
        if self.send_form("vote", path, fields, may_be_refused=True) == DONE:
            self.ledger.votes[comment_id] = is_cast

    def vote_by_api(self) -> None:
        comment_id = self.comment_of_another()
        if comment_id is None:
            return
        is_cast = self.random.random() < CAST_SHARE
        method = "PUT" if is_cast else "DELETE"
        self.ledger.votes.pop(comment_id, None)

        def call() -> tuple[int, str]:
            return self.browser.call(method, f"/votes/{comment_id}", self.ledger.key)

        outcome, _page = self.until_known("vote_by_api", call, may_be_refused=True)
        if outcome == DONE:
            self.ledger.votes[comment_id] = is_cast

    def place(self) -> None:
        """Place an order by API, and send the same call again until its outcome is known."""
        once, body = f"order-{self.random.getrandbits(64):x}", order_body()

        def call() -> tuple[int, str]:
            return self.browser.call("POST", "/orders", self.ledger.key, once=once, body=body)

        # An hour has so many orders: the others are refused.
        outcome, page = self.until_known("place", call, may_be_refused=True)
        if outcome == DONE:
            self.ledger.orders.note_placed(page)
        else:
            self.ledger.orders.unsure += 1

    def move(self) -> None:
        """Move the orders of a page of the queue, as other staff do at the same time."""
        status = self.random.choice(OPEN)
        answer, page = self.staff.send(f"/staff/orders/?status={status}")
        selected = selected_on(page)
        if self.notes.count("read", answer) != DONE or not selected:
            return
        target = way_on(status)
        fields = {"order": selected, "move": target.value}

        def send() -> tuple[int, str]:
            return self.staff.send("/staff/orders/move/", fields)

        outcome, page = self.until_known("move", send)
        if outcome == DONE:
            self.ledger.orders.note_moved(page, target)

    def comment_of_another(self) -> str | None:
        own = {written.comment_id for written in self.ledger.written}
        others = [one for one in self.notes.comment_ids[-20:] if one not in own]
        return self.random.choice(others) if others else None

    def send_form(
        self, operation: str, path: str, fields: dict[str, str], *, may_be_refused: bool = False
    ) -> str:
        """Send a form until its outcome is known; return that."""

        def send() -> tuple[int, str]:
            return self.browser.send(path, fields)

        outcome, _page = self.until_known(operation, send, may_be_refused=may_be_refused)
        return outcome

    def until_known(
        self, operation: str, send: Callable[[], tuple[int, str]], *, may_be_refused: bool = False
    ) -> tuple[str, str]:
        """Send something until its outcome is known; return that, and the page."""
        outcome, page = AWAY, ""
        for _ in range(ATTEMPTS):
            status, page = send()
            outcome = self.notes.count(operation, status)
            if outcome == REFUSED and not may_be_refused:
                self.notes.outcomes[operation, WRONGLY_REFUSED] += 1
            if outcome != AWAY:
                break
        return outcome, page

    def own_comment(self) -> Written | None:
        sure = [one for one in self.ledger.written if one.is_sure and one.may_be_there]
        return self.random.choice(sure) if sure else None

    def new_text(self) -> str:
        self.texts += 1
        name = self.ledger.username
        return f"{name} says {name.replace('-', '')}number{self.texts}"


def search_for(written: Written, text: str, visitor: Browser, notes: Notes) -> str | None:
    """The page of a search for the word of a text; None where there was none."""
    path = f"/products/{written.product_id}/comments/en/~/?q={word_of(text)}"
    status, page = visitor.send(path)
    return page if notes.count("search", status) == DONE else None


# The storm.


def run_storm(folder: Path, *, seconds: float, seed: int = 1) -> Storm:
    """Run one, in a folder of its own, on the read model that is set."""
    with ExitStack() as stack:
        engine = FileEngine(binary=require_binary(), db_path=folder / "storm.db")
        stack.enter_context(engine)
        lag = Lag(replica_share=LAGGING_SHARE, is_drawn=True, seed=seed)
        proxy = FaultProxy(engine.endpoint_url, seed=seed, lock_seconds=LOCK_SECONDS, lag=lag)
        stack.enter_context(proxy)
        # The second engine, of what lags, starts before there are calls; nothing lags yet.
        proxy.lag.seconds = LAG_SECONDS
        proxy.lag.seconds = 0.0
        stack.enter_context(connected(local_connection(engine.endpoint_url)))
        ledgers = prepare_shop()
        config = site_config(proxy.endpoint_url, folder)
        site = stack.enter_context(serving(config, output_lines=KEPT_LINES))
        kills: dict[str, Callable[[], None]] = {
            "engine": partial(kill_engine, engine),
            "worker": partial(kill_worker, site),
        }
        if COMMENTS["READ_MODEL"] == SETS:
            kills["stream"] = stack.enter_context(following_stream(config))
        notes, visitor = Notes(), Browser(config.port)
        clients = [
            StormClient(
                Browser.of_user(config.port, ledger.username),
                visitor,
                Browser.of_user(config.port, ledger.orders.staff),
                ledger,
                notes,
                Random(f"{seed} {ledger.username}"),
            )
            for ledger in ledgers
        ]
        proxy.rate, proxy.lag.seconds = FAULTS, LAG_SECONDS
        killed = work(clients, seconds, kills)
        proxy.rate, proxy.lag.seconds = 0.0, 0.0
        proxy.lag.caught_up()
        unfinished = wait_for_unfinished_work()
        wrong = [*notes.wrong, *search_for_everything(ledgers, visitor, notes)]
        for ledger in ledgers:
            wrong += ledger.differences()
        wrong += order_faults([ledger.orders for ledger in ledgers])
        return Storm(
            outcomes=notes.outcomes,
            faults=sum(proxy.met.values()),
            kills=killed,
            tracebacks=list(tracebacks(site.output())),
            wrong=wrong,
            unfinished=unfinished,
            differences=differences_after_repair(),
        )


def site_config(endpoint_url: str, folder: Path) -> DemoConfig:
    """The configuration of the site over HTTP on an engine."""
    environment = {name: value for name, value in os.environ.items() if name != "AWS_PROFILE"}
    environment |= LOCAL_ENVIRONMENT | {
        "DYNAMODB_ENDPOINT_URL": endpoint_url,
        "DYNAMODB_TABLE_PREFIX": settings.DYNAMODB_TABLE_PREFIX,
        "SECRET_KEY": settings.SECRET_KEY,
        "VAR_DIR": str(folder),
        "COMMENTS_READ_MODEL": COMMENTS["READ_MODEL"],
        "COMMENT_SEARCH": "1",
        "COMMENT_WRITES_PER_USER": "10000",
        "COMMENT_WRITES_PER_ADDRESS": "100000",
    }
    return DemoConfig(free_port(), environment)


def prepare_shop() -> list[Ledger]:
    """Create the tables, products and users of the clients."""
    now = datetime.now(UTC)
    models = {import_string(name) for name in settings.DYNAMODB_MODELS}
    create_missing([*models | {WordItem}], client=client())
    make_tables(client=client(), now=now)
    ensure_products(product_ids=set(PRODUCTS))
    put_goods()
    for name in STAFF:
        create_profile(username=name, password=None, now=now, is_staff=True)
    return [_new_ledger(f"client-{number}", staff, now) for number, staff in _with_staff()]


def _with_staff() -> Iterator[tuple[int, str]]:
    """Yield the numbers of the clients, each with the member of staff whose browser it has, too."""
    return zip(range(CLIENTS), cycle(STAFF), strict=False)


def _new_ledger(username: str, staff: str, now: datetime) -> Ledger:
    create_profile(username=username, password=None, now=now)
    _key, text = create_key(name="storm", scope=Scope.WRITE, username=username, now=now)
    return Ledger(username, text, OrderLedger(username, staff))


def work(
    clients: Sequence[StormClient], seconds: float, kills: Mapping[str, Callable[[], None]]
) -> Counter[str]:
    """Let the clients work, and kill one process after another; return how often each was.

    The engine is killed from this thread: it ends with the thread that has started it.
    """
    until = monotonic() + seconds
    next_kill = monotonic() + SECONDS_BETWEEN_KILLS
    killed: Counter[str] = Counter()
    names = cycle(kills)

    def work_on(one: StormClient) -> None:
        while monotonic() < until:
            one.step()

    with ThreadPoolExecutor(len(clients)) as threads:
        working = [threads.submit(work_on, one) for one in clients]
        while monotonic() < until:
            sleep(1)
            if monotonic() >= next_kill:
                next_kill = monotonic() + SECONDS_BETWEEN_KILLS
                name = next(names)
                kills[name]()
                killed[name] += 1
        for one in working:
            one.result()
    return killed


def kill_engine(engine: FileEngine) -> None:
    if engine.pid:
        os.kill(engine.pid, signal.SIGKILL)
    engine.stop()
    engine.start()


def kill_worker(site: Child) -> None:
    """Kill one of gunicorn's processes, which starts another one."""
    workers = Path(f"/proc/{site.pid}/task/{site.pid}/children").read_text().split()
    for worker in workers[:1]:
        with suppress(ProcessLookupError):  # it has just ended by itself
            os.kill(int(worker), signal.SIGKILL)


@contextmanager
def following_stream(config: DemoConfig) -> Iterator[Callable[[], None]]:
    """Make the copies of the read model ``sets``; yield what kills and replaces that process."""

    def start() -> Child:
        return Child(manage(("run_stream",)), env=config.environment, listen=True)

    running = [start()]

    def kill() -> None:
        (child,) = running
        child.kill()
        child.wait(5)
        running[0] = start()

    try:
        yield kill
    finally:
        running[0].stop()


# What must be true afterwards.


def wait_for_unfinished_work() -> list[str]:
    """Wait until the site's processes have done the work that is left; return what is not done."""
    until = monotonic() + WORK_SECONDS
    while True:
        # Ratings are written some minutes later.
        waiting = [one for queue in queues() for one in queue.waiting() if one.kind != RATE]
        if not waiting or monotonic() > until:
            break
        sleep(1)
    given_up = [one for queue in queues() for one in queue.dead()]
    return [f"{one.kind} {one.payload}: {one.failure}" for one in [*waiting, *given_up]]


def search_for_everything(
    ledgers: Sequence[Ledger], visitor: Browser, notes: Notes
) -> Iterator[str]:
    """Search for each text that was ever sent, and yield what is not found, or still found."""
    for ledger in ledgers:
        for written in ledger.written:
            if not written.is_sure:
                continue
            for text in written.sent:
                page = search_for(written, text, visitor, notes)
                if page is None:
                    yield f"the search for {word_of(text)} was not answered"
                elif difference := written.difference_in_search(text, page):
                    yield difference


def differences_after_repair() -> list[str]:
    """What the integrity check finds, once what interrupted writes leave behind is repaired."""
    found = all_differences()
    repairs = [one.repair for one in found if one.kind in REPAIRABLE and one.repair]
    for repair in repairs:
        repair()
    if repairs:
        found = all_differences()
    told = [f"{one.kind} {one.subject}: {one.stored}, not {one.expected}" for one in found]
    return told + order_differences()


def all_differences() -> list[Difference]:
    found = [one for one in comment_differences() if not one.is_hint]
    found += word_differences()
    if COMMENTS["READ_MODEL"] == SETS:
        until = monotonic() + COPIES_SECONDS
        copies = list(set_differences())
        while copies and monotonic() < until:
            sleep(1)
            copies = list(set_differences())
        found += copies
    return found


def tracebacks(lines: Sequence[str]) -> Iterator[str]:
    """Yield the last line of each traceback, which names the exception."""
    is_within = False
    for line in lines:
        is_within = is_within or line.startswith("Traceback")
        if is_within and EXCEPTION_LINE.match(line):
            is_within = False
            yield line
