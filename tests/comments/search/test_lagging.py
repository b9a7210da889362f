"""What was acknowledged is true of a search as soon as it is true of lists, also where reads lag.

Index and eventual reads lag by up to 1.5 seconds, each write by a time of its own, so that a later
write may appear before an earlier one. The seconds are those of a clock that a test moves: a slow
machine changes nothing. See `Story` for what is compared.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from io import StringIO
from math import inf
from pathlib import Path
from random import Random
from threading import Event
from time import monotonic, sleep
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest
from django.core.management import call_command

from comments.integrity.comments import comment_differences
from comments.lists import search_queries
from comments.models import TABLE as COMMENTS_TABLE
from comments.profiles.queries import ids_written_by
from comments.rankings import ratings
from comments.replies.services import find_reply
from comments.search.integrity import word_differences
from comments.search.models import TABLE as WORDS_TABLE
from comments.search.models import WordItem
from comments.search.pending import PENDING
from comments.search.writer import CHANGES, WordWriter
from comments.store.comments import NoSuchComment, load_comment
from comments.store.states import is_listed, is_tombstone
from comments.store.table import id_of, is_comment
from comments.store.writing import QUEUE
from dynapages.calls import OutOfTime, build_client, clock
from dynapages.django.callers import Scope
from dynapages.django.work import queues
from dynapages.engine.fault_proxy import FaultProxy, Rule
from dynapages.engine.lag import Lag
from dynapages.process import client, current_connection
from dynapages.pynamodb import FAILURES
from dynapages.tables import create_missing
from dynapages.upkeep import every_item
from dynapages.work import worker
from tests.comments.search.test_acknowledged import Killed
from tests.support.chance import examples
from tests.support.comments.options import comments_set
from tests.support.comments.outage import connected, own_engine
from tests.support.comments.writers import Writer, made_product, new_url, nobody, someone
from tests.support.config.api import NOBODY, Program, program_of
from tests.support.work import finish_what_waits, forget_what_waits, work_off

pytestmark = [pytest.mark.real_engine, pytest.mark.slow]

LAG = 1.5
"""Seconds that a read lags at the most: less than marks stay after the last posting."""
TICK = 0.01
"""What sums of seconds may be off."""
EVERYWHERE = "kettle"
"""A word of all comments."""
DONE, AWAY, REFUSED = {200, 201, 204, 302}, {503}, {400, 404, 409}
ANSWERED = DONE | AWAY | REFUSED
MORE_RUNS = [(0, 1.0), (1, 0.5), (1, 1.0), (2, 0.5), (2, 1.0)]
RUNS = [(0, 0.5), *(pytest.param(*run, marks=pytest.mark.long) for run in MORE_RUNS)]
"""Seeds, and the share of reads that meet a replica which lags; the first is for each change."""
TOKEN = re.compile(r"(?:saying|answer)\d+")


class Time:
    """The clock of lags, of the worker and of what is due: it stands until it is moved."""

    def __init__(self) -> None:
        self.passed = 0.0

    def monotonic(self) -> float:
        return self.passed

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Have the lag and the worker read this clock within the block."""
        real = clock.now
        with (
            patch("dynapages.engine.lag.monotonic", self.monotonic),
            patch("dynapages.work.workers.time", SimpleNamespace(monotonic=self.monotonic)),
            patch("dynapages.calls.clock.now", lambda: real() + timedelta(seconds=self.passed)),
        ):
            yield


class SteppedLag(Lag):
    """A lag by the clock of a test."""

    def show_due(self) -> None:
        """Wait until the replica shows all writes whose lag is over."""
        with self._changed:
            self._changed.notify_all()
            self._wait(lambda: not self._unread and not any(True for _ in self._due()), 60)


Said = tuple[str, ...] | None
"""The words that only one text or reply has, in a comment as it is shown; None where it is not."""


def said_in(text: str) -> Said:
    return tuple(TOKEN.findall("".join(text.split()).casefold()))  # marks divide words


