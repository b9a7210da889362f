"""dynoxide on a file, run for real."""

import os
import random
import shutil
import signal
from pathlib import Path
from typing import Any

import botocore.session
import pytest

from config.running_demo import FileBusy, FileLock
from demo.file_engine import DamagedFile, FileEngine, engine_on
from dynapages.engine.child import PortInUse
from dynapages.engine.server import EngineServer, MotoEngine, find_dynoxide
from tests.support.engine_plugin import PATIENCE
from tests.support.project import PROJECT

BINARY = find_dynoxide(PROJECT)


def dynoxide(db_path: Path, *, port: int | None = None) -> FileEngine:
    if BINARY is None:
        pytest.skip("dynoxide is not installed")
    return FileEngine(binary=BINARY, db_path=db_path, port=port, start_seconds=PATIENCE)


def client_of(engine: EngineServer) -> Any:
    return botocore.session.get_session().create_client(
        "dynamodb",
        endpoint_url=engine.endpoint_url,
        region_name="us-east-1",
        aws_access_key_id="local",
        aws_secret_access_key="local",
    )


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


class TestTheEngineOfTheShop:
    def test_keeps_its_data_where_dynoxide_is_installed(self, tmp_path):
        if BINARY is None:
            pytest.skip("dynoxide is not installed")
        assert isinstance(engine_on(tmp_path / "shop.db", folder=PROJECT), FileEngine)

    def test_is_moto_where_it_is_not(self, tmp_path, monkeypatch):
        monkeypatch.setenv("PATH", str(tmp_path))
        assert isinstance(engine_on(tmp_path / "shop.db", folder=tmp_path), MotoEngine)


@pytest.mark.real_engine
def test_a_file_of_data_is_read_by_nobody_else(tmp_path):
    path = tmp_path / "shop.db"
    with FileEngine(binary=find_dynoxide(PROJECT), db_path=path):
        modes = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.glob("shop.db*")}
    data = {mode for name, mode in modes.items() if not name.endswith(".lock")}
    assert data == {0o600}
