"""The command ``python -m dynapages engine``, run as in a terminal."""

import os
import shlex
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager

import botocore.session
import pytest

from dynapages.__main__ import main
from dynapages.engine import command, embedded
from dynapages.engine.child import free_port
from dynapages.engine.server import MotoEngine, NoEngine
from dynapages_testing.processes import PATIENCE


@pytest.fixture
def port():
    try:
        embedded()
    except NoEngine as missing:
        pytest.skip(str(missing))
    return free_port()


@contextmanager
def running(port):
    """Run the command, as a script's shell does in the background: with Ctrl-C ignored."""
    shell = ["sh", "-c", 'trap "" INT; exec "$@"', "sh"]
    line = [*shell, sys.executable, "-m", "dynapages", "engine", "--port", str(port)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(line, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def exported(process):
    """Return what a shell takes of the greeting."""
    variables = {}
    for line in process.stdout:
        words = shlex.split(line, comments=True)
        if words:
            assert words[0] == "export"
            variables |= dict(word.split("=") for word in words[1:])
        if "AWS_DEFAULT_REGION" in variables:
            break
    return variables


class TestTheCommand:
    def test_prints_all_that_a_client_needs_to_reach_it(self, port, monkeypatch):
        with running(port) as process:
            for name, value in exported(process).items():
                monkeypatch.setenv(name, value)
            url = os.environ["DYNAMODB_ENDPOINT_URL"]
            session = botocore.session.get_session()
            client = session.create_client("dynamodb", endpoint_url=url)
            assert url.endswith(f":{port}")
            assert client.list_tables()["TableNames"] == []
            client.close()

    @pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
    def test_ends_in_peace_by_ctrl_c_and_by_sigterm(self, port, sent):
        with running(port) as process:
            exported(process)
            process.send_signal(sent)
            assert process.wait(timeout=PATIENCE) == 0
        with socket.socket() as listener:
            # Closed connections keep their port for a while: only a listener matters.
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(("127.0.0.1", port))

    def test_says_that_its_port_is_taken(self, port, capsys):
        with socket.socket() as other:
            other.bind(("127.0.0.1", port))
            other.listen()
            assert main(["engine", "--port", str(port)]) == 1
        assert f"Port {port} is already in use" in capsys.readouterr().err

    def test_says_what_to_install_where_there_is_no_engine(self, monkeypatch, capsys):
        def none(**_):
            raise NoEngine

        monkeypatch.setattr(command, "embedded", none)
        assert main(["engine"]) == 1
        assert "npm install" in capsys.readouterr().err


class TestTheGreeting:
    def test_of_moto_says_that_its_units_are_not_exact(self):
        pytest.importorskip("moto")
        assert command.MOTO_UNITS in command.greeting(MotoEngine(port=8001))
