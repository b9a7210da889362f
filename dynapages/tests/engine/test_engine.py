"""The embedded engines, run for real."""

import os
import signal
import socket
import time
from pathlib import Path
from typing import Any

import botocore.session
import pytest

from dynapages.engine import server
from dynapages.engine.child import PortInUse
from dynapages.engine.server import (
    NPM_PACKAGE,
    BinaryMissing,
    DynoxideEngine,
    EngineDied,
    EngineServer,
    MotoEngine,
    NoEngine,
    embedded,
    find_dynoxide,
)
from dynapages_testing.processes import PATIENCE, is_alive

BINARY = find_dynoxide()


def dynoxide(*, port: int | None = None) -> DynoxideEngine:
    if BINARY is None:
        pytest.skip("dynoxide is not installed")
    return DynoxideEngine(binary=BINARY, port=port, start_seconds=PATIENCE)


def moto(*, port: int | None = None) -> MotoEngine:
    pytest.importorskip("moto")
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


def watch(engine: EngineServer) -> None:
    """Check it again and again, as whoever runs it does, for some seconds at most."""
    for _ in range(500):
        engine.check()
        time.sleep(0.02)


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


class TestFindingAnEngine:
    def test_takes_the_binary_that_npm_installed(self):
        if BINARY is None:
            pytest.skip("dynoxide is not installed")
        assert isinstance(embedded(), DynoxideEngine)

    def test_takes_moto_where_there_is_none(self, tmp_path, monkeypatch):
        pytest.importorskip("moto")
        monkeypatch.setenv("PATH", str(tmp_path))
        assert isinstance(embedded(folder=tmp_path), MotoEngine)

    def test_takes_dynoxide_of_a_folder_above(self, tmp_path, monkeypatch):
        binary = tmp_path / "node_modules" / NPM_PACKAGE / "dynoxide"
        binary.parent.mkdir(parents=True)
        binary.touch()
        (tmp_path / "src").mkdir()
        monkeypatch.chdir(tmp_path / "src")
        monkeypatch.setenv("PATH", str(tmp_path))
        assert find_dynoxide() == binary

    @pytest.fixture
    def dynoxide_of(self, tmp_path, monkeypatch):
        """Make a dynoxide that npm installed and one on the PATH, which print these versions."""
        on_path = tmp_path / "bin" / "dynoxide"
        of_npm = tmp_path / "node_modules" / NPM_PACKAGE / "dynoxide"
        monkeypatch.setenv("PATH", f"{on_path.parent}{os.pathsep}{os.environ['PATH']}")

        def make(npm: str, path: str) -> tuple[Path, Path]:
            for binary, printed in ((of_npm, npm), (on_path, path)):
                binary.parent.mkdir(parents=True)
                binary.write_text(f"#!/bin/sh\necho {printed}\n")
                binary.chmod(0o755)
            return of_npm, on_path

        return make

    def test_takes_a_newer_dynoxide_on_the_path(self, tmp_path, dynoxide_of):
        _, on_path = dynoxide_of("dynoxide 1.2.1", "dynoxide 1.10.0")
        assert find_dynoxide(tmp_path) == on_path

    @pytest.mark.parametrize("printed", ["dynoxide 1.2.1", "dynoxide 1.1.9", "what?", ""])
    def test_takes_that_of_npm_where_the_other_is_not_newer(self, tmp_path, dynoxide_of, printed):
        of_npm, _ = dynoxide_of("dynoxide 1.2.1", printed)
        assert find_dynoxide(tmp_path) == of_npm

    def test_says_what_to_install_where_there_is_neither(self, tmp_path, monkeypatch):
        monkeypatch.setenv("PATH", str(tmp_path))
        monkeypatch.setattr(server, "find_spec", lambda _name: None)
        with pytest.raises(
            NoEngine, match=r"npm install @dynoxide/.*pip install 'dynapages\[engine\]'"
        ):
            embedded(folder=tmp_path)

    def test_names_a_missing_binary(self):
        with pytest.raises(BinaryMissing, match="npm install"):
            DynoxideEngine(binary=None)
