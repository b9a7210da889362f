"""The clients of a storm: browsers, each signed in as somebody, and what they do.

They read, post, edit, vote and delete, and send again what failed. A ledger has what each client
was told, and what must be stored afterwards. What was told as done is there exactly once; what was
told as refused is not; of what was answered by a 503, or not at all, either all or nothing is
there.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from random import Random
from threading import Lock
from time import monotonic
from urllib.parse import urlencode

from django.contrib.auth.base_user import AbstractBaseUser
from django.shortcuts import resolve_url
from django.test import Client

from comments import keys
from comments.posting.services import comment_id_of, new_form_id
from comments.store.comments import NoSuchComment, load_comment
from comments.store.table import comment_key, read_item
from dynapages.engine.server import LOOPBACK
from dynapages.pynamodb import FAILURES


@dataclass(slots=True)
class Written:
    """A comment of a client's: the texts that it may have, and whether it may be there or not."""

    comment_id: str
    product_id: str
    texts: set[str]
    may_be_there: bool = True
    may_be_gone: bool = True

    def done(self, text: str) -> None:
        """Note that a text was told as saved."""
        self.texts, self.may_be_there, self.may_be_gone = {text}, True, False

    def deleted(self, *, surely: bool) -> None:
        """Note that a deletion was sent, and whether it was told as done."""
        self.may_be_there, self.may_be_gone = not surely and self.may_be_there, True

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
    """An HTTP status, 0 where there was none, and the seconds until it came.

    Being sent to the login page counts as 403.
    """

    status: int
    seconds: float


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
            response.read()
        except (OSError, HTTPException):
            return Answer(0, monotonic() - begun)
        finally:
            connection.close()
        is_sent_away = response.headers.get("Location", "").startswith(resolve_url(LOGIN))
        status = HTTPStatus.FORBIDDEN if is_sent_away else response.status
        return Answer(status, monotonic() - begun)


SENT_AGAIN = 4
"""How often a form is sent again whose outcome is not known."""
WORDS = {"rating": "4", "language": "en", "title": "In the storm"}


@dataclass(slots=True)
class Tally:
    """Outcomes by operation, the slowest answers in seconds, and the comments that there are."""

    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    slowest: dict[str, float] = field(default_factory=dict)
    comment_ids: list[str] = field(default_factory=list)
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
    """One client; ``rng`` draws what it does next."""

    browser: Browser
    ledger: Ledger
    products: Sequence[str]
    tally: Tally
    rng: Random
    _texts: int = 0

    def step(self) -> None:
        """Do one thing, and send it again while its outcome is not known."""
        (act,) = self.rng.choices((self.read, self.post, self.edit, self.vote, self.delete), ODDS)
        act()

    def read(self) -> None:
        """Read a page of a product, a list of it, or the front page."""
        product_id = self.rng.choice(self.products)
        paths = (f"/products/{product_id}/", f"/products/{product_id}/comments/en/4.5/", "/")
        self.tally.note("read", self.browser.send(self.rng.choice(paths)))

    def post(self) -> None:
        """Post a comment."""
        product_id, username = self.rng.choice(self.products), self.ledger.username
        form_id = new_form_id(username=username, product_id=product_id, now=datetime.now(UTC))
        comment_id = comment_id_of(form_id, username=username, product_id=product_id)
        text = self._text()
        written = Written(comment_id, product_id, {text})
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
        written.texts.add(text)
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
        return f"{self.ledger.username} says number {self._texts}"


ODDS = (40, 20, 15, 20, 5)
FOR = 0.7
