"""``manage.py demo``: the sample shop on this machine, as ``make run`` opens it."""

import argparse
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from comments.host import uses_sets
from config.environment import Environment, stored_secret_key
from demo.loading import PASSWORD
from demo.loading import SIGN_IN as SAMPLE_SIGN_IN
from demo.processes import Demo, DemoConfig, FileEngine, engine_on
from dynapages.engine.server import EngineServer


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
        environment = _environment(own_engine=engine is not None)
        Demo(
            config=DemoConfig(port, environment, access_log=access_log),
            engine=engine,
            endpoint_url=settings.DYNAMODB_ENDPOINT_URL,
            prepare=tuple(
                _preparations(
                    own_engine=engine is not None,
                    with_sample=not empty,
                    has_search=environment["COMMENT_SEARCH"] == "1",
                )
            ),
            beside=(("run_stream", "--verbosity", "0"),) if uses_sets() else (),
            sign_in=(*SAMPLE_SIGN_IN, PASSWORD) if engine and not empty else (),
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


def _preparations(
    *, own_engine: bool, with_sample: bool, has_search: bool
) -> Iterator[tuple[str, ...]]:
    """Yield the commands that fill the shop, in their order."""
    yield ("create_tables", *(["--without-streams"] if uses_sets() else []))
    if with_sample:  # accounts with a published password are only for the command's own engine
        yield ("load_sample", "--if-empty", *(["--sign-in"] if own_engine else []))
    if has_search:  # what an older checkout left has no words
        yield "check_integrity", "--model", "words", "--repair", "--unless-filled"
    if uses_sets():  # existing comments are copied before the stream is on that copies new ones
        yield "check_integrity", "--model", "sets", "--repair", "--unless-streaming"
        yield ("create_tables",)


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


def _environment(*, own_engine: bool) -> dict[str, str]:
    """Build the environment of all processes: plain HTTP, the stored key, no AWS credentials."""
    variables = Environment()
    given = {
        **os.environ,
        "HTTPS": "0",
        "SECRET_KEY": variables.text("SECRET_KEY") or stored_secret_key(settings.SECRET_KEY_FILE),
        # The terminal is for what is wrong; the option --access-log prints requests.
        "REQUEST_LOG": variables.text("REQUEST_LOG", "0"),
        "COMMENT_SEARCH": str(int(variables.flag("COMMENT_SEARCH", default=own_engine))),
    }
    if own_engine:
        given.pop("AWS_PROFILE", None)
        given |= dict.fromkeys(("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"), "local")
    return given


def _port(value: str) -> int:
    port = int(value) if value.isascii() and value.isdigit() else 0
    if not 0 < port < 2**16:
        raise argparse.ArgumentTypeError(f"{value!r} is not a port: a number from 1 to 65535")
    return port