def with_word(said: Said, word: str) -> Said:
    """What a search for a word shows of a comment; replies are not searched."""
    return said if said and word in {EVERYWHERE, *said} else None


@dataclass
class Version:
    """A comment as it was ``since`` a moment, or a little later, ``until`` another, or sooner."""

    said: Said
    since: float
    until: float = inf


@dataclass
class Story:
    """What was true of a product's comments and when, and what lists and searches showed of it.

    A list or a search may show of each comment what was true at any moment of the last `LAG`
    seconds. A *ghost* is anything else that is shown. A comment is *missing* where it should have
    been shown at each of these moments. Lists by index are held to the same.
    """

    product_id: str
    time: Time
    lag: float = LAG
    versions: dict[str, list[Version]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    counted: Counter[str] = field(default_factory=Counter)

    @contextmanager
    def changing(self, *, at_once: bool = False) -> Iterator[None]:
        """Note what changes within the block; ``at_once`` is whether it did so when that began."""
        begun = self.time.passed
        yield
        self.note(since=begun, until=begun if at_once else self.time.passed)

    def note(self, *, since: float, until: float) -> None:
        """Read the truth strongly, which has changed between two moments."""
        self.learn(truth_of(self.product_id), since=since, until=until)

    def learn(self, true: Mapping[str, Said], *, since: float, until: float) -> None:
        """Note the truth, which has changed between two moments."""
        for comment_id in {*true, *self.versions}:
            known = self.versions.setdefault(comment_id, [Version(None, -inf)])
            said = true.get(comment_id)
            if said != known[-1].said:
                known[-1].until = until
                known.append(Version(said, since))

    def true_lately(self, comment_id: str) -> list[Said]:
        since = self.time.passed - self.lag - TICK
        known = self.versions.get(comment_id, [])
        return [v.said for v in known if v.until > since and v.since <= self.time.passed]

    def compare(
        self, reader: str, found: Mapping[str, Said], word: str = "", *, is_whole: bool
    ) -> None:
        """Compare what is shown with what was true; see above.

        Where it says that comments may be missing, none is.
        """
        what = f"{'search' if word else 'list'} {reader}"
        self.counted[what] += 1
        for comment_id in {*found, *self.versions}:
            shown = found.get(comment_id)
            true = self.true_lately(comment_id) or [None]
            might = [with_word(said, word) for said in true] if word else true
            if shown in might or (shown is None and not is_whole):
                continue
            kind = "ghost" if shown else "missing"
            self.problems.append(
                f"{self.time.passed:.2f}: {kind} in {what} for {word}: {shown}, not {might}"
            )


def truth_of(product_id: str, by: Any = None) -> dict[str, Said]:
    """What is stored, read strongly ``by`` a client: what each comment says that lists show."""
    found = {}
    for item in every_item(by or client(), COMMENTS_TABLE):
        if "sk" not in item or not is_comment(item):
            continue
        if is_tombstone(item) or not is_listed(item) or product_id not in str(item):
            continue
        reply = item.get("y", {"M": {}})["M"].get("x", {"S": ""})["S"]
        found[id_of(item)] = said_in(f"{item['x']['S']} {reply}")
    return found


class Unanswered(Exception):
    """The database did not answer in time."""


Read = Callable[[str, str], tuple[dict[str, Said], bool]]
"""Reads a list, or a search for a word; returns also whether it says that nothing is missing."""


def on_page(product_id: str, word: str) -> tuple[dict[str, Said], bool]:
    query = f"?q={word}" if word else ""
    shown = nobody().get(f"/products/{product_id}/comments/en/~/{query}")
    if shown.status in AWAY:
        raise Unanswered
    assert shown.status == 200
    comments = shown.page.all(data_comment_id=True)
    found = {element["data-comment-id"]: said_in(element.text) for element in comments}
    return found, "being brought up to date" not in shown.page.text


def by_program(product_id: str, word: str) -> tuple[dict[str, Said], bool]:
    query = f"&q={word}" if word else ""
    response = NOBODY.get(f"/products/{product_id}/comments?language=en{query}")
    if response.status_code in AWAY:
        raise Unanswered
    answer = response.json()
    found = {one["id"]: said_in(f"{one['text']} {one['reply']}") for one in answer["items"]}
    return found, answer["total"] is not None


@dataclass
class Scene:
    """People who write about a product, and a visitor who reads lists and searches."""

    proxy: FaultProxy
    lag: Lag
    time: Time
    story: Story
    alice: Writer
    sam: Writer
    by_alice: Program
    by_sam: Program
    random: Random
    last: int = 0

    @property
    def product_id(self) -> str:
        return self.story.product_id

    def pass_time(self, seconds: float) -> None:
        assert isinstance(self.lag, SteppedLag)
        self.time.passed += seconds
        self.lag.show_due()

    def work(self) -> None:
        """Let the worker of this process do what is due by now, and look for more."""
        for _ in range(2 * len(worker())):
            worker().flush(seconds=0)
        worker().look([QUEUE])

    def look(self, *words: str) -> None:
        """Compare a list, searches and the list again, all on the page or all by the API."""
        read = self.random.choice((on_page, by_program))
        marks = f"{PENDING}{self.product_id}"
        marked = any(item["pk"]["S"] == marks for item in every_item(client(), WORDS_TABLE))
        self.story.counted["looks while there are marks"] += marked
        latest = {f"saying{self.last}", f"saying{self.random.randint(1, self.last)}"}
        self._compare(read, "")
        for word in words or (EVERYWHERE, *sorted(latest)):
            self._compare(read, word)
        self._compare(read, "")

    def _compare(self, read: "Read", word: str) -> None:
        found, is_whole = read(self.product_id, word)
        self.story.compare(read.__name__, found, word, is_whole=is_whole or not word)

    def say(self) -> str:
        self.last += 1
        return f"Kettle saying{self.last}."

    def run_import(self, file: Path) -> None:
        """Import a file while some transactions conflict, and some batches are throttled."""
        chance = Random(self.random.random())

        def now_and_then(_request: object) -> bool:
            return chance.random() < 0.15

        waiting = Waiting(self)
        with (
            rules(
                self,
                Rule("conflict", operation="TransactWriteItems", when=now_and_then),
                Rule("throttled", operation="BatchWriteItem", when=now_and_then),
            ),
            patch("comments.data.writer.worker", lambda: waiting),
        ):
            call_command("import_comments", str(file), stdout=StringIO())

    def rows(self, version: int) -> str:
        """Rows of CSV: a dozen comments of the scene's product, and many of others."""
        of_others = [made_product() for _ in range(2)]
        lines = ["id,product_id,language,rating,created_at,author,title,body"]
        for product_id, count in ((self.product_id, 12), *((one, 150) for one in of_others)):
            for number in range(1, count + 1):
                said = f"Kettle saying{version}{number:02}."
                day = f"2026-11-{version:02}"
                lines.append(f"{product_id}-{number},{product_id},en,5,{day},Ann,Title,{said}")
        return "\n".join(lines)

    # What people do; each returns what sends it, again as well.

    def ids(self) -> list[str]:
        return sorted(self.story.versions)

    def post_by_form(self) -> Callable[[], int]:
        form = {**self.alice.open_form(self.product_id), **self.content()}
        return lambda: self.alice.send(new_url(self.product_id), form).status_code

    def post_by_api(self) -> Callable[[], int]:
        url, said = f"/products/{self.product_id}/comments", self.said()
        return lambda: self.by_alice.post(url, said, once=said["text"]).status_code

    def edit_by_form(self) -> Callable[[], int]:
        stored = load_comment(self.random.choice(self.ids()))
        form = {**self.content(), "version": str(stored.version)}
        url = f"/comments/edit/{stored.comment.id}/"
        return lambda: self.alice.send(url, form).status_code

    def edit_by_api(self) -> Callable[[], int]:
        stored = load_comment(self.random.choice(self.ids()))
        body = {**self.said(), "version": stored.version}
        return lambda: self.by_alice.put(f"/comments/{stored.comment.id}", body).status_code

    def delete_by_form(self) -> Callable[[], int]:
        url = f"/comments/delete/{self.random.choice(self.ids())}/"
        return lambda: self.alice.send(url).status_code

    def delete_by_api(self) -> Callable[[], int]:
        url = f"/comments/{self.random.choice(self.ids())}"
        return lambda: self.by_alice.delete(url).status_code

    def decide(self) -> Callable[[], int]:
        stored = load_comment(self.random.choice(self.ids()))
        decision = "restore" if stored.is_hidden else "hide"
        url, body = f"/decisions/{stored.comment.id}", {"decision": decision}
        return lambda: self.by_sam.post(url, body).status_code

    def reply(self) -> Callable[[], int]:
        comment_id = load_comment(self.random.choice(self.ids())).comment.id
        before = find_reply(comment_id)
        self.last += 1
        form = {
            "text": f"Thanks answer{self.last}.",
            "version": str(before.version if before else 0),
        }
        url = f"/staff/comments/reply/{comment_id}/"
        return lambda: self.sam.send(url, form).status_code

    def content(self) -> dict[str, str]:
        return {"rating": "4", "title": "Second", "language": "en", "body": self.say()}

    def said(self) -> dict[str, str | int]:
        return {"rating": 4, "title": "Second", "language": "en", "text": self.say()}


ACTS = {
    Scene.post_by_form: 3,
    Scene.post_by_api: 3,
    Scene.edit_by_form: 6,
    Scene.edit_by_api: 6,
    Scene.delete_by_form: 1,
    Scene.delete_by_api: 1,
    Scene.decide: 6,
    Scene.reply: 4,
}


@pytest.fixture(scope="module")
def engine(tables, engine_name) -> Iterator[str]:
    """The address of an engine of the module's own, with comments that can be searched."""
    limits = {"WRITES_PER_USER": 100_000, "WRITES_PER_ADDRESS": 100_000}
    with comments_set(SEARCH=True, **limits), own_engine() as engine:
        create_missing([WordItem], client=client())
        yield engine.endpoint_url


@contextmanager
def lagging(
    engine: str, *, seed: int, is_drawn: bool = True, share: float = 1.0
) -> Iterator[Scene]:
    """A scene whose reads lag, on an engine; nothing waits and nothing is owed in the end."""
    time = Time()
    lag = SteppedLag(is_drawn=is_drawn, replica_share=share, seed=seed)
    with ExitStack() as stack:
        proxy = stack.enter_context(FaultProxy(engine, stall_seconds=0, seed=seed, lag=lag))
        start_replica(lag)
        stack.enter_context(connected(proxy.endpoint_url))
        alice, sam, product_id = someone("alice"), someone("sam", is_staff=True), made_product()
        programs = program_of(alice.username), program_of(sam.username, Scope.STAFF)
        story = Story(product_id, time)
        people = (alice, sam, *programs)
        scene = Scene(proxy, lag, time, story, *people, Random(seed))
        for _ in range(2):
            assert scene.post_by_form()() in DONE
        finish_what_waits()
        story.note(since=-inf, until=-inf)
        stack.enter_context(time.applied())
        lag.seconds = LAG
        yield scene
        proxy.rules.clear()
        lag.seconds = 0.0
        lag.caught_up()
        work_off()
        time.passed += 2 * LAG
        scene.look()
        assert nothing_is_left() == []
        assert story.problems == [], f"with the seed {seed}"


def start_replica(lag: Lag) -> None:
    """Have the second engine run before there are calls, and nothing lag yet."""
    lag.seconds = LAG
    lag.seconds = 0.0


def nothing_is_left() -> list[str]:
    """What the checks find, with the marks, changes and due items that there are."""
    found = [f"{d.kind} {d.subject}" for d in word_differences()]
    found += [f"{d.kind} {d.subject}" for d in comment_differences() if not d.is_hint]
    words = every_item(client(), WORDS_TABLE)
    found += [str(item) for item in words if item["pk"]["S"].startswith((CHANGES, PENDING))]
    # Copies of ratings are due some minutes later.
    found += [str(owed) for owed in QUEUE.waiting() if owed.kind != ratings.KIND]
    return found + [str(dead) for dead in QUEUE.dead()]


# Failures: each is a context in which something is sent.


@contextmanager
def nothing(_scene: Scene) -> Iterator[None]:
    yield


@contextmanager
def rules(scene: Scene, *rules: Rule) -> Iterator[None]:
    scene.proxy.rules += rules
    try:
        yield
    finally:
        for rule in rules:
            scene.proxy.rules.remove(rule)


def is_of_words(request: Mapping[str, object]) -> bool:
    return PENDING in str(request)


def lost_answers(scene: Scene):
    return rules(scene, Rule("reset after", operation="TransactWriteItems", when=is_of_words))


def conflicts(scene: Scene):
    return rules(scene, Rule("conflict", operation="TransactWriteItems", times=2))


def throttled_postings(scene: Scene):
    return rules(scene, Rule("throttled", operation="BatchWriteItem", table=WORDS_TABLE))


def half_of_the_postings(scene: Scene):
    rule = Rule("partly unprocessed", operation="BatchWriteItem", table=WORDS_TABLE, times=1)
    return rules(scene, rule, Rule("throttled", operation="BatchWriteItem", table=WORDS_TABLE))


def slow_postings(scene: Scene, seconds: float | None = None):
    """Let time pass between the commit and the postings."""

    def wait(_request: object) -> bool:
        scene.pass_time(scene.random.uniform(0.2, LAG) if seconds is None else seconds)
        return False

    return rules(scene, Rule("throttled", operation="BatchWriteItem", table=WORDS_TABLE, when=wait))


@contextmanager
def time_spent(_scene: Scene) -> Iterator[None]:
    with patch.object(WordWriter, "write", side_effect=OutOfTime):
        yield


@contextmanager
def killed(_scene: Scene) -> Iterator[None]:
    """Kill the process behind the commit."""
    with patch.object(WordWriter, "write", side_effect=Killed), suppress(Killed):
        yield
    forget_what_waits()


FAULTS = [
    *[nothing] * 4,
    *[throttled_postings] * 3,
    *[slow_postings] * 2,
    half_of_the_postings,
    lost_answers,
    conflicts,
    time_spent,
    killed,
]


@pytest.mark.parametrize(("seed", "share"), RUNS)
def test_searches_say_what_was_true_whatever_fails_while_reads_lag(engine, seed, share):
    # Where each lag is the same and all reads meet it, lists show what was true exactly then.
    is_drawn = (seed, share) != (2, 1.0)
    with lagging(engine, seed=seed, share=share, is_drawn=is_drawn) as scene:
        for _ in range(examples(80)):
            act_once(scene)
            for _ in range(scene.random.randint(1, 4)):
                scene.pass_time(scene.random.choice((0.1, 0.4, 0.7, 1.6)))
                if scene.random.random() < 0.6:
                    scene.work()
                scene.look()
            if scene.random.random() < 0.1:
                look_elsewhere(scene)
    assert scene.story.counted["looks while there are marks"] > 10
    assert scene.story.counted["faults"] > 5


@pytest.mark.parametrize(("seed", "share"), RUNS)
def test_marks_stay_until_no_read_can_meet_old_postings(engine, seed, share):
    """Postings are written when lists show the change already, and searches are true at each step.

    With a mark that is deleted at once or a second later, none of these runs is true.
    """
    with lagging(engine, seed=seed, share=share) as scene:
        for act in (scene.edit_by_api, scene.decide, scene.edit_by_form, scene.decide):
            send = act()
            with scene.story.changing(at_once=True), slow_postings(scene, LAG + 2 * TICK):
                assert send() in DONE
            words = EVERYWHERE, f"saying{scene.last}"
            scene.work()
            scene.look(*words)
            for _ in range(20):
                scene.pass_time(0.2)
                scene.work()
                scene.look(*words)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2))
