"""The demo: dynoxide on a file, the tables, the sample shop and the site, run together."""

import signal
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Never

from django.conf import settings

from comments.host import COMMENTS
from config.running_demo import FileBusy, FileLock, RunningDemo, announced, demo_path, find_demo
from dynapages.calls import Connection
from dynapages.django.tables import compare_tables
from dynapages.engine.child import (
    LOOPBACK,
    OUTPUT_LINES,
    Child,
    EngineError,
    is_answering,
    require_free,
)
from dynapages.engine.server import (
    START_SECONDS,
    DynoxideEngine,
    EngineDied,
    EngineServer,
    MotoEngine,
    find_dynoxide,
)
from dynapages.process import connected


class DamagedFile(EngineError):
    """The data file cannot be read."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(
            f"{path} cannot be read as a database ({reason}): "
            "move it away to start afresh, or put a backup in its place."
        )


class FileEngine(DynoxideEngine):
    """dynoxide on a file.

    dynoxide lets two processes open one file, which destroys it: hence the lock. A damaged file is
    refused before it is opened.
    """

    def __init__(
        self,
        *,
        binary: Path | None,
        db_path: Path,
        port: int | None = None,
        start_seconds: float = START_SECONDS,
    ) -> None:
        super().__init__(binary=binary, port=port, start_seconds=start_seconds)
        self.db_path = db_path
        self._lock = FileLock(db_path)

    def start(self) -> None:
        """Start it. Raises FileBusy and DamagedFile besides what any engine raises."""
        self._lock.acquire()
        try:
            require_sound(self.db_path)
            self._start_on_file()
        except BaseException:  # whatever stops it, the file is free for the next
            self._lock.release()
            raise

    def begin_anew(self) -> Path:
        """Stop it, rename the file, and start on an empty one; return the old file's new path."""
        super().stop()
        aside = _unused_path(self.db_path)
        for suffix in ("", "-wal", "-shm"):  # SQLite finds those two by the file's name
            file = self.db_path.with_name(self.db_path.name + suffix)
            if file.exists():
                file.rename(aside.with_name(aside.name + suffix))
        self._start_on_file()
        return aside

    def _start_on_file(self) -> None:
        # Nobody else may read the file; those beside it get the mode that it has.
        self.db_path.touch(mode=0o600)
        self.db_path.chmod(0o600)
        super().start()

    def _launch(self, port: int) -> Child:
        command = [str(self._binary), "serve", "--port", str(port), "--db-path", str(self.db_path)]
        return Child(command, listen=True, keep_open=[self._lock.fileno()])

    def check(self) -> None:
        """Raise EngineDied, or DamagedFile where it ended for that."""
        try:
            super().check()
        except EngineDied as died:
            if "not a valid SQLite" in str(died) or "malformed" in str(died):
                raise DamagedFile(self.db_path, "dynoxide does not understand it") from died
            raise

    def stop(self) -> None:
        """Stop it, then release the file."""
        super().stop()
        self._lock.release()


def _unused_path(path: Path) -> Path:
    """Return the path of no file beside ``path``, such as ``shop-older.db``."""
    unused = path.with_stem(f"{path.stem}-older")
    number = 1
    while unused.exists():
        number += 1
        unused = path.with_stem(f"{path.stem}-older-{number}")
    return unused


class SampleMoto(MotoEngine):
    """Moto's server, adapted in `demo.moto_server` to load the sample's orders in time."""

    program = (str(Path(__file__).with_name("moto_server.py")),)


def engine_on(db_path: Path, *, folder: Path) -> EngineServer:
    """Return dynoxide on a file if it is installed (see `find`), else moto's server.

    It is not yet started.
    """
    binary = find_dynoxide(folder)
    return FileEngine(binary=binary, db_path=db_path) if binary else SampleMoto()


