"""How the parts of the demo start and end together, with a few lines in the web server's place."""

import os
import re
import signal
import sys
from collections.abc import Callable
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from comments.models import Comment
from demo import processes
from demo.file_engine import FileEngine
from demo.processes import Demo, DemoConfig, DemoFailed
from dynapages.engine.child import EngineError, PortInUse
from dynapages.engine.server import find_dynoxide
from dynapages.process import client
from dynapages.tables import TableSchema, create_missing
from dynapages_testing.processes import is_alive
from tests.support.comments.older import older_schemas
from tests.support.comments.outage import connected
from tests.support.engine_plugin import PATIENCE
from tests.support.ports import spare_port
from tests.support.project import PROJECT

SERVE = """
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

class Site(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass

HTTPServer(("127.0.0.1", int(sys.argv[1])), Site).serve_forever()
"""
SITE = [sys.executable, "-c", SERVE]
NOTHING = {
    "fill_demo": [sys.executable, "-c", ""],
    "run_stream": [sys.executable, "-c", "import time; time.sleep(600)"],
}


@pytest.fixture(autouse=True)
def little_parts(monkeypatch):
    """A web server that starts in a moment, and commands that do nothing for as long as asked."""
    monkeypatch.setattr(DemoConfig, "gunicorn", lambda config: [*SITE, str(config.port)])
    monkeypatch.setattr(processes, "manage", lambda command: NOTHING[command[0]])


class Said(StringIO):
    """What a demo says; does something when it says that it is open."""

    def __init__(self, when_open: Callable[[], object]) -> None:
        super().__init__()
        self.when_open = when_open

    def write(self, text: str) -> int:
        written = super().write(text)
        if "The shop is open" in text:
            self.when_open()
        return written


@pytest.fixture
def said():
    """The lines that demos have said."""
    return []


@pytest.fixture
def demo(tmp_path, settings, said):
    """Makes demos of three parts, which do something when they are open."""
    binary = find_dynoxide(PROJECT)
    if binary is None:
        pytest.skip("dynoxide is not installed")
    settings.VAR_DIR = tmp_path

    def make(
        when_open: Callable[[Demo], object] = lambda _demo: None, *, port: int | None = None
    ) -> Demo:
        def say(line: str) -> None:
            said.append(line)
            if "The shop is open" in line:
                when_open(made)

        made = Demo(
            config=DemoConfig(port or spare_port(), dict(os.environ)),
            engine=FileEngine(binary=binary, db_path=tmp_path / "shop.db", start_seconds=PATIENCE),
            say=say,
            prepare=(),
            lasting=(("run_stream",),),
        )
        return made

    return make


def parts(demo: Demo) -> dict[str, int]:
    """The processes of a running demo."""
    assert demo.engine
    assert demo.engine.pid
    site, stream = demo.children["The web server"], demo.children["'manage.py run_stream'"]
    return {"engine": demo.engine.pid, "site": site.pid, "stream": stream.pid}


class TestAnOpenDemo:
    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
    def test_stops_all_its_parts_when_asked_to(self, demo, said, number):
        started: list[int] = []

        def stop(opened: Demo) -> None:
            started.extend(parts(opened).values())
            os.kill(os.getpid(), number)

        demo(stop).run()
        assert said[:2] == [
            "Starting the database, dynoxide (about 3 s)",
            "Starting the web server (about 3 s)",
        ]
        assert said[-1] == "Stopped."
        assert len(started) == 3
        assert not any(map(is_alive, started))

    @pytest.mark.parametrize(
        ("part", "sentence"),
        [
            ("engine", "dynoxide ended by signal 9, without a word"),
            ("site", "The web server ended by itself (exit code -9)."),
            ("stream", "'manage.py run_stream' ended by itself (exit code -9)."),
        ],
    )
    def test_closes_when_a_part_dies(self, demo, part, sentence):
        started: list[int] = []

        def kill(opened: Demo) -> None:
            started.extend(parts(opened).values())
            os.kill(parts(opened)[part], signal.SIGKILL)

        with pytest.raises(EngineError) as caught:
            demo(kill).run()
        assert str(caught.value) == sentence
        assert not any(map(is_alive, started))

    def test_is_the_only_one_of_its_folder(self, demo):
        port = spare_port()
        where = f"http://127.0.0.1:{port}/ (process {os.getpid()})"
        sentence = f"The shop of this folder is already running at {where}."

        def open_another(_opened: Demo) -> None:
            with pytest.raises(DemoFailed, match=f"^{re.escape(sentence)}$"):
                demo().run()
            os.kill(os.getpid(), signal.SIGTERM)

        demo(open_another, port=port).run()