def test_imports_that_are_killed_and_run_again_show_nothing_old(engine, seed, tmp_path):
    with lagging(engine, seed=seed, share=0.5) as scene:
        for version in range(1, 4):
            file = tmp_path / f"{version}.csv"
            file.write_text(scene.rows(version))
            with scene.story.changing(), suppress(Killed), killed_amid(scene.product_id):
                scene.run_import(file)
            forget_what_waits()
            for _ in range(3):
                scene.pass_time(0.7)
                scene.look()
            if version == 2:
                look_elsewhere(scene)
            with scene.story.changing():
                scene.run_import(file)
            for _ in range(8):
                scene.pass_time(0.4)
                scene.work()
                scene.look(EVERYWHERE, f"saying{version}01", f"saying{version - 1}01")
    assert scene.story.counted["looks while there are marks"] > 10


@contextmanager
def killed_amid(product_id: str) -> Iterator[None]:
    """Kill the process when comments of a product are committed, and not in their postings yet."""
    real = WordWriter.write

    def write(self: WordWriter) -> None:
        if product_id in str(self.marks):
            raise Killed
        real(self)

    with patch.object(WordWriter, "write", write):
        yield


@dataclass
class Waiting:
    """The worker of an import, which waits for its changes to be finished: the time of the test."""

    scene: Scene

    def flush(self, seconds: float) -> bool:
        for _ in range(round(seconds)):
            self.scene.pass_time(1)
            self.scene.work()
        return True


