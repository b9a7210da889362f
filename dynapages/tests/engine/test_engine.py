"""The embedded engines, run for real."""

import os
import random
import shutil
import signal
import socket
import time
from pathlib import Path
from typing import Any

import botocore.session
import pytest

from dynapages.engine.server import (
    BinaryMissing,
    DamagedFile,
    DynoxideEngine,
    EngineDied,
    EngineServer,
    FileBusy,
    FileLock,
    MotoEngine,
    PortInUse,
    embedded,
    find,
)
from dynapages_testing.processes import is_alive
from tests.support.engine_plugin import PATIENCE
from tests.support.project import PROJECT

BINARY = find(PROJECT)


def dynoxide(db_path: Path | None = None, *, port: int | None = None) -> DynoxideEngine:
    if BINARY is None:
        pytest.skip("dynoxide is not installed")
    return DynoxideEngine(binary=BINARY, db_path=db_path, port=port, start_seconds=PATIENCE)


def moto(*, port: int | None = None) -> MotoEngine:
    return MotoEngine(port=port, start_seconds=PATIENCE)


def client_of(engine: EngineServer) -> Any:
    return botocore.session.get_session().create_client(
        "dynamodb",
        endpoint_url=engine.endpoint_url,
        region_name="us-east-1",
        aws_access_key_id="local",
        aws_secret_access_key="local",
    )


def tables_of(engine: EngineServer) -> list[str]:
    names: list[str] = client_of(engine).list_tables()["TableNames"]
    return names


def fill(engine: EngineServer, *, items: int) -> None:
    client = client_of(engine)
    client.create_table(
        TableName="things",
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    things = [{"pk": {"S": str(n)}, "text": {"S": "x" * 1000}} for n in range(items)]
    for some in range(0, items, 25):
        puts = [{"PutRequest": {"Item": thing}} for thing in things[some : some + 25]]
        client.batch_write_item(RequestItems={"things": puts})


def watch(engine: EngineServer) -> None:
    """Check it again and again, as whoever runs it does, for some seconds at most."""
    for _ in range(500):
        engine.check()
        time.sleep(0.02)


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A folder with a database of some hundred pages."""
    folder = tmp_path_factory.mktemp("filled")
    with dynoxide(folder / "shop.db") as engine:
        fill(engine, items=300)
    return folder


@pytest.fixture
def db_path(filled, tmp_path):
    """A copy of that database."""
    shutil.copytree(filled, tmp_path / "copy")
    return tmp_path / "copy" / "shop.db"


@pytest.fixture(scope="module")
def shared(make):
    with make() as engine:
        yield engine


@pytest.mark.parametrize("make", [dynoxide, moto], scope="module")
class TestAnyEngine:
    @pytest.fixture
    def engine(self, shared):
        """An engine that runs, started again if the test before has killed it."""
        if shared.pid is None or not is_alive(shared.pid):
            shared.stop()
            shared.start()
        return shared

    def test_answers_is_gone_when_it_was_stopped_and_starts_again_on_its_port(self, engine):
        assert tables_of(engine) == []
        url, pid = engine.endpoint_url, engine.pid
        assert pid
        engine.stop()
        assert not is_alive(pid)
        engine.start()
        assert engine.endpoint_url == url
        assert tables_of(engine) == []

    def test_tells_of_its_death(self, engine):
        assert engine.pid
        engine.check()
        os.kill(engine.pid, signal.SIGKILL)
        with pytest.raises(EngineDied, match="ended by signal 9"):
            watch(engine)

    def test_says_that_its_port_is_in_use(self, make):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            with pytest.raises(PortInUse, match=f"Port {port} is already in use"):
                make(port=port).start()


class TestDynoxideOnAFile:
    def test_keeps_its_data_when_it_was_killed(self, tmp_path):
        with dynoxide(tmp_path / "shop.db") as engine:
            fill(engine, items=3)
            assert engine.pid
            os.kill(engine.pid, signal.SIGKILL)
        with dynoxide(tmp_path / "shop.db") as engine:
            assert client_of(engine).scan(TableName="things", Select="COUNT")["Count"] == 3

    def test_lets_no_second_one_open_its_file(self, db_path):
        with dynoxide(db_path), pytest.raises(FileBusy, match=f"process {os.getpid()}"):
            dynoxide(db_path).start()

    def test_gives_the_file_free_when_it_could_not_start(self, db_path):
        with dynoxide(db_path.with_name("other.db")) as other, pytest.raises(PortInUse):
            dynoxide(db_path, port=other.port).start()
        assert not FileLock(db_path).held_by_someone()


class TestADamagedFile:
    def refused(self, path: Path) -> str:
        with pytest.raises(DamagedFile) as caught:
            dynoxide(path).start()
        assert not FileLock(path).held_by_someone()
        return str(caught.value)

    def test_is_named_and_may_be_moved_away(self, tmp_path):
        path = tmp_path / "shop.db"
        path.write_bytes(b"this was a database once. " * 400)
        sentence = self.refused(path)
        assert str(path) in sentence
        assert "move it away" in sentence
        assert "\n" not in sentence

    def test_is_noticed_when_it_is_cut_short(self, db_path):
        os.truncate(db_path, db_path.stat().st_size // 2)
        self.refused(db_path)

    def test_is_noticed_when_it_is_overwritten_in_the_middle(self, db_path):
        size = db_path.stat().st_size
        with db_path.open("r+b") as file:
            file.seek(size // 2)
            file.write(random.Random(1).randbytes(16 * 1024))
        self.refused(db_path)


class TestFindingAnEngine:
    def test_takes_the_binary_that_npm_installed(self):
        if BINARY is None:
            pytest.skip("dynoxide is not installed")
        engine = embedded(folder=PROJECT, db_path=PROJECT / "var" / "never-started.db")
        assert isinstance(engine, DynoxideEngine)
        assert engine.keeps_data

    def test_takes_moto_where_there_is_none(self, tmp_path, monkeypatch):
        monkeypatch.setenv("PATH", str(tmp_path))
        engine = embedded(folder=tmp_path, db_path=tmp_path / "shop.db")
        assert isinstance(engine, MotoEngine)
        assert not engine.keeps_data

    def test_names_a_missing_binary(self):
        with pytest.raises(BinaryMissing, match="npm ci"):
            DynoxideEngine(binary=None)


@pytest.mark.real_engine
def test_a_file_of_data_is_read_by_nobody_else(tmp_path):
    path = tmp_path / "shop.db"
    with DynoxideEngine(binary=find(PROJECT), db_path=path):
        modes = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.glob("shop.db*")}
    data = {mode for name, mode in modes.items() if not name.endswith(".lock")}
    assert data == {0o600}