def close(_opened: Demo) -> None:
    os.kill(os.getpid(), signal.SIGTERM)


class TestADemoOnAFileOfAnotherVersion:
    @pytest.fixture
    def fill(self, tmp_path):
        """Makes tables in the file, as an engine that nobody else uses."""

        def fill(*schemas: TableSchema) -> None:
            engine = FileEngine(binary=find_dynoxide(PROJECT), db_path=tmp_path / "shop.db")
            with engine, connected(engine.endpoint_url):
                create_missing(schemas, client=client())

        return fill

    @pytest.fixture
    def tables_in(self, tmp_path):
        def tables_in(name: str) -> set[str]:
            engine = FileEngine(binary=find_dynoxide(PROJECT), db_path=tmp_path / name)
            with engine, connected(engine.endpoint_url):
                return {*client().list_tables()["TableNames"]}

        return tables_in

    def test_sets_it_aside_and_begins_anew(self, demo, said, fill, tables_in, tmp_path):
        fill(*older_schemas())
        demo(close).run()
        assert said[1].startswith(
            f"{tmp_path}/shop.db holds tables of another version of the shop. That file is now "
            f"{tmp_path}/shop-older.db, and the shop begins anew."
        )
        assert tables_in("shop-older.db") == {schema.name for schema in older_schemas()}
        assert tables_in("shop.db") == set()

    def test_keeps_each_that_it_has_set_aside(self, demo, fill, tmp_path):
        for _ in range(2):
            fill(*older_schemas())
            demo(close).run()
        files = {path.name for path in tmp_path.glob("*.db")}
        assert files == {"shop.db", "shop-older.db", "shop-older-2.db"}

    def test_opens_one_of_this_version(self, demo, said, fill, tables_in):
        fill(TableSchema.of(Comment))
        demo(close).run()
        assert [line for line in said if "another version" in line] == []
        assert tables_in("shop.db") == {Comment.Meta.table_name}


class TestADemoOnADatabaseThatItDidNotStart:
    def test_leaves_that_alone(self, engine, tmp_path, settings):
        settings.VAR_DIR = tmp_path
        said = Said(lambda: os.kill(os.getpid(), signal.SIGTERM))
        call_command("demo", "--empty", "--port", str(spare_port()), stdout=said)
        assert f"{engine.endpoint_url} (not started by this command)" in said.getvalue()
        begin = f"Creating the tables that are missing at {engine.endpoint_url} (about 3 s)\n"
        assert said.getvalue().startswith(begin)
        assert said.getvalue().endswith("Stopped.\n")
        assert not (tmp_path / "shop.db").exists()
        engine.check()


class TestADemoThatCannotOpen:
    def test_says_that_its_port_is_in_use(self, demo, tmp_path, settings):
        def open_another(opened: Demo) -> None:
            settings.VAR_DIR = tmp_path / "other"
            with pytest.raises(PortInUse, match=f"^Port {opened.config.port} is already in use"):
                demo(port=opened.config.port).run()
            assert not (settings.VAR_DIR / "shop.db").exists()
            settings.VAR_DIR = tmp_path
            os.kill(os.getpid(), signal.SIGTERM)

        demo(open_another).run()

    def test_says_that_its_folder_cannot_be_used(self, tmp_path, settings):
        (tmp_path / "file").touch()
        settings.VAR_DIR = tmp_path / "file" / "var"
        with pytest.raises(CommandError, match=r"^VAR_DIR is .*$"):
            call_command("demo", "--empty")
