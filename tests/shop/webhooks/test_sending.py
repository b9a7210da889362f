"""A request to an address that somebody else has chosen: where it goes, and how long it takes."""

import socket
import ssl
import time
from ipaddress import IPv4Address
from threading import Event

import pytest

from shop.webhooks import sending
from shop.webhooks.addresses import Target
from shop.webhooks.sending import INTERNET, NotSent, post
from tests.support import receivers
from tests.support.ports import spare_port
from tests.support.receivers import HOST, ThisMachine, make_certificate, receiving, status

SOON = 0.5
"""Seconds; what is allowed here is over long before."""


@pytest.fixture
def send(receiver, network):
    """Sends a request to the receiver."""

    def send(*, network: sending.Network = network, seconds: float = 30.0) -> int:
        target = Target(HOST, receiver.port, "/events?shop=1")
        headers = {"content-type": "application/json"}
        return post(target, headers, b'{"a":1}', network=network, seconds=seconds)

    return send


class TestARequest:
    def test_arrives_as_it_was_sent(self, receiver, send):
        assert send() == 204
        (request,) = receiver.requests
        assert (request.path, request.body) == ("/events?shop=1", b'{"a":1}')
        assert request.headers["content-type"] == "application/json"
        assert request.headers["host"] == f"{HOST}:{receiver.port}"

    @pytest.mark.parametrize("code", [200, 301, 404, 410, 500, 503])
    def test_returns_the_status(self, receiver, send, code):
        receiver.answer = status(code)
        assert send() == code

    @pytest.mark.parametrize("code", [301, 302, 307, 308])
    def test_follows_no_redirect(self, receiver, send, code):
        receiver.answer = status(code, Location=receiver.url)
        assert send() == code
        assert len(receiver.requests) == 1

    @pytest.mark.parametrize("answer", [receivers.says_too_much, receivers.has_endless_headers])
    def test_reads_no_more_than_the_beginning_of_an_answer(self, receiver, send, answer):
        receiver.answer = answer
        assert send() == 200

    def test_goes_to_the_next_address_where_one_does_not_answer(self, receiver, send, certificate):
        places = [
            (socket.AF_INET, ("127.0.0.1", spare_port())),
            (socket.AF_INET, ("127.0.0.1", receiver.port)),
        ]
        assert send(network=ThisMachine(certificate[0], places)) == 204


class TestWhatIsNotAnswered:
    @pytest.mark.parametrize("answer", [receivers.hangs, receivers.says_one_byte_at_a_time])
    def test_is_given_up_at_the_deadline_of_all_of_it(self, receiver, send, answer):
        receiver.answer = answer
        with pytest.raises(NotSent, match=f"^{HOST} did not answer within 0.5 seconds") as caught:
            send(seconds=SOON)
        assert caught.value.is_away

    def test_is_given_up_where_the_name_is_resolved_too_slowly(self, send, certificate):
        over = Event()

        class Slow(ThisMachine):
            def resolve(self, host, port):
                over.wait(60)
                return super().resolve(host, port)

        with pytest.raises(NotSent, match="did not answer"):
            send(network=Slow(certificate[0]), seconds=SOON)
        over.set()

    @pytest.mark.parametrize("answer", [receivers.hangs_up, receivers.speaks_otherwise])
    def test_says_that_the_receiver_could_not_be_reached(self, receiver, send, answer):
        receiver.answer = answer
        with pytest.raises(NotSent, match=f"^{HOST} could not be reached") as caught:
            send()
        assert caught.value.is_away

    def test_says_so_where_nobody_listens(self, network):
        with pytest.raises(NotSent, match=f"^{HOST} could not be reached .ConnectionRefusedError"):
            post(Target(HOST, spare_port(), "/"), {}, b"", network=network)

    def test_says_so_where_the_name_is_not_known(self, send, certificate):
        class Unknown(ThisMachine):
            def resolve(self, host, port):
                raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

        with pytest.raises(NotSent, match=f"^The name {HOST} is not known"):
            send(network=Unknown(certificate[0]))


class TestTheCertificate:
    def test_of_another_host_is_refused(self, tmp_path):
        other = make_certificate(tmp_path, "other.example.com")
        with receiving(*other, status(204)) as receiver:
            target = Target(HOST, receiver.port, "/")
            with pytest.raises(NotSent, match=f"^The certificate of {HOST} is not valid"):
                post(target, {}, b"", network=ThisMachine(other[0]))
        assert receiver.requests == []

    def test_that_nobody_vouches_for_is_refused(self, receiver, send, certificate):
        class Strict(ThisMachine):
            def tls(self):
                return ssl.create_default_context()

        with pytest.raises(NotSent, match="is not valid"):
            send(network=Strict(certificate[0]))
        assert receiver.requests == []


class Resolving(ThisMachine):
    """The Internet, where the name of the host leads to some addresses."""

    def is_allowed(self, address):
        return INTERNET.is_allowed(address)


def place(address: str, port: int = 443):
    if ":" in address:
        return socket.AF_INET6, (address, port, 0, 0)
    return socket.AF_INET, (address, port)


class TestANameThatLeadsToAPrivateAddress:
    @pytest.mark.parametrize(
        "addresses",
        [
            ["127.0.0.1"],
            ["10.1.2.3"],
            ["169.254.169.254"],
            ["::1"],
            ["fd00:ec2::254"],
            ["fe80::1%eth0"],
            ["::ffff:127.0.0.1"],
            ["8.8.8.8", "10.1.2.3"],
            ["2606:4700::1111", "::1"],
        ],
        ids=", ".join,
    )
    def test_is_connected_to_by_none_of_them(self, receiver, send, certificate, addresses):
        places = [place(address, receiver.port) for address in addresses]
        with pytest.raises(NotSent, match="has an address that is not public") as caught:
            send(network=Resolving(certificate[0], places))
        assert not caught.value.is_away
        assert receiver.requests == []

    @pytest.mark.parametrize("host", ["localhost", "2130706433", "0x7f000001", "0177.0.0.1"])
    def test_is_refused_as_this_machine_resolves_it(self, receiver, host):
        with pytest.raises(NotSent, match=r"not public|not known"):
            post(Target(host, receiver.port, "/"), {}, b"", network=INTERNET)
        assert receiver.requests == []

    def test_is_resolved_once(self, receiver, send, certificate):
        """What a name leads to may be another address a moment later."""
        asked = []

        class Rebinding(ThisMachine):
            def resolve(self, host, port):
                asked.append(host)
                return super().resolve(host, port)

        assert send(network=Rebinding(certificate[0])) == 204
        assert asked == [HOST]


def test_the_internet_is_public_addresses_alone():
    assert INTERNET.is_allowed(IPv4Address("8.8.8.8"))
    assert not INTERNET.is_allowed(IPv4Address("127.0.0.1"))


def test_all_of_a_request_takes_ten_seconds_at_the_most():
    assert sending.SECONDS == 10
    began = time.monotonic()
    assert sending.Deadline.after(10).at >= began + 10
    with pytest.raises(TimeoutError):
        sending.Deadline(began).seconds_left()