@dataclass
class Sight:
    """What was shown, and when it was asked for and answered."""

    began: float
    ended: float
    reader: str
    word: str
    found: dict[str, Said]
    is_whole: bool


SECONDS = 40
STAYS = timedelta(seconds=5)
"""How long marks stay here: a busy machine makes lags longer."""


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2))
def test_searches_are_true_while_people_write_and_a_thread_works(engine, seed):
    """People write at once, calls fail at random, and the worker runs: by the clock of the machine.

    What was true is sampled past the proxy, and lags are measured: they depend on the machine.
    """
    lag = Lag(is_drawn=True, replica_share=0.5, seed=seed)
    kinds = ("throttled", "conflict", "unprocessed", "partly unprocessed", "reset after")
    with ExitStack() as stack:
        proxy = stack.enter_context(
            FaultProxy(engine, kinds=kinds, seed=seed, lag=lag, lock_seconds=0.005)
        )
        direct = build_client(replace(current_connection(), endpoint_url=engine))
        start_replica(lag)
        stack.enter_context(connected(proxy.endpoint_url))
        story = Story(made_product(), Time())
        scenes = [scene_of(proxy, lag, story.product_id, f"{seed} {n}") for n in range(2)]
        for module in ("comments.store.writing", "comments.search.writer"):
            stack.enter_context(patch(f"{module}.SETTLED_AFTER", STAYS))
        late = Rule("throttled", operation="BatchWriteItem", table=WORDS_TABLE, when=is_bad_time)
        with ThreadPoolExecutor(5) as threads, working():
            proxy.rules.append(late)
            proxy.rate, lag.seconds = 0.02, LAG
            is_over, behind, sights = Event(), [LAG], list[Sight]()
            doing = [
                threads.submit(sample, story, direct, is_over),
                threads.submit(measure, lag, behind, is_over),
                *(threads.submit(write_on, scene, is_over) for scene in scenes),
            ]
            try:
                read_on(scenes, sights, until=monotonic() + SECONDS)
            finally:
                is_over.set()
            for one in doing:
                one.result()
            proxy.rules.clear()
            proxy.rate = lag.seconds = 0.0
            lag.caught_up()
        assert late.fired
        work_off()
        # What was written at last is due a moment later.
        until = monotonic() + 2 * STAYS.total_seconds()
        while nothing_is_left() and monotonic() < until:
            sleep(0.2)
            work_off()
        assert nothing_is_left() == []
    assert max(behind) + 0.5 < STAYS.total_seconds(), "the machine is too busy for this test"
    for sight in sights:
        story.time.passed = sight.ended
        story.lag = max(behind) + 0.3 + sight.ended - sight.began
        story.compare(sight.reader, sight.found, sight.word, is_whole=sight.is_whole)
    assert story.problems == [], f"with the seed {seed}"
    assert story.counted["search on_page"] + story.counted["search by_program"] > SECONDS


