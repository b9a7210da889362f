"""Links to pages of lists that visitors have kept: their tokens go on to be read."""

import pytest
from django.utils import timezone

from shop.accounts.services import create_profile
from shop.catalogue.services import ensure_products
from tests.support.comments.writers import sign_in

KEPT = {
    "/products/lamp/comments/~/~/": "Ac_Cc7agzQAAAAMAADIwMjYtMTEtMDVUMDk6MzY6MDAuMDAwMDA2WiNvbGQtNg"
    "._Mt7OBAVs123AbE1IRX4CJ4-49taiZaqkGOQuOcRhYM",
    "/users/ana/": "AcRppebTNgAAAAMAADIwMjYtMTEtMDVUMDk6MzQ6MDAuMDAwMDA0WiNvbGQtNA"
    ".p_JWfEwlJAeh9_gEcBqIF7jBsRmdiI_inuKLrmcwOp8",
    "/orders/": "AbmKGainUAAAAAMAADAxTTZHRkFUMjcyM0Y4UkVXNzNUNEhZUDlI"
    ".D16LHf14HcJ1DwWLVVrDkFttv42Z9pqK_ShnDFKzx5E",
    "/staff/activity/": "AQzfTeLdmQAAAAMAADIwMjYtMTEtMDZUMDk6MzA6MDAuMDAwMDAwWiMwMU02R0JXWUUwSEE2M1"
    "czWUVaS1kwVkFYWC5NT1ZFRA.5dBcoMpchf0Ew3EhCbFfMZe7K6FN0NxhjWPV4xuV9Sc",
}
"""Tokens of November 2026 by their lists, signed with the secret key of the tests."""


@pytest.fixture(scope="module")
def ana(tables):
    """The customer in whose lists the tokens are, of the staff besides."""
    ensure_products(["lamp"])
    create_profile(username="ana", password=None, now=timezone.now(), is_staff=True)
    return sign_in("ana")


@pytest.mark.parametrize("url", KEPT)
class TestATokenThatSomebodyKept:
    @pytest.mark.parametrize("way", ["after", "before"])
    def test_is_read_by_its_list(self, ana, url, way):
        assert ana.browser.get(f"{url}?{way}={KEPT[url]}").status_code in {200, 302}

    def test_is_refused_by_another_list(self, ana, url):
        for token in set(KEPT.values()) - {KEPT[url]}:
            assert ana.browser.get(f"{url}?after={token}").status_code == 400
