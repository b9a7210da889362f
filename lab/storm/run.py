"""One storm: clients, a site of two processes, an engine behind a proxy that makes faults.

What is promised, and a storm's figures: docs/benchmarks.md.

The clients are browsers, each signed in as somebody. They read, search, post, edit, vote and
delete, and send again what failed. A ledger has what each was told, and what must be stored
afterwards: what was told as done is there exactly once; what was told as refused is not; of what
was answered by a 503, or not at all, either all or nothing is there.

What is known for some seconds must be true of searches, too, while the storm goes on: visitors
search for words that only one text has. All of it must be in the end, when the site's processes
have done what is owed.
"""

import os
import re
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from itertools import cycle, islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from threading import Lock
from time import monotonic, sleep
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.shortcuts import resolve_url
from django.test import Client
from django.utils.module_loading import import_string

from comments import keys
from comments.host import COMMENTS, SETS
from comments.integrity.comments import comment_differences
from comments.posting.forms import comment_id_in, new_form_id
from comments.search.integrity import word_differences
from comments.search.models import WordItem
from comments.sets.integrity import set_differences
from comments.store.comments import NoSuchComment, load_comment
from comments.store.table import comment_key, read_item
from config.web.shedding import FORM_WAITS, PAGE_WAITS
from demo.processes import DemoConfig, FileEngine, manage, serving
from dynapages.django.options import Progress
from dynapages.django.work import queues
from dynapages.engine import FaultProxy, Lag
from dynapages.engine.child import LOOPBACK, Child
from dynapages.process import client, connected
from dynapages.pynamodb import FAILURES
from dynapages.tables import create_missing
from dynapages.upkeep import Difference
from lab.bench.context import local, require_binary, site_config
from lab.reports.results import Results, Row, rows
from lab.reports.tables import Section, section
from shop.accounts.queries import users_called
from shop.accounts.services import create_profile
from shop.activity.tables import make_tables
from shop.catalogue.services import ensure_products


@dataclass(slots=True)
class Written:
    """A comment of a client's: the texts that it may have, and whether it may be there or not.

    ``sent`` are all texts that it may ever have had. ``told_at`` is when its client was last told
    something about it.
    """

    comment_id: str
    product_id: str
    texts: set[str]
    may_be_there: bool = True
    may_be_gone: bool = True
    sent: list[str] = field(default_factory=list)
    told_at: float = 0.0

    def send(self, text: str) -> None:
        """Note that a text is about to be sent."""
        self.texts.add(text)
        self.sent.append(text)

    def done(self, text: str) -> None:
        """Note that a text was told as saved."""
        self.texts, self.may_be_there, self.may_be_gone = {text}, True, False
        self.told_at = monotonic()

    def deleted(self, *, surely: bool) -> None:
        """Note that a deletion was sent, and whether it was told as done."""
        self.may_be_there, self.may_be_gone = not surely and self.may_be_there, True
        self.told_at = monotonic()

    @property
    def is_sure(self) -> bool:
        """Whether it is known what is stored."""
        return len(self.texts) == 1 and self.may_be_there != self.may_be_gone

    def wrong(self) -> str:
        """Return what is stored otherwise, empty where all is as it was told."""
        try:
            text = load_comment(self.comment_id).comment.body
        except NoSuchComment:
            return "" if self.may_be_gone else f"{self.comment_id} is lost: {self.texts}"
        if not self.may_be_there:
            return f"{self.comment_id} is still there"
        return "" if text in self.texts else f"{self.comment_id} is {text}, not {self.texts}"

    def wrongly_searched(self, text: str, page: str) -> str:
        """Return what a search for the word of one of its texts shows otherwise, or nothing.

        Where it is not known what is stored, nothing is wrong.
        """
        if not self.is_sure:
            return ""
        is_there = self.may_be_there and text in self.texts
        is_found = f'data-comment-id="{self.comment_id}"' in page
        if is_found and not is_there:
            return f"{self.comment_id} is found by {word_of(text)}, which it has no more"
        if is_there and not is_found and INCOMPLETE not in page:
            return f"{self.comment_id} is not found by {word_of(text)}"
        return ""


INCOMPLETE = "Searches are being brought up to date"
"""What a page says that may lack comments."""


