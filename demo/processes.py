"""The processes of the demo: an engine, commands that fill its tables, and the site.

`Demo` is a run of all of them, `serving` the site alone.
"""

import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Never

from django.conf import settings

from comments.host import COMMENTS
from config.running_demo import FileBusy, FileLock, RunningDemo, announced, demo_path, find_demo
from demo.file_engine import FileEngine
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
from dynapages.engine.server import EngineServer
from dynapages.process import connected

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
POLL_SECONDS = 0.1
SITE_START_SECONDS = 60.0
WORKERS = 2
LOCAL_ENVIRONMENT = {
    "ALLOWED_HOSTS": LOOPBACK,
    "AWS_ACCESS_KEY_ID": "local",
    "AWS_SECRET_ACCESS_KEY": "local",
    "DEBUG": "0",
    "HTTPS": "0",
    "REQUEST_LOG": "0",
}
"""Of a site that this process alone sends requests to, on an engine of this machine."""

Command = tuple[str, ...]
"""A management command with its arguments."""


class DemoFailed(EngineError):
    """A part of the demo failed; the sentence names it."""


class Stopped(Exception):
    """The demo was asked to stop."""


@dataclass(frozen=True, slots=True)
class DemoConfig:
    """The site's port, and the environment of all processes of the demo.

    ``application`` is that of the site where it is empty, else such as ``module:name``.
    """

    port: int
    environment: Mapping[str, str]
    access_log: bool = False
    application: str = ""

    @property
    def address(self) -> str:
        """The site's address, for a browser on this machine."""
        return f"http://{LOOPBACK}:{self.port}/"

    def gunicorn(self) -> list[str]:
        """Build the site's command line; it writes no pid file and no control socket."""
        command_line = [
            sys.executable,
            "-m",
            "gunicorn",
            f"--config={settings.BASE_DIR / 'deploy/gunicorn.conf.py'}",
            f"--chdir={settings.BASE_DIR}",
            f"--bind={LOOPBACK}:{self.port}",
            f"--workers={WORKERS}",
            "--graceful-timeout=3",
            "--log-level=warning",
            "--no-control-socket",
        ]
        if self.access_log:
            command_line.append("--access-logfile=-")
        if self.application:
            command_line.append(self.application)
        return command_line

    def is_open(self) -> bool:
        """Return whether the site answers."""
        return is_answering(self.port, path="/healthz")


def manage(command: Command) -> list[str]:
    """Build the command line of a management command."""
    return [sys.executable, str(settings.BASE_DIR / "manage.py"), *command]


@contextmanager
def serving(config: DemoConfig, *, output_lines: int = OUTPUT_LINES) -> Iterator[Child]:
    """Run the site alone within the block, and yield gunicorn's process.

    Raises DemoFailed where it does not start.
    """
    command = config.gunicorn()
    with Child(command, env=config.environment, listen=True, output_lines=output_lines) as site:
        deadline = time.monotonic() + SITE_START_SECONDS
        while not config.is_open():
            if time.monotonic() > deadline or site.poll() is not None:
                last_line = site.output()[-1:]
                raise DemoFailed(" ".join(["The web server did not start.", *last_line]))
            time.sleep(POLL_SECONDS)
        yield site


def _nothing_is_left() -> tuple[Command, ...]:
    return ()