def is_bad_time(_request: object) -> bool:
    """Return whether postings are throttled: for six seconds of twelve, longer than reads lag."""
    return monotonic() % 12 < 6


def scene_of(proxy: FaultProxy, lag: Lag, product_id: str, seed: str) -> Scene:
    alice, sam = someone("alice"), someone("sam", is_staff=True)
    programs = program_of(alice.username), program_of(sam.username, Scope.STAFF)
    story = Story(product_id, Time())
    chance = Random(seed)
    scene = Scene(proxy, lag, story.time, story, alice, sam, *programs, chance)
    scene.last = 1_000 * int(seed[-1]) + 1_000
    for _ in range(2):
        assert scene.post_by_form()() in DONE
    return scene


@contextmanager
def working() -> Iterator[None]:
    """Let the thread of this process do what is owed, and look every other second."""
    real = worker()
    interval = real.interval
    real.runs_by_itself, real.interval = True, 2.0
    real.start([QUEUE])
    try:
        yield
    finally:
        real.runs_by_itself, real.interval = False, interval
        real.start(queues())


def sample(story: Story, direct: Any, is_over: Event) -> None:
    before = -inf
    while not is_over.is_set():
        began = monotonic()
        story.learn(truth_of(story.product_id, direct), since=before, until=monotonic())
        before = began
        is_over.wait(0.02)


