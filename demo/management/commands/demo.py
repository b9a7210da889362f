"""``manage.py demo``: the sample shop on this machine, as ``make run`` opens it."""

import argparse
import os
from contextlib import suppress
from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from comments.host import uses_sets
from config.environment import Environment, stored_secret_key
from demo.file_engine import FileEngine, engine_on
from demo.loading import PASSWORD
from demo.loading import SIGN_IN as SAMPLE_SIGN_IN
from demo.parts import rest_file
from demo.processes import Command as CommandLine
from demo.processes import Demo, DemoConfig
from dynapages.engine.child import LOOPBACK
from dynapages.engine.server import EngineServer

GATE = "comments.gates.hold_links,comments.gates.hold_words"
"""What decides on comments of the sample shop, where ``COMMENT_GATE`` names nothing else."""
HELD_WORDS = "bonus,casino,free spins,jackpot,payday loan"
"""Words of advertisements, for the sample shop's gate; ``COMMENT_HELD_WORDS`` names others."""
REVIEW_REQUEST_DAYS = "7"
"""From a delivery in the sample shop, where the variable of this name says nothing else."""
REST_AT_A_TIME = 4
"""Calls of the load behind the open shop, whose pages come first."""


class Command(BaseCommand):
    """Starts an engine (unless DYNAMODB_ENDPOINT_URL names one), fills it once, and serves."""

    help = "Open the sample shop: engine, tables, sample data and site. Ctrl-C stops all of it."
    requires_system_checks = ()  # the commands it starts check, with the settings they are given

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=_port, default=8000, help="the site's (8000)")
        parser.add_argument("--empty", action="store_true", help="do not load the sample data")
        parser.add_argument("--access-log", action="store_true", help="print every request")

    def handle(
        self, *args: object, port: int, empty: bool, access_log: bool, **options: object
    ) -> None:
        """Run until the user stops it. Raises EngineError or FileBusy when a part failed."""
        del args, options
        _require_sound_settings()
        _require_folder(settings.VAR_DIR)
        engine = self._engine()
        is_own_engine = engine is not None
        environment = _environment(port, own_engine=is_own_engine)
        preparation = _preparation(
            own_engine=is_own_engine,
            with_sample=not empty,
            has_search=environment["COMMENT_SEARCH"] == "1",
        )
        lasting: list[tuple[str, ...]] = []
        if uses_sets():
            lasting.append(("run_stream", "--verbosity", "0"))
        sign_in: tuple[str, ...] = ()
        if is_own_engine and not empty:
            sign_in = (*SAMPLE_SIGN_IN, PASSWORD)
        Demo(
            config=DemoConfig(port, environment, access_log=access_log),
            engine=engine,
            endpoint_url=settings.DYNAMODB_ENDPOINT_URL,
            prepare=(preparation,),
            left_over=_left_over,
            lasting=tuple(lasting),
            sign_in=sign_in,
            say=self._say,
        ).run()

    def _engine(self) -> EngineServer | None:
        if settings.DYNAMODB_ENDPOINT_URL and not settings.RUNNING_DEMO:
            return None
        engine = engine_on(settings.VAR_DIR / "shop.db", folder=settings.BASE_DIR)
        if not isinstance(engine, FileEngine):
            self._say(
                "dynoxide is not installed here, so moto's server takes its place: "
                "DATA IS IN MEMORY ONLY and gone when you stop it. 'npm ci' installs dynoxide."
            )
        return engine

    def _say(self, line: str) -> None:
        with suppress(OSError):  # a terminal that was closed must not keep it from stopping
            self.stdout.write(line)
            self.stdout.flush()


def _preparation(*, own_engine: bool, with_sample: bool, has_search: bool) -> tuple[str, ...]:
    """Return the command that fills the shop."""
    options = []
    if with_sample:
        options.append("--sample")
    if with_sample and own_engine:
        # Accounts with a published password are only for the command's own engine.
        options.append("--sign-in")
        # On one machine the rest can be loaded behind the open shop.
        options.append("--in-parts")
    if has_search:
        options.append("--words")
    if uses_sets():
        options.append("--sets")
    return ("fill_demo", *options)


def _left_over() -> tuple[CommandLine, ...]:
    """Return the command that loads what was not loaded before the shop was opened."""
    if not rest_file().exists():
        return ()
    return (("load_sample", "--rest", "--at-a-time", str(REST_AT_A_TIME)),)


def _require_sound_settings() -> None:
    """Raise CommandError for a wrong setting, except SECRET_KEY, which the demo makes itself."""
    for problem in settings.ENVIRONMENT_PROBLEMS:
        if problem.variable != "SECRET_KEY":
            raise CommandError(f"{problem.sentence} {problem.hint}")


def _require_folder(folder: Path) -> None:
    sentence = f"VAR_DIR is {str(folder)!r}, where no file can be kept."
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandError(sentence) from error
    if not os.access(folder, os.W_OK):
        raise CommandError(sentence)


def _environment(port: int, *, own_engine: bool) -> dict[str, str]:
    """Build the environment of all processes: plain HTTP, the stored key, no AWS credentials."""
    variables = Environment()
    has_search = variables.flag("COMMENT_SEARCH", default=own_engine)
    has_topics = variables.flag("COMMENT_TOPICS", default=has_search)
    environment = {
        **os.environ,
        "HTTPS": "0",
        "SECRET_KEY": variables.text("SECRET_KEY") or stored_secret_key(settings.SECRET_KEY_FILE),
        # The terminal is for what is wrong; the option --access-log prints requests.
        "REQUEST_LOG": variables.text("REQUEST_LOG", "0"),
        # The sample's customers live there.
        "SITE_COUNTRY": variables.text("SITE_COUNTRY", "PT"),
        "COMMENT_SEARCH": "1" if has_search else "0",
        "COMMENT_TOPICS": "1" if has_topics else "0",
        "COMMENT_GATE": variables.text("COMMENT_GATE", GATE),
        "COMMENT_HELD_WORDS": variables.text("COMMENT_HELD_WORDS", HELD_WORDS),
        # E-mails that ask for reviews are printed in this terminal.
        "REVIEW_REQUEST_DAYS": variables.text("REVIEW_REQUEST_DAYS", REVIEW_REQUEST_DAYS),
        "SITE_URL": variables.text("SITE_URL", f"http://{LOOPBACK}:{port}"),
    }
    if own_engine:
        environment.pop("AWS_PROFILE", None)
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            environment[name] = "local"
    return environment


def _port(value: str) -> int:
    port = 0
    if value.isascii() and value.isdigit():
        port = int(value)
    if not 0 < port < 2**16:
        raise argparse.ArgumentTypeError(f"{value!r} is not a port: a number from 1 to 65535")
    return port
