"""Position tokens: a position in a list, as URL-safe text.

A token holds the position of one item: what remains of DynamoDB's LastEvaluatedKey without what
the list itself implies. It does not depend on the number of runs or on the plan, so the next page
may be read another way. It is signed, versioned and bound to its list: a token that was altered,
or made for another list, is refused before any read.

`Tokens` writes and reads them. Before Base64, a token is: 1 byte version, 6 bytes digest of the
list's name, 4 bytes ordinal, 2 bytes length of ``rest``, ``rest``, ``place``; integers are
big-endian. The ordinal is signed, and the least number stands for one that is not known. The
version says whether the position is ``inclusive``; tokens of those that are not are as they always
were.
"""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import blake2b
from io import BytesIO
from typing import Protocol

from dynapages.errors import DynamoError, gettext_noop
from dynapages.lists.runs import Ordinal, Position

_EXCLUSIVE = b"\1"
_INCLUSIVE = b"\2"
"""The versions: whether a read from the position begins behind it or at it."""
_DIGEST_BYTES = 6
_ORDINAL_BYTES = 4
_LENGTH_BYTES = 2
_LONGEST_TOKEN = 4_096
"""A sort key has 1,024 bytes at most, which are 2,732 characters here if they are no text."""
_SHORTEST_SECRET = 16
_PURPOSE = b"dynapages.position:"
"""Signed with each token, so that no signature made otherwise with the same secret fits."""
_UNKNOWN = -(2**31)
OF_ANOTHER_LIST = gettext_noop("This page link belongs to another list.")


class BadToken(DynamoError):
    """The text is not a position token of this list."""


class DamagedToken(BadToken):
    """The text was altered or cut, signed with another key, or never was a token."""


class ForeignToken(BadToken):
    """The token is genuine but was made for another list."""


class Signer(Protocol):
    """Signs tokens, for instance `dynapages.django.paging.PositionSigner`."""

    def sign(self, value: str) -> str:
        """Return the value with its signature, in characters that are safe in a URL."""

    def unsign(self, value: str) -> str | None:
        """Return the signed value, or None when the signature does not fit."""


class KeyedSigner:
    """Signs with a secret, by HMAC with SHA-256. Raises ValueError for one below 16 bytes."""

    def __init__(self, secret: str | bytes) -> None:
        self._secret = secret.encode() if isinstance(secret, str) else secret
        if len(self._secret) < _SHORTEST_SECRET:
            sentence = f"A secret has at least {_SHORTEST_SECRET} bytes, not {len(self._secret)}"
            raise ValueError(sentence)

    def sign(self, value: str) -> str:
        """Return the value, a full stop, and the signature in URL-safe Base64."""
        signature = hmac.digest(self._secret, _PURPOSE + value.encode(), "sha256")
        return f"{value}.{_encoded(signature)}"

    def unsign(self, value: str) -> str | None:
        """Return the signed value, or None when the signature does not fit."""
        signed, _, _ = value.rpartition(".")
        fits = hmac.compare_digest(self.sign(signed).encode(), value.encode())
        return signed if fits else None


class Tokens:
    """Writes and reads the tokens of every list that shares a secret, or a signer.

    A secret has at least 16 bytes, such as ``secrets.token_bytes(32)`` that is stored somewhere;
    whoever knows it can make tokens. Raises ValueError for a shorter one.
    """

    def __init__(self, secret: str | bytes | Signer) -> None:
        self._signer = KeyedSigner(secret) if isinstance(secret, str | bytes) else secret

    def __repr__(self) -> str:
        return f"<Tokens signed by a {type(self._signer).__name__}>"

    def write(self, position: Position, *, list_name: str) -> str:
        """Return the token of a position in the list ``list_name``.

        ``list_name`` must differ between lists: by kind, owner, filter and order.
        """
        version = _INCLUSIVE if position.inclusive else _EXCLUSIVE
        number = _UNKNOWN if position.ordinal is None else position.ordinal.signed
        rest = position.rest.encode()
        body = version
        body += _digest(list_name)
        body += number.to_bytes(_ORDINAL_BYTES, signed=True)
        body += len(rest).to_bytes(_LENGTH_BYTES)
        body += rest + position.place.encode()
        return self._signer.sign(_encoded(body))

    def read(self, token: str, *, list_name: str) -> Position:
        """Return the position in a token of ``list_name``.

        Raises ForeignToken for the token of another list, and DamagedToken for all else that is not
        a token, also for what is not a str.
        """
        body = BytesIO(self._verified(token))
        version = body.read(1)
        if body.read(_DIGEST_BYTES) != _digest(list_name):
            raise ForeignToken(OF_ANOTHER_LIST)
        number = int.from_bytes(body.read(_ORDINAL_BYTES), signed=True)
        rest = body.read(int.from_bytes(body.read(_LENGTH_BYTES)))
        place = body.read()
        return Position(
            place=place.decode(),
            rest=rest.decode(),
            ordinal=None if number == _UNKNOWN else Ordinal.from_signed(number),
            inclusive=version == _INCLUSIVE,
        )

    def _verified(self, token: str) -> bytes:
        """Return what a token of any list holds. Raises DamagedToken."""
        body = b""
        # What no token can be is refused before its signature is computed.
        is_text: bool = isinstance(token, str)  # also where a caller passes on any JSON
        if is_text and len(token) <= _LONGEST_TOKEN and token.isascii():
            value = self._signer.unsign(token)
            if value:
                body = _decoded(value)
        if body[:1] not in {_EXCLUSIVE, _INCLUSIVE}:
            sentence = gettext_noop("This page link was damaged on its way, or is too old.")
            raise DamagedToken(sentence)
        return body


def _encoded(body: bytes) -> str:
    return urlsafe_b64encode(body).rstrip(b"=").decode()


def _decoded(value: str) -> bytes:
    try:
        return urlsafe_b64decode(value + "=" * (-len(value) % 4))
    except ValueError:
        return b""


def _digest(list_name: str) -> bytes:
    return blake2b(list_name.encode(), digest_size=_DIGEST_BYTES).digest()