def word_of(text: str) -> str:
    """Return the word of a text that no other has."""
    return text.rpartition(" ")[2]


@dataclass(slots=True)
class Ledger:
    """What one client wrote; ``votes`` are those told as done, by comment: cast or taken back."""

    username: str
    written: list[Written] = field(default_factory=list)
    votes: dict[str, bool] = field(default_factory=dict)

    def wrong(self) -> Iterator[str]:
        """Yield what is stored otherwise than it was told."""
        yield from filter(None, (one.wrong() for one in self.written))
        for comment_id, is_cast in self.votes.items():
            is_listed = "g" in read_item(comment_key(comment_id))
            stored = bool(read_item(comment_key(comment_id, keys.vote(self.username))))
            if is_listed and stored != is_cast:
                yield f"the vote of {self.username} on {comment_id} is {stored}"


DONE, REFUSED, FAILED, AWAY = ("done", "refused", "failed", "away")
"""What clients were told: ``away`` is a 503, or no answer at all."""
WRONGLY_REFUSED = "wrongly refused"
TOKEN = "t" * 32
"""A CSRF token: the cookie and the field have to agree, whatever it is."""
LOGIN = "login"
PATIENCE = 15.0
"""Seconds after which htmx gives up."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP status, 0 where there was none, the seconds until it came, and the page.

    Being sent to the login page counts as 403.
    """

    status: int
    seconds: float
    page: str = ""


@dataclass(frozen=True, slots=True)
class Browser:
    """Sends requests to the site on ``port``, each on a connection of its own."""

    port: int
    cookies: str

    @classmethod
    def signed_in(cls, port: int, user: AbstractBaseUser) -> "Browser":
        """Return the browser of a user who has signed in with the SECRET_KEY of this process."""
        visitor = Client()
        visitor.force_login(user)  # type: ignore[arg-type] # asks for no more than this
        cookies = visitor.cookies.output(attrs=[], header="", sep=";").strip()
        return cls(port, f"{cookies}; csrftoken={TOKEN}")

    def send(self, path: str, fields: Mapping[str, str] | None = None) -> Answer:
        """Ask for a page; with ``fields`` send a form."""
        body, headers = None, {"Cookie": self.cookies}
        if fields is not None:
            body = urlencode({**fields, "csrfmiddlewaretoken": TOKEN})
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        connection = HTTPConnection(LOOPBACK, self.port, timeout=PATIENCE)
        begun = monotonic()
        try:
            connection.request("GET" if body is None else "POST", path, body, headers)
            response = connection.getresponse()
            page = response.read().decode()
        except (OSError, HTTPException):
            return Answer(0, monotonic() - begun)
        finally:
            connection.close()
        is_sent_away = response.headers.get("Location", "").startswith(resolve_url(LOGIN))
        status = HTTPStatus.FORBIDDEN if is_sent_away else response.status
        return Answer(status, monotonic() - begun, page)

    def search(self, product_id: str, word: str) -> Answer:
        """Ask for a product's comments with a word."""
        return self.send(f"/products/{product_id}/comments/en/~/?q={word}")


SENT_AGAIN = 4
"""How often a form is sent again whose outcome is not known."""
WORDS = {"rating": "4", "language": "en", "title": "In the storm"}


@dataclass(slots=True)
class Tally:
    """Outcomes by operation, the slowest answers in seconds, and the comments that there are.

    ``wrong`` are searches that showed what was not so.
    """

    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    slowest: dict[str, float] = field(default_factory=dict)
    comment_ids: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)

    def note(self, operation: str, answer: Answer) -> str:
        """Count an answer; return its outcome."""
        outcome = outcome_of(answer.status)
        with self._lock:
            self.outcomes[operation, outcome] += 1
            self.slowest[operation] = max(answer.seconds, self.slowest.get(operation, 0.0))
        return outcome


def outcome_of(status: int) -> str:
    """Return what a status means to a client; 0 is no answer."""
    if status in {0, 503}:
        return AWAY
    return FAILED if status >= 500 else DONE if status < 400 else REFUSED  # noqa: PLR2004 - HTTP's