def measure(lag: Lag, behind: list[float], is_over: Event) -> None:
    while not is_over.wait(0.05):
        with lag._changed:
            behind.extend(monotonic() - write.written for write in lag._writes[:1])


def write_on(scene: Scene, is_over: Event) -> None:
    while not is_over.is_set():
        scene.story.versions = {one: [] for one in ids_written_by(scene.alice.username)}
        act = scene.random.choices([*ACTS], [*ACTS.values()])[0]
        if len(scene.story.versions) > 4 and act in {Scene.post_by_form, Scene.post_by_api}:
            act = Scene.delete_by_api
        with suppress(NoSuchComment, IndexError, *FAILURES):
            send = act(scene)
            for _ in range(4):
                if send() not in AWAY:
                    break
        is_over.wait(scene.random.choice((0.1, 0.3, 0.5, 0.8, 1.5, 3.0)))


def read_on(scenes: Sequence[Scene], sights: list[Sight], *, until: float) -> None:
    while monotonic() < until:
        scene = scenes[0].random.choice(scenes)
        for word in ("", EVERYWHERE, f"saying{scene.last}", f"saying{scene.last - 1}", ""):
            reader, began = scene.random.choice((on_page, by_program)), monotonic()
            with suppress(Unanswered):
                found, is_whole = reader(scene.product_id, word)
                sight = Sight(
                    began, monotonic(), reader.__name__, word, found, is_whole or not word
                )
                sights.append(sight)