def require_sound(db_path: Path) -> None:
    """Raise DamagedFile unless the file is absent or an intact SQLite database.

    dynoxide notices a damaged header only, and the rest much later, as an error of a request.
    """
    if not db_path.exists():
        return
    try:
        with closing(sqlite3.connect(db_path)) as connection:
            (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.Error as error:
        raise DamagedFile(db_path, str(error)) from error
    if verdict != "ok":
        raise DamagedFile(db_path, " ".join(verdict.split()))


STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
POLL_SECONDS = 0.1
SITE_START_SECONDS = 60.0
WORKERS = 2
SECLUDED = {
    "ALLOWED_HOSTS": LOOPBACK,
    "AWS_ACCESS_KEY_ID": "local",
    "AWS_SECRET_ACCESS_KEY": "local",
    "DEBUG": "0",
    "HTTPS": "0",
    "REQUEST_LOG": "0",
}
"""Environment of a site that is asked by this process alone, on an engine of this machine."""


Command = tuple[str, ...]
"""A management command with its arguments."""


class DemoFailed(EngineError):
    """A part of the demo failed; the sentence names it."""


class Stopped(Exception):
    """The demo was asked to stop."""


@dataclass(frozen=True, slots=True)
class DemoConfig:
    """The site's port, and the environment of all processes of the demo."""

    port: int
    environment: Mapping[str, str]
    access_log: bool = False

    @property
    def address(self) -> str:
        """The site's."""
        return f"http://{LOOPBACK}:{self.port}/"

    def gunicorn(self) -> list[str]:
        """Build the site's command line; it writes no pid file and no control socket."""
        return [
            *(sys.executable, "-m", "gunicorn"),
            *("--config", str(settings.BASE_DIR / "deploy/gunicorn.conf.py")),
            *("--chdir", str(settings.BASE_DIR)),
            *("--bind", f"{LOOPBACK}:{self.port}"),
            *("--workers", str(WORKERS)),
            *("--graceful-timeout", "3"),
            *("--log-level", "warning"),
            "--no-control-socket",
            *(("--access-logfile", "-") if self.access_log else ()),
        ]

    def is_open(self) -> bool:
        """Return whether the site answers."""
        return is_answering(self.port, path="/healthz")


def manage(command: Command) -> list[str]:
    """Build the command line of a management command."""
    return [sys.executable, str(settings.BASE_DIR / "manage.py"), *command]


@contextmanager
def serving(config: DemoConfig, *, kept_lines: int = OUTPUT_LINES) -> Iterator[Child]:
    """Run the site alone within the block, and yield gunicorn's process.

    Raises DemoFailed where it does not start.
    """
    command = config.gunicorn()
    with Child(command, env=config.environment, listen=True, output_lines=kept_lines) as site:
        deadline = time.monotonic() + SITE_START_SECONDS
        while not config.is_open():
            if time.monotonic() > deadline or site.poll() is not None:
                raise DemoFailed(" ".join(["The web server did not start.", *site.output()[-1:]]))
            time.sleep(POLL_SECONDS)
        yield site


@dataclass(slots=True, kw_only=True)
class Demo:
    """One run.

    ``say`` prints a line for the user. ``sign_in`` are a customer, a member of staff, their
    password. ``prepare`` are commands run before the site, ``beside`` those that last as long. With
    ``engine`` None, the database at ``endpoint_url`` is used and never stopped. ``parts`` are the
    processes beside the engine, by name.
    """

    config: DemoConfig
    engine: EngineServer | None
    say: Callable[[str], None]
    prepare: tuple[Command, ...]
    beside: tuple[Command, ...] = ()
    endpoint_url: str | None = None
    sign_in: tuple[str, ...] = ()
    parts: dict[str, Child] = field(default_factory=dict, init=False)

    def run(self) -> None:
        """Return when the user has stopped it; raise EngineError or FileBusy when a part failed.

        Call from the main thread: it handles the signals that ask a process to stop.
        """
        with _handling_signals():
            try:
                with _alone():
                    require_free(self.config.port)
                    with self.engine or nullcontext():
                        self._open_shop()
            except Stopped:
                self.say("Stopped.")

    def _wait_while(self, goes_on: Callable[[], bool]) -> None:
        while goes_on():
            self._require_all()
            time.sleep(POLL_SECONDS)

    def _set_older_file_aside(self, engine: FileEngine) -> None:
        """Begin anew where another version of the shop has made the tables in the file."""
        connection = Connection(
            region=settings.AWS_REGION,
            endpoint_url=engine.endpoint_url,
            access_key=SECLUDED["AWS_ACCESS_KEY_ID"],
            secret_key=SECLUDED["AWS_SECRET_ACCESS_KEY"],
        )
        with connected(connection):
            differs = any(compare_tables().values())
        if differs:
            aside = engine.begin_anew()
            self.say(
                f"{engine.db_path} holds tables of another version of the shop. That file is now "
                f"{aside}, and the shop begins anew. What is yours in it can go over: see "
                "docs/importing.md, “From 0.1.0”."
            )

    def _open_shop(self) -> None:
        if isinstance(self.engine, FileEngine):
            self._set_older_file_aside(self.engine)
        url = self.engine.endpoint_url if self.engine else self.endpoint_url or ""
        environment = {**self.config.environment, "DYNAMODB_ENDPOINT_URL": url}
        note = RunningDemo(
            endpoint_url=url,
            table_prefix=settings.DYNAMODB_TABLE_PREFIX,
            region=settings.AWS_REGION,
            port=self.config.port,
            read_model=COMMENTS["READ_MODEL"],
            sets_key_format=COMMENTS["SETS_KEY_FORMAT"],
            has_search=self.config.environment.get("COMMENT_SEARCH") == "1",
            sign_in=list(self.sign_in),
        )
        with announced(note, var=settings.VAR_DIR), ExitStack() as started:
            for command in self.prepare:
                self._run_to_end(command, environment)
            lasting = {_name_of(command): manage(command) for command in self.beside}
            for name, line in {**lasting, "The web server": self.config.gunicorn()}.items():
                self.parts[name] = started.enter_context(Child(line, env=environment))
            deadline = time.monotonic() + SITE_START_SECONDS
            self._wait_while(lambda: time.monotonic() < deadline and not self.config.is_open())
            if not self.config.is_open():
                sentence = f"The web server did not answer within {SITE_START_SECONDS:g} seconds."
                raise DemoFailed(sentence)
            self.say(self._banner(url))
            self._wait_while(lambda: True)

    def _run_to_end(self, command: Command, environment: Mapping[str, str]) -> None:
        with Child(manage(command), env=environment) as child:
            self._wait_while(lambda: child.poll() is None)
        if child.returncode:
            self._require_all()
            sentence = f"{_name_of(command)} failed (exit code {child.returncode}); see above."
            raise DemoFailed(sentence)

    def _require_all(self) -> None:
        if self.engine:
            self.engine.check()
        for name, child in self.parts.items():
            if (exit_code := child.poll()) is not None:
                raise DemoFailed(f"{name} ended by itself (exit code {exit_code}).")

    def _banner(self, url: str) -> str:
        name = self.engine.name if self.engine else "not started by this command"
        who = ""
        if self.sign_in:
            customer, staff, password = self.sign_in
            who = f"{customer}, or as {staff} of the staff; the password is {password}"
        return (
            f"\n  The shop is open   {self.config.address}"
            f"\n  DynamoDB           {url} ({name})"
            + (f"\n  Sign in as {who}" if who else "")
            + "\n  Stop it with       Ctrl-C\n"
        )


def _name_of(command: Command) -> str:
    return f"'manage.py {' '.join(command)}'"


@contextmanager
def _handling_signals() -> Iterator[None]:
    """Raise Stopped at the first of STOP_SIGNALS; the next must not disturb what it ends."""

    def stop(*_: object) -> Never:
        for number in STOP_SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        raise Stopped

    before = {number: signal.signal(number, stop) for number in STOP_SIGNALS}
    try:
        yield
    finally:
        for before_number, handler in before.items():
            signal.signal(before_number, handler)


@contextmanager
def _alone() -> Iterator[None]:
    """Hold the lock of the folder. Raises DemoFailed where another demo has it."""
    lock = FileLock(demo_path(settings.VAR_DIR))
    try:
        lock.acquire()
    except FileBusy as busy:
        other = find_demo(settings.VAR_DIR)
        where = f"at http://{LOOPBACK}:{other.port}/ (process {other.pid})" if other else ""
        sentence = f"The shop of this folder is already running {where}".rstrip() + "."
        raise DemoFailed(sentence) from busy
    try:
        yield
    finally:
        lock.release()
