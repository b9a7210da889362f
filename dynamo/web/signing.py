"""Position tokens signed by Django's signer, with SECRET_KEY and its fallbacks."""

from functools import lru_cache

from django.core.signing import BadSignature
from django.core.signing import Signer as DjangoSigner

from dynamo.lists.tokens import Tokens


class PositionSigner:
    """Adapts ``django.core.signing.Signer`` to `dynamo.lists.tokens.Signer`."""

    def __init__(self) -> None:
        self._signer = DjangoSigner(sep=".", salt="dynamo.position")

    def sign(self, value: str) -> str:
        return self._signer.sign(value)

    def unsign(self, value: str) -> str | None:
        try:
            return self._signer.unsign(value)
        except BadSignature:
            return None


@lru_cache(maxsize=1)
def tokens() -> Tokens:
    """Return the site's tokens."""
    return Tokens(PositionSigner())