@dataclass(slots=True)
class StormClient:
    """One client; ``rng`` draws what it does next.

    It searches as a ``visitor`` who has not signed in: who has just written sees that in any list.
    """

    browser: Browser
    visitor: Browser
    ledger: Ledger
    products: Sequence[str]
    tally: Tally
    rng: Random
    _texts: int = 0

    def step(self) -> None:
        """Do one thing, and send it again while its outcome is not known."""
        (act,) = self.rng.choices([getattr(self, name) for name in ODDS], [*ODDS.values()])
        act()

    def read(self) -> None:
        """Read a page of a product, a list of it, or the front page."""
        product_id = self.rng.choice(self.products)
        paths = (f"/products/{product_id}/", f"/products/{product_id}/comments/en/4.5/", "/")
        self.tally.note("read", self.browser.send(self.rng.choice(paths)))

    def search(self) -> None:
        """Search for a word of a text of one's own, be it still there or not."""
        if not self.ledger.written:
            return
        written = self.rng.choice(self.ledger.written)
        text = self.rng.choice(written.sent)
        is_old = monotonic() - written.told_at > SEARCHES_KNOW
        answer = self.visitor.search(written.product_id, word_of(text))
        if self.tally.note(SEARCH, answer) == DONE and is_old:
            self.tally.outcomes[SEARCH, COMPARED] += 1
            if sentence := written.wrongly_searched(text, answer.page):
                self.tally.wrong.append(sentence)

    def post(self) -> None:
        """Post a comment."""
        product_id, username = self.rng.choice(self.products), self.ledger.username
        form_id = new_form_id(user_id=username, product_id=product_id, now=datetime.now(UTC))
        comment_id = comment_id_in(form_id, user_id=username, product_id=product_id)
        text = self._text()
        written = Written(comment_id, product_id, set())
        written.send(text)
        self.ledger.written.append(written)
        fields = {**WORDS, "body": text, "form_id": form_id}
        if self._send("post", f"/products/{product_id}/comments/new/", fields) == DONE:
            written.done(text)
            self.tally.comment_ids.append(comment_id)

    def edit(self) -> None:
        """Edit a comment of one's own, on the version that is stored."""
        written = self._own()
        if written is None:
            return
        try:
            version = load_comment(written.comment_id).version
        except (NoSuchComment, *FAILURES):  # the ledger finds what is lost; the engine may be away
            return
        text = self._text()
        written.send(text)
        fields = {**WORDS, "body": text, "version": str(version)}
        if self._send("edit", f"/comments/edit/{written.comment_id}/", fields) == DONE:
            written.done(text)

    def delete(self) -> None:
        """Delete a comment of one's own."""
        written = self._own()
        if written is not None:
            outcome = self._send("delete", f"/comments/delete/{written.comment_id}/", {})
            written.deleted(surely=outcome == DONE)

    def vote(self) -> None:
        """Find a comment helpful, or not any more."""
        mine = {written.comment_id for written in self.ledger.written}
        others = [one for one in self.tally.comment_ids[-20:] if one not in mine]
        if not others:
            return
        comment_id, is_cast = self.rng.choice(others), self.rng.random() < FOR
        self.ledger.votes.pop(comment_id, None)
        fields = {"helpful": "yes" if is_cast else "no"}
        path = f"/comments/vote/{comment_id}/"
        if self._send("vote", path, fields, may_be_refused=True) == DONE:
            self.ledger.votes[comment_id] = is_cast

    def _send(
        self, operation: str, path: str, fields: dict[str, str], *, may_be_refused: bool = False
    ) -> str:
        outcome = AWAY
        for _ in range(1 + SENT_AGAIN):
            outcome = self.tally.note(operation, self.browser.send(path, fields))
            if outcome == REFUSED and not may_be_refused:
                self.tally.outcomes[operation, WRONGLY_REFUSED] += 1
            if outcome != AWAY:
                return outcome
        return outcome

    def _own(self) -> Written | None:
        sure = [one for one in self.ledger.written if one.is_sure and one.may_be_there]
        return self.rng.choice(sure) if sure else None

    def _text(self) -> str:
        self._texts += 1
        name = self.ledger.username
        return f"{name} says {name.replace('-', '')}number{self._texts}"