@dataclass(slots=True, kw_only=True)
class Demo:
    """One run of the demo.

    ``say`` prints a line for the user. ``sign_in`` are a customer, a member of staff, their
    password. ``prepare`` are commands that run before the site, ``lasting`` those that run as long
    as it does, and ``left_over`` returns those that run once it is open. With ``engine`` None, the
    database at ``endpoint_url`` is used and never stopped. ``children`` are the processes but for
    the engine, by name.
    """

    config: DemoConfig
    engine: EngineServer | None
    say: Callable[[str], None]
    prepare: tuple[Command, ...]
    lasting: tuple[Command, ...] = ()
    left_over: Callable[[], tuple[Command, ...]] = _nothing_is_left
    endpoint_url: str | None = None
    sign_in: tuple[str, ...] = ()
    children: dict[str, Child] = field(default_factory=dict, init=False)

    def run(self) -> None:
        """Return when the user has stopped it; raise EngineError or FileBusy when a part failed.

        Call from the main thread: it handles the signals that ask a process to stop.
        """
        # Signals are handled first: what is started later is stopped, too.
        with _handling_signals():
            try:
                with _alone():
                    require_free(self.config.port)
                    self.say(self._first_line())
                    with self.engine or nullcontext():
                        self._open_shop()
            except Stopped:
                self.say("Stopped.")

    def _first_line(self) -> str:
        if self.engine:
            return f"Starting the database, {self.engine.name} (about 3 s)"
        # Amazon DynamoDB may take a minute for a table.
        return f"Creating the tables that are missing at {self.endpoint_url} (about 3 s)"

    def _wait_while(self, condition: Callable[[], bool]) -> None:
        """Wait as long as a condition holds. Raises DemoFailed where a process ends meanwhile."""
        while condition():
            self._require_all()
            time.sleep(POLL_SECONDS)

    def _set_older_file_aside(self, engine: FileEngine) -> None:
        """Begin anew where another version of the shop has made the tables in the file."""
        connection = Connection(
            region=settings.AWS_REGION,
            endpoint_url=engine.endpoint_url,
            access_key=LOCAL_ENVIRONMENT["AWS_ACCESS_KEY_ID"],
            secret_key=LOCAL_ENVIRONMENT["AWS_SECRET_ACCESS_KEY"],
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
        """Fill the tables, start the site, and wait until a process ends or the user stops it."""
        if isinstance(self.engine, FileEngine):
            self._set_older_file_aside(self.engine)
        url = self.engine.endpoint_url if self.engine else self.endpoint_url or ""
        environment = {**self.config.environment, "DYNAMODB_ENDPOINT_URL": url}
        description = RunningDemo(
            endpoint_url=url,
            table_prefix=settings.DYNAMODB_TABLE_PREFIX,
            region=settings.AWS_REGION,
            port=self.config.port,
            read_model=COMMENTS["READ_MODEL"],
            sets_key_format=COMMENTS["SETS_KEY_FORMAT"],
            has_search=self.config.environment.get("COMMENT_SEARCH") == "1",
            has_topics=self.config.environment.get("COMMENT_TOPICS") == "1",
            sign_in=list(self.sign_in),
        )
        with announced(description, var=settings.VAR_DIR), ExitStack() as started:
            # In their order: each needs what the one before has made.
            for command in self.prepare:
                self._run_to_end(command, environment)
            self.say("Starting the web server (about 3 s)")
            command_lines = {_name_of(command): manage(command) for command in self.lasting}
            command_lines["The web server"] = self.config.gunicorn()
            for name, command_line in command_lines.items():
                child = Child(command_line, env=environment)
                self.children[name] = started.enter_context(child)
            self._wait_until_open()
            self.say(self._banner(url))
            for command in self.left_over():
                self._complete(command, environment)
            self._wait_while(lambda: True)

    def _wait_until_open(self) -> None:
        """Wait for the site. Raises DemoFailed where it does not answer in time."""
        deadline = time.monotonic() + SITE_START_SECONDS
        self._wait_while(lambda: time.monotonic() < deadline and not self.config.is_open())
        if not self.config.is_open():
            sentence = f"The web server did not answer within {SITE_START_SECONDS:g} seconds."
            raise DemoFailed(sentence)

    def _run_to_end(self, command: Command, environment: Mapping[str, str]) -> None:
        with Child(manage(command), env=environment) as child:
            self._wait_while(lambda: child.poll() is None)
        if child.returncode:
            self._require_all()
            sentence = f"{_name_of(command)} failed (exit code {child.returncode}); see above."
            raise DemoFailed(sentence)

    def _complete(self, command: Command, environment: Mapping[str, str]) -> None:
        """Run a command behind the open site, which goes on where the command fails."""
        try:
            self._run_to_end(command, environment)
        except DemoFailed as failed:
            self._require_all()
            self.say(f"{failed} The shop stays open, and the next start goes on with this.")

    def _require_all(self) -> None:
        if self.engine:
            self.engine.check()
        for name, child in self.children.items():
            exit_code = child.poll()
            if exit_code is not None:
                raise DemoFailed(f"{name} ended by itself (exit code {exit_code}).")

    def _banner(self, url: str) -> str:
        name = self.engine.name if self.engine else "not started by this command"
        lines = [
            "",
            f"  The shop is open   {self.config.address}",
            f"  DynamoDB           {url} ({name})",
        ]
        if self.sign_in:
            customer, staff, password = self.sign_in
            lines.append(
                f"  Sign in as {customer}, or as {staff} of the staff; the password is {password}"
            )
        lines += ["  Stop it with       Ctrl-C", ""]
        return "\n".join(lines)


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
    # Two demos would write to one file, which destroys it.
    lock = FileLock(demo_path(settings.VAR_DIR))
    try:
        lock.acquire()
    except FileBusy as busy:
        other = find_demo(settings.VAR_DIR)
        sentence = "The shop of this folder is already running"
        if other:
            sentence += f" at http://{LOOPBACK}:{other.port}/ (process {other.pid})"
        raise DemoFailed(f"{sentence}.") from busy
    try:
        yield
    finally:
        lock.release()
