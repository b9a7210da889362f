"""A certificate for receivers on this machine, and the network by which they are reached."""

import shutil
from collections.abc import Iterator

import pytest

from shop.webhooks import sending
from tests.support.receivers import Receiver, ThisMachine, make_certificate, receiving, status


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    if not shutil.which("openssl"):
        pytest.skip("openssl is not installed")
    return make_certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture
def network(certificate, monkeypatch) -> ThisMachine:
    """The network of this machine, in place of the Internet."""
    network = ThisMachine(certificate[0])
    monkeypatch.setattr(sending, "INTERNET", network)
    return network


@pytest.fixture
def receiver(certificate, network) -> Iterator[Receiver]:
    """A receiver that takes whatever it is sent, unless it is told otherwise."""
    with receiving(*certificate, status(204)) as receiver:
        yield receiver