READ, SEARCH = "read", "search"
ODDS = {READ: 30, SEARCH: 20, "post": 20, "edit": 15, "vote": 20, "delete": 5}
"""Names of a client's methods, and how often it does what they do."""
FOR = 0.7
COMPARED = "compared"
"""Searches whose answer was known."""
SEARCHES_KNOW = 10.0
"""Seconds after which searches must know what a client was told: longer than any read lags."""


PART = "storm"
CLIENTS = 12
PAGE_SLACK, WRITE_SLACK = 0.5, 1.0
"""Seconds that an answer takes besides its calls, on a machine that clients and engine share."""
ENGINE, WORKER, STREAM = KILLABLE = ("engine", "worker", "stream")
PRODUCTS = ("storm-lamp", "storm-kettle")
"""So few that writers meet."""
LAGGING_READS = 0.5
"""Which share of the eventual reads meet a replica that lags."""
LOCKED = 0.02
"""Seconds that a transaction holds its items longer, so that others meet it."""
EVERY = 7.0
"""Seconds between two kills."""
MOST_LINES = 100_000
EXCEPTION = re.compile(r"[\w.]+(:|$)(?! File)")
"""The line of a traceback that names the exception; those before begin with two words."""
FOLLOWED = 60.0
"""Seconds that the copies of the read model ``sets`` may need at the end."""
SEARCHERS = 4
"""Searches at a time in the end."""
OWED_SECONDS = 420.0
"""How long the site's processes may take in the end for what is owed.

What was left behind is due after a minute, and looked for every minute; what failed, again later.
"""
REPAIRED = frozenset({"rank", "leftovers"})
"""Kinds of differences that an interrupted write may leave behind, and a repair mends."""


@dataclass(frozen=True, slots=True)
class StormOptions:
    """How long, in seconds, which share of the calls meets a fault, and what is killed.

    Half of the eventual reads lag behind, each write by up to ``lag_seconds``.
    """

    seconds: float
    rate: float
    kill: Sequence[str] = ()
    seed: int = 1
    lag_seconds: float = 0.0


def run_storm(options: StormOptions, *, progress: Progress) -> Results:
    """Run one. Raises EngineError and DemoFailed where it cannot begin.

    ``told`` are outcomes by operation, ``faults`` those that calls met. ``wrong`` is what is stored
    or found by a search otherwise than clients were told, ``owed`` what nobody has done in the end,
    ``traceback`` an exception that the site logged, ``difference`` what the integrity check found.
    """
    folder = settings.VAR_DIR / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        scratch = stack.enter_context(TemporaryDirectory(dir=folder, prefix="storm-"))
        engine = stack.enter_context(
            FileEngine(binary=require_binary(), db_path=Path(scratch) / "storm.db")
        )
        proxy = stack.enter_context(
            FaultProxy(
                engine.endpoint_url,
                seed=options.seed,
                lock_seconds=LOCKED,
                lag=Lag(replica_share=LAGGING_READS, is_drawn=True, seed=options.seed),
            )
        )
        # The second engine starts before there are calls; nothing lags yet.
        proxy.lag.seconds = options.lag_seconds
        proxy.lag.seconds = 0.0
        stack.enter_context(connected(local(engine.endpoint_url)))
        ledgers = _prepare()
        config = site_config(
            proxy.endpoint_url,
            VAR_DIR=scratch,
            COMMENTS_READ_MODEL=COMMENTS["READ_MODEL"],
            COMMENT_SEARCH="1",
            COMMENT_WRITES_PER_USER="10000",
            COMMENT_WRITES_PER_ADDRESS="100000",
        )
        site = stack.enter_context(serving(config, kept_lines=MOST_LINES))
        acts: dict[str, Callable[[], object]] = {
            ENGINE: partial(_kill_engine, engine),
            WORKER: partial(_kill_worker, site),
            STREAM: stack.enter_context(_following(config)),
        }
        killer = _Killer(options.kill, acts)
        tally, visitor = Tally(), Browser(config.port, cookies="")
        clients = [
            StormClient(
                Browser.signed_in(config.port, users_called(ledger.username)[0]),
                *(visitor, ledger, PRODUCTS, tally),
                Random(f"{options.seed} {ledger.username}"),  # noqa: S311 - repeatable
            )
            for ledger in ledgers
        ]
        proxy.rate, proxy.lag.seconds = options.rate, options.lag_seconds
        _work(clients, options.seconds, killer, progress)
        proxy.rate, proxy.lag.seconds = 0.0, 0.0
        proxy.lag.caught_up()
        owed_seconds, owed = _await_what_is_owed()
        wrong = [*tally.wrong, *(sentence for ledger in ledgers for sentence in ledger.wrong())]
        wrong += _wrongly_searched(visitor, ledgers, tally)
        found = _differences()
        mended = [d.repair for d in found if d.kind in REPAIRED and d.repair]
        if all(mend() for mend in mended) and mended:
            found = _differences()
        sentences = {
            "traceback": list(_tracebacks(site.output())),
            "wrong": wrong,
            "owed": owed,
            "difference": [f"{d.kind} {d.subject}: {d.stored}, not {d.expected}" for d in found],
        }
        return Results(
            (
                *rows(PART, {"seconds": options.seconds, "rate": options.rate}),
                *rows(PART, {"lag": options.lag_seconds}),
                *rows(PART, {"clients": CLIENTS, "seed": options.seed}),
                *rows(PART, {"settled": owed_seconds}),
                *(Row(PART, k, None, None, "kills", n) for k, n in sorted(killer.done.items())),
                *(
                    Row(PART, operation, None, outcome, "told", number)
                    for (operation, outcome), number in sorted(tally.outcomes.items())
                ),
                *(Row(PART, name, None, None, "slowest", s) for name, s in tally.slowest.items()),
                *(
                    Row(PART, call, None, fault, "faults", number)
                    for (fault, call), number in sorted(
                        proxy.met.items(), key=lambda met: met[0][1]
                    )
                ),
                *(Row(PART, None, None, None, k, one) for k in sentences for one in sentences[k]),
            )
        )


