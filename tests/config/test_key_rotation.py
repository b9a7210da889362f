"""A changed SECRET_KEY: what visitors hold of the old one is good while that is a fallback."""

import pytest
from django.core import signing
from django.core.signing import BadSignature

from dynapages.django.paging import PositionSigner
from tests.support.config.environments import settings_of

OLD, NEW = "o" * 50, "n" * 50


@pytest.fixture
def keys(tmp_path, settings):
    """Gives the site the keys of an environment."""

    def take(**environment: str) -> None:
        found = settings_of(tmp_path, **environment)
        settings.SECRET_KEY = found["SECRET_KEY"]
        settings.SECRET_KEY_FALLBACKS = found["SECRET_KEY_FALLBACKS"]

    return take


class TestWhatTheOldKeySigned:
    @pytest.fixture(autouse=True)
    def signed(self, keys):
        """A position and a session that a visitor holds."""
        keys(SECRET_KEY=OLD)
        return PositionSigner().sign("position"), signing.dumps("session")

    def test_is_good_while_it_is_a_fallback(self, signed, keys):
        position, session = signed
        keys(SECRET_KEY=NEW, SECRET_KEY_FALLBACKS=f"{'x' * 50}, {OLD}")
        assert PositionSigner().unsign(position) == "position"
        assert signing.loads(session) == "session"

    def test_is_refused_otherwise(self, signed, keys):
        position, session = signed
        keys(SECRET_KEY=NEW)
        assert PositionSigner().unsign(position) is None
        with pytest.raises(BadSignature):
            signing.loads(session)
