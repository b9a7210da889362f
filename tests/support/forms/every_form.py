"""All forms of the site and all writes of its API, by what they do."""

from collections.abc import Callable

from tests.support.forms import by_api, of_accounts, of_comments, of_orders
from tests.support.forms.cast import Cast, Form

PAGES: dict[str, Callable[[Cast], Form]] = {
    **of_comments.FORMS,
    **of_orders.FORMS,
    **of_accounts.FORMS,
}
FORMS: dict[str, Callable[[Cast], Form | by_api.NamedCall]] = {**PAGES, **by_api.FORMS}