def _tracebacks(lines: Sequence[str]) -> Iterator[str]:
    """Yield the last line of each traceback, which names the exception."""
    is_within = False
    for line in lines:
        is_within |= line.startswith("Traceback")
        if is_within and EXCEPTION.match(line):
            is_within = False
            yield line


def _await_what_is_owed() -> tuple[float, list[str]]:
    """Wait until the site's processes have done what is owed.

    Returns the seconds that they took, and what is left.
    """
    begun = monotonic()
    while True:
        owed = [one for queue in queues() for one in queue.waiting()]
        seconds = monotonic() - begun
        if not owed or seconds > OWED_SECONDS:
            dead = [one for queue in queues() for one in queue.dead()]
            return seconds, [f"{one.kind} {one.payload}: {one.failure}" for one in [*owed, *dead]]
        sleep(1)


def _wrongly_searched(visitor: Browser, ledgers: Sequence[Ledger], tally: Tally) -> Iterator[str]:
    """Search for each text that was ever sent, and yield what is not found, or still found."""

    def search(written: Written, text: str) -> str:
        answer = visitor.search(written.product_id, word_of(text))
        if tally.note(SEARCH, answer) != DONE:
            return f"the search for {word_of(text)} was answered by {answer.status}"
        return written.wrongly_searched(text, answer.page)

    every = [one for ledger in ledgers for one in ledger.written if one.is_sure]
    sent = [(written, text) for written in every for text in written.sent]
    with ThreadPoolExecutor(SEARCHERS) as threads:
        yield from filter(None, threads.map(search, *zip(*sent, strict=True)))
    tally.outcomes[SEARCH, COMPARED] += len(sent)


def _differences() -> Sequence[Difference]:
    """Return what the integrity check finds, when the copies have followed."""
    found = [each for each in comment_differences() if not each.is_hint]
    found += word_differences()
    if COMMENTS["READ_MODEL"] != SETS:
        return found
    until = monotonic() + FOLLOWED
    while (copies := list(set_differences())) and monotonic() < until:
        sleep(1)
    return [*found, *copies]


def _prepare() -> list[Ledger]:
    now = datetime.now(UTC)
    models = {import_string(name) for name in settings.DYNAMODB_MODELS}
    create_missing([*models | {WordItem}], client=client())
    make_tables(client=client(), now=now)
    ensure_products(product_ids=set(PRODUCTS))
    names = [f"client-{number}" for number in range(CLIENTS)]
    for name in names:
        create_profile(username=name, password=None, now=now)
    return [Ledger(name) for name in names]


