"""A PostgreSQL of the lab's own: started on an empty folder, and gone at the end."""

import os
import pwd
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Model, QuerySet

from dynapages.engine.child import LOOPBACK, Child, EngineError, free_port
from dynapages.engine.server import EngineDied, EngineSilent

NAME = "PostgreSQL"
ALIAS = "peers"
"""Django's name of the database."""
USER = "peers"
DEBIAN_FOLDER = Path("/usr/lib/postgresql")
"""Debian installs each version below this folder, and not on the PATH."""
SETTINGS = {
    "listen_addresses": LOOPBACK,
    "unix_socket_directories": "",
    "shared_buffers": "256MB",
    "maintenance_work_mem": "128MB",
    "random_page_cost": "1.1",  # an SSD's
    "jit": "off",  # compiling takes longer than these queries
    "fsync": "off",  # the data is thrown away
}
INIT_OPTIONS = (
    *("--auth=trust", f"--username={USER}", "--encoding=UTF8", "--no-sync"),
    "--locale=C",  # sorts by bytes, as DynamoDB does
)
READY_MESSAGE = "ready to accept connections"
START_SECONDS, POLL_SECONDS = 30.0, 0.02

M = TypeVar("M", bound=Model)


class PostgresMissing(EngineError):
    """PostgreSQL is not installed, or not its driver; the sentence says how to get it."""


class InitFailed(EngineError):
    """initdb made no database; the sentence ends with the last line it printed."""


def require_programs() -> Path:
    """Return the folder of ``postgres`` and ``initdb``. Raises PostgresMissing."""
    if find_spec("psycopg") is None:
        raise PostgresMissing("psycopg is not installed here; 'make install-lab' installs it.")
    newest_first = sorted(DEBIAN_FOLDER.glob("*/bin"), key=_version_of, reverse=True)
    folders = [os.environ["PATH"], *(str(folder) for folder in newest_first)]
    program = shutil.which("initdb", path=os.pathsep.join(folders))
    if program is None:
        raise PostgresMissing("PostgreSQL is not installed here; Debian has it as postgresql-15.")
    return Path(program).resolve().parent


def _version_of(folder: Path) -> float:
    return float(folder.parent.name)


@contextmanager
def running(*, folder: Path) -> Iterator[int]:
    """Run PostgreSQL on new data below ``folder``, and yield its port. Raises EngineError.

    It refuses to run as root, who starts it as another user: one who may have no way into the
    folder, so that the data is in the system's temporary one.
    """
    programs = require_programs()
    port = free_port()
    is_root = os.geteuid() == 0
    with TemporaryDirectory(dir=None if is_root else folder, prefix="peers-") as temporary:
        prefix = _as_other_user(temporary) if is_root else []
        data = f"-D{temporary}/data"
        _init([*prefix, str(programs / "initdb"), data, *INIT_OPTIONS])
        options = [f"--port={port}"]
        options += [f"--{name}={value}" for name, value in SETTINGS.items()]
        with Child([*prefix, str(programs / "postgres"), data, *options], listen=True) as child:
            _wait_until_it_listens(child, port)
            yield port


def _as_other_user(temporary: str) -> Sequence[str]:
    """Let a user who is not root own a folder; return the command that runs another as that one."""
    # Debian's package makes the user "postgres"; containers may have none.
    users = {user.pw_name: user for user in pwd.getpwall()}
    user = users.get("postgres") or users["nobody"]
    shutil.chown(temporary, user.pw_uid)
    return [
        "/usr/bin/env",
        f"--chdir={temporary}",
        "setpriv",
        f"--reuid={user.pw_uid}",
        f"--regid={user.pw_gid}",
        "--clear-groups",
        "--pdeathsig=TERM",  # it ends when we do, though its user is another
    ]


def _init(command: Sequence[str]) -> None:
    completed = subprocess.run(command, capture_output=True, text=True, check=False)
    if completed.returncode:
        last_line = completed.stderr.strip().rpartition("\n")[2]
        raise InitFailed(f"initdb made no database: {last_line}")


def _wait_until_it_listens(child: Child, port: int) -> None:
    # It listens before it can answer: only its own line says that it is ready.
    deadline = time.monotonic() + START_SECONDS
    while not any(READY_MESSAGE in line for line in child.output()):
        exit_code = child.poll()
        if exit_code is not None:
            raise EngineDied(NAME, exit_code, child.output())
        if time.monotonic() > deadline:
            raise EngineSilent(NAME, port, START_SECONDS)
        time.sleep(POLL_SECONDS)


def configure(port: int) -> None:
    """Let Django's ORM use the database ``ALIAS``, by one lasting connection for each thread."""
    # Not in the settings: the site must not know a database of SQL.
    database = {
        "ENGINE": "django.db.backends.postgresql",
        "HOST": LOOPBACK,
        "PORT": str(port),
        "USER": USER,
        "NAME": "postgres",
        "CONN_MAX_AGE": None,
    }
    configured = connections.configure_settings({DEFAULT_DB_ALIAS: {}, ALIAS: database})
    connections.settings[ALIAS] = configured[ALIAS]


@contextmanager
def connected(port: int) -> Iterator[None]:
    """Let Django's ORM use the database ``ALIAS`` within the block."""
    configure(port)
    try:
        yield
    finally:
        connections[ALIAS].close()
        del connections[ALIAS]
        del connections.settings[ALIAS]


def rows_of(model: type[M]) -> QuerySet[M]:
    """Return all rows of a model in this database."""
    return QuerySet(model, using=ALIAS)