class TestCallsThatTakeLong:
    """Of two calls of one request, or of two requests, one takes seconds longer."""

    def test_a_search_that_reads_marks_late_does_not_trust_postings_read_before(self, engine):
        are_read, real = Event(), search_queries.read

        def read(*asked: Any, **how: Any) -> Any:
            try:
                return real(*asked, **how)
            finally:
                are_read.set()

        with lagging(engine, seed=1, is_drawn=False) as scene:
            send = scene.edit_by_api()
            with scene.story.changing(at_once=True), slow_postings(scene, LAG):
                assert send() in DONE
            scene.pass_time(LAG - 0.1)  # the postings are written, and nobody sees them yet
            search = partial(scene.look, EVERYWHERE)
            with (
                patch.object(search_queries, "read", read),
                patch.object(search_queries._LAST_MARKS, "took_long", new=False),
                meanwhile(scene, search, "Query", is_of_marks),
            ):
                assert are_read.wait(60)
                sleep(search_queries.MARKS_SECONDS)
                scene.pass_time(0.6)
                scene.work()  # the marks are deleted
                scene.pass_time(LAG)

    def test_an_attempt_that_ends_after_the_next_one_leaves_no_old_postings(self, engine):
        with lagging(engine, seed=1, is_drawn=False) as scene:
            send = scene.post_by_form()
            known = {*scene.story.versions}
            with meanwhile(scene, send, "BatchWriteItem", is_of_postings):
                with scene.story.changing():
                    assert send() in DONE
                pass_settled(scene)
                (comment_id,) = {*scene.story.versions} - known
                body = {**scene.said(), "version": load_comment(comment_id).version}
                with scene.story.changing():
                    assert scene.by_alice.put(f"/comments/{comment_id}", body).status_code in DONE
                pass_settled(scene)
                scene.look()
            for _ in range(4):
                pass_settled(scene)
                scene.look(EVERYWHERE, f"saying{scene.last - 1}", f"saying{scene.last}")