def _work(
    clients: Sequence[StormClient], seconds: float, killer: "_Killer", progress: Progress
) -> None:
    until = monotonic() + seconds

    def work(one: StormClient) -> None:
        while monotonic() < until:
            one.step()

    with (
        progress.step("A storm", total=round(seconds), unit=" s") as advance,
        ThreadPoolExecutor(len(clients)) as threads,
    ):
        working = [threads.submit(work, one) for one in clients]
        while monotonic() < until:
            sleep(1)
            killer.kill()
            advance(1)
        for one in working:
            one.result()


class _Killer:
    """Kills one process after another; those without a supervisor start again.

    From the thread of its caller alone: an engine ends with the thread that has started it.
    """

    def __init__(self, kinds: Sequence[str], acts: Mapping[str, Callable[[], object]]) -> None:
        self.done: Counter[str] = Counter()
        self._kinds, self._acts = cycle(kinds), acts
        self._next = monotonic() + EVERY

    def kill(self) -> None:
        """Kill the next one, if it is time."""
        if monotonic() < self._next:
            return
        self._next = monotonic() + EVERY
        for kind in islice(self._kinds, 1):
            self._acts[kind]()
            self.done[kind] += 1


@contextmanager
def _following(config: DemoConfig) -> Iterator[Callable[[], None]]:
    """Make the copies of the read model ``sets`` within the block; yield what kills that process.

    Another one is then started. The other read model has none.
    """
    is_followed = COMMENTS["READ_MODEL"] == SETS

    def start() -> Child:
        return Child(manage(("run_stream",)), env=config.environment, listen=True)

    running = [start()] if is_followed else []

    def kill() -> None:
        for child in running:
            child.kill()
            child.wait(5)
        running[:] = [start() for _ in running]

    try:
        yield kill
    finally:
        for child in running:
            child.stop()


def _kill_engine(engine: FileEngine) -> None:
    if engine.pid:
        os.kill(engine.pid, signal.SIGKILL)
    engine.stop()
    engine.start()


def _kill_worker(site: Child) -> None:
    """Kill one of gunicorn's processes, which starts another one."""
    workers = Path(f"/proc/{site.pid}/task/{site.pid}/children").read_text().split()
    for worker in workers[:1]:
        with suppress(ProcessLookupError):  # it has just ended by itself
            os.kill(int(worker), signal.SIGKILL)


def storm_section(found: Results, *, read_model: str) -> Section:
    """Write the section of one storm."""
    operations = found.where(metric=("told", "slowest"))
    writes = [row for row in operations.where(metric="slowest") if row.list not in {READ, SEARCH}]
    killed = [f"{row.list} {row.value} times" for row in found.where(metric="kills")]
    written = section(
        "storm",
        found,
        name=f"storm-{read_model}",
        groups={"operations": operations, "faults": found.where(metric="faults")},
        read_model=read_model,
        killed=", ".join(killed) or "nothing",
        compared=sum(found.where(reader=COMPARED).numbers("told")),
        failed=sum(found.where(reader=FAILED).numbers("told")),
        tracebacks=len(found.values("traceback")),
        wrongly_refused=sum(found.where(reader=WRONGLY_REFUSED).numbers("told")),
        wrong=len(found.values("wrong")),
        owed=len(found.values("owed")),
        differences=len(found.values("difference")),
        most_of_a_page=settings.PAGE_SECONDS + PAGE_WAITS + PAGE_SLACK,
        slowest_page=max(found.where(list=page).number("slowest") for page in (READ, SEARCH)),
        most_of_a_write=settings.WRITE_SECONDS + FORM_WAITS + WRITE_SLACK,
        slowest_write=max((float(row.value) for row in writes), default=0.0),
    )
    sentences = (
        *(f"Traceback: {sentence}" for sentence in found.values("traceback")),
        *(f"Wrong: {sentence}." for sentence in found.values("wrong")),
        *(f"Owed: {sentence}." for sentence in found.values("owed")),
        *(f"Differs: {sentence}." for sentence in found.values("difference")),
    )
    return replace(written, notes=(*written.notes, *sentences))
