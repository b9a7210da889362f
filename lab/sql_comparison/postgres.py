"""A PostgreSQL of the lab's own: started on an empty folder, and gone at the end."""

import os
import pwd
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Model, QuerySet

from dynamo.engine.server import LOOPBACK, Child, EngineDied, EngineError, EngineSilent, free_port

NAME = "PostgreSQL"
DEBIAN = Path("/usr/lib/postgresql")
"""Debian installs each version below this folder, and not on the PATH."""
USER = "peers"
SETTINGS = {
    "listen_addresses": LOOPBACK,
    "unix_socket_directories": "",
    "shared_buffers": "256MB",
    "maintenance_work_mem": "128MB",
    "random_page_cost": "1.1",  # an SSD's
    "jit": "off",  # compiling takes longer than these queries
    "fsync": "off",  # the data is thrown away
}
GREETING = "ready to accept connections"
START_SECONDS, POLL_SECONDS = 30.0, 0.02


class PostgresMissing(EngineError):
    """PostgreSQL is not installed, or not its driver; the sentence says how to get it."""


class InitFailed(EngineError):
    """initdb made no database; the sentence ends with the last line it printed."""


def require_programs() -> Path:
    """Return the folder of ``postgres`` and ``initdb``. Raises PostgresMissing."""
    if find_spec("psycopg") is None:
        raise PostgresMissing("psycopg is not installed here; 'make install' installs it.")
    programs = _find_programs()
    if programs is None:
        raise PostgresMissing("PostgreSQL is not installed here; Debian has it as postgresql-15.")
    return programs


def _find_programs() -> Path | None:
    on_path = shutil.which("postgres")
    installed = sorted(DEBIAN.glob("*/bin/postgres"), key=lambda path: float(path.parts[-3]))
    found = [Path(on_path)] if on_path else installed[::-1]
    folders = (path.resolve().parent for path in found)
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


@contextmanager
def running(*, folder: Path) -> Iterator[int]:
    """Run PostgreSQL on new data below ``folder``, and yield its port. Raises EngineError."""
    programs = require_programs()
    user = _other_user()
    with TemporaryDirectory(dir=None if user else folder, prefix="peers-") as temporary:
        data = Path(temporary) / "data"
        if user:  # who may have no way into our folder: the data is in the system's temporary one
            shutil.chown(temporary, user)
        prefix = _as_user(user, folder=temporary) if user else []
        _init([*prefix, str(programs / "initdb")], data)
        with _serving([*prefix, str(programs / "postgres"), "-D", str(data)]) as port:
            yield port


def _other_user() -> str:
    """Return whom to run it as; empty for ourselves. PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return ""
    known = {user.pw_name for user in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"


def _as_user(user: str, *, folder: str) -> list[str]:
    """Build the prefix of a command that runs as a user, and still ends when we do."""
    who = pwd.getpwnam(user)
    rights = [f"--reuid={who.pw_uid}", f"--regid={who.pw_gid}", "--clear-groups"]
    return ["/usr/bin/env", f"--chdir={folder}", "setpriv", *rights, "--pdeathsig=TERM"]


def _init(command: list[str], data: Path) -> None:
    """Create an empty database whose text is sorted by its bytes, as DynamoDB's is."""
    options = ["--auth=trust", f"--username={USER}", "--locale=C", "--encoding=UTF8", "--no-sync"]
    done = subprocess.run(
        [*command, "-D", str(data), *options], capture_output=True, text=True, check=False
    )
    if done.returncode:
        (*_, last_line) = ("", *done.stderr.strip().splitlines())
        sentence = f"initdb made no database: {last_line}"
        raise InitFailed(sentence)


@contextmanager
def _serving(command: list[str]) -> Iterator[int]:
    port = free_port()
    options = [f"--{name}={value}" for name, value in ({"port": port} | SETTINGS).items()]
    child = Child([*command, *options], listen=True)
    try:
        _wait_until_it_listens(child, port)
        yield port
    finally:
        child.stop()


def _wait_until_it_listens(child: Child, port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not any(GREETING in line for line in child.output()):
        if (exit_code := child.poll()) is not None:
            raise EngineDied(NAME, exit_code, child.output())
        if time.monotonic() > deadline:
            raise EngineSilent(NAME, port, START_SECONDS)
        time.sleep(POLL_SECONDS)


M = TypeVar("M", bound=Model)
ALIAS = "peers"


@contextmanager
def connected(port: int) -> Iterator[None]:
    """Let Django's ORM use the database ``ALIAS`` within the block, by one lasting connection."""
    wanted = {
        "ENGINE": "django.db.backends.postgresql",
        "HOST": LOOPBACK,
        "PORT": str(port),
        "USER": USER,
        "NAME": "postgres",
        "CONN_MAX_AGE": None,
    }
    filled = connections.configure_settings({DEFAULT_DB_ALIAS: {}, ALIAS: wanted})
    connections.settings[ALIAS] = filled[ALIAS]
    try:
        yield
    finally:
        connections[ALIAS].close()
        del connections[ALIAS]
        del connections.settings[ALIAS]


def rows_of(model: type[M]) -> QuerySet[M]:
    """Return all rows of a model in this database."""
    return QuerySet(model, using=ALIAS)