def pass_settled(scene: Scene) -> None:
    """Let as much time pass as marks stay, and as reads lag then."""
    for _ in range(3):
        scene.pass_time(2 + TICK)
        scene.work()


def is_of_marks(request: Mapping[str, object]) -> bool:
    return PENDING in str(request)


def is_of_postings(request: Mapping[str, object]) -> bool:
    return "/w3/" in str(request)


@contextmanager
def meanwhile(
    scene: Scene,
    do: Callable[[], object],
    operation: str,
    when: Callable[[Mapping[str, object]], bool],
) -> Iterator[None]:
    """Do something in a thread, and hold its first such call until the end of the block."""
    has_arrived, is_released = Event(), Event()

    def hold(request: Mapping[str, object]) -> bool:
        if when(request) and not has_arrived.is_set():
            has_arrived.set()
            assert is_released.wait(60)
        return False

    with (
        rules(scene, Rule("throttled", operation=operation, when=hold)),
        ThreadPoolExecutor(1) as thread,
    ):
        done = thread.submit(do)
        try:
            assert has_arrived.wait(60)
            yield
        finally:
            is_released.set()
        done.result()


def act_once(scene: Scene) -> None:
    """Have something done under a fault, and sent again until it is."""
    (act,) = scene.random.choices([*ACTS], [*ACTS.values()])
    try:
        send = act(scene)
    except (NoSuchComment, IndexError):  # it was deleted
        return
    fault = scene.random.choice(FAULTS)
    scene.story.counted["faults"] += fault is not nothing
    status = 503
    with scene.story.changing(), fault(scene):
        status = send()
    assert status in ANSWERED, (act, fault, status)
    if status in AWAY:
        scene.pass_time(scene.random.choice((0.0, 0.3)))
        scene.look()
        with scene.story.changing():
            again = send()
        assert again in ANSWERED - AWAY, (act, fault, again)


def look_elsewhere(scene: Scene) -> None:
    """Let a minute pass, and another process do what is due, whose transactions conflict."""
    scene.pass_time(61)
    scene.look()
    with rules(scene, Rule("conflict", operation="TransactWriteItems", times=2)):
        worker().look([QUEUE])
    scene.look()
    scene.pass_time(1)
    scene.look()
