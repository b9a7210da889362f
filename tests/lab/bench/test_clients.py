"""Clients that visit pages over connections that are kept alive."""

import os
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from subprocess import PIPE, Popen
from threading import Thread
from typing import ClassVar

import pytest

from lab.bench.clients import Throughput, processor_seconds, visit
from lab.bench.site import PageFailed

STATUSES = {"/missing": 404, "/full": 503}
BUSY = "while True: pass"


class Site(BaseHTTPRequestHandler):
    """Answers all pages but two, and notes where each request came from."""

    protocol_version = "HTTP/1.1"
    paths: ClassVar[list[str]] = []
    clients: ClassVar[set[tuple[str, int]]] = set()

    def do_GET(self) -> None:
        self.paths.append(self.path)
        self.clients.add(self.client_address)
        self.send_response(STATUSES.get(self.path, 200))
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def port() -> Iterator[int]:
    Site.paths, Site.clients = [], set()
    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


class TestClients:
    def test_keep_one_connection_each(self, port):
        served = Throughput()
        visit(port, os.getpid(), [["/a", "/b"], ["/c"]], seconds=0.2, served=served)
        assert len(Site.clients) == 2
        assert len(Site.paths) == len(served.latencies) > 4

    def test_go_through_their_paths_again_and_again(self, port):
        visit(port, os.getpid(), [["/a", "/b"]], seconds=0.2, served=Throughput())
        assert Site.paths[:5] == ["/a", "/b", "/a", "/b", "/a"]

    def test_go_on_where_a_full_server_refuses_a_page(self, port):
        served = Throughput()
        visit(port, os.getpid(), [["/a", "/full"]], seconds=0.2, served=served)
        assert served.refused > 1
        assert abs(len(served.latencies) - served.refused) <= 1

    def test_take_no_other_answer_for_a_page(self, port):
        with pytest.raises(PageFailed, match="/missing answered 404"):
            visit(port, os.getpid(), [["/missing"]], seconds=0.2, served=Throughput())


class TestWhatWasServed:
    served = Throughput([90.0, 100.0, 400.0], [0.001] * 90 + [0.5] * 10, {1: 3.0, 2: 1.0})

    def test_is_the_median_rate_of_the_turns(self):
        assert self.served.pages_a_second == 100.0

    def test_has_latencies_by_their_share(self):
        assert self.served.latency(0.5) == 0.001
        assert self.served.latency(0.95) == 0.5

    def test_says_how_much_one_process_did(self):
        assert self.served.busiest_share == 0.75
        assert self.served.processor_of_a_page == 0.04


def test_the_time_of_a_process_is_that_on_the_processor():
    with Popen([sys.executable, "-c", BUSY], stdout=PIPE) as child:
        try:
            while not processor_seconds(os.getpid()).get(child.pid):
                assert child.poll() is None
        finally:
            child.kill()
    assert child.pid not in processor_seconds(os.getpid())
