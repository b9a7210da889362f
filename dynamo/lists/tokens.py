"""Position tokens: a place in a list that a URL can carry.

A token is what is left of DynamoDB's LastEvaluatedKey when everything the list already knows is
taken out: the position of one item. It does not grow with the number of runs and does not know
the plan, so that the next page may be read another way. It is signed, versioned, and bound to
its list: a token that was altered, or made for another list, is refused before any read.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import blake2b
from typing import Protocol

from dynamo.errors import DynamoError
from dynamo.lists.runs import Position

VERSION = 1
_LIST_BYTES = 6
_LONGEST_TOKEN = 2_048


class TokenError(DynamoError):
    """The text is not a position token of this list."""


class DamagedToken(TokenError):
    """The text was altered or cut, signed with another key, or never was a token."""


class ForeignToken(TokenError):
    """The token is genuine but was made for another list."""


class Signer(Protocol):
    """What signs tokens, such as ``django.core.signing.Signer`` behind a thin adapter."""

    def sign(self, value: str) -> str:
        """Return the value with its signature; must stay safe in a URL."""

    def unsign(self, value: str) -> str | None:
        """Return the signed value, or None when the signature does not fit."""


class Tokens:
    """Writes and reads the tokens of every list that shares a signer."""

    def __init__(self, signer: Signer) -> None:
        self._signer = signer

    def write(self, position: Position, *, list_name: str) -> str:
        """Spell a position of the list ``list_name`` as a token of URL-safe characters.

        ``list_name`` is whatever tells the list apart: its kind, owner, filter and order.
        """
        rest = position.rest.encode()
        body = bytes([VERSION]) + _digest(list_name) + position.ordinal.to_bytes(4)
        body += len(rest).to_bytes(2) + rest + position.place.encode()
        return self._signer.sign(urlsafe_b64encode(body).rstrip(b"=").decode())

    def read(self, token: str, *, list_name: str) -> Position:
        """Read a token of the list ``list_name``.

        Raises DamagedToken or ForeignToken.
        """
        body = self._verified(token)
        digest, body = body[1 : 1 + _LIST_BYTES], body[1 + _LIST_BYTES :]
        if digest != _digest(list_name):
            sentence = "This page link belongs to another list."
            raise ForeignToken(sentence)
        ordinal, rest_end = int.from_bytes(body[:4]), 6 + int.from_bytes(body[4:6])
        return Position(body[rest_end:].decode(), body[6:rest_end].decode(), ordinal)

    def _verified(self, token: str) -> bytes:
        plausible = len(token) <= _LONGEST_TOKEN and token.isascii()
        value = self._signer.unsign(token) if plausible else None
        body = _decoded(value) if value else b""
        if body[:1] != bytes([VERSION]):
            sentence = "This page link was damaged on its way, or is too old."
            raise DamagedToken(sentence)
        return body


def _decoded(value: str) -> bytes:
    """Undo base64; what is genuine but no base64 was signed for something else."""
    try:
        return urlsafe_b64decode(value + "=" * (-len(value) % 4))
    except ValueError:
        return b""


def _digest(list_name: str) -> bytes:
    return blake2b(list_name.encode(), digest_size=_LIST_BYTES).digest()
