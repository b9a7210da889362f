"""The forms of accounts, API keys, webhooks, the catalogue and what was given up."""

import re
from datetime import timedelta

import pyotp

from dynapages.calls import clock
from dynapages.django.callers import Scope
from dynapages.process import write_actions
from shop.accounts import confirmation
from shop.accounts.emails import owed_email
from shop.accounts.queries import find_user
from shop.accounts.second_factor.services import turn_on
from shop.api_keys.services import create_key
from shop.webhooks.events import ORDER_PLACED
from shop.webhooks.known import list_webhooks
from shop.webhooks.services import MOST_WEBHOOKS, create_webhook, delete_webhook
from tests.support.accounts.cast import NEW_PASSWORD, PASSWORD, sign_in
from tests.support.accounts.emails import ask_for_link, link_in_mail, link_to_confirm
from tests.support.chance import unique
from tests.support.comments.writers import Writer
from tests.support.forms.cast import Cast, Form, category, form_of, lamp, typed
from tests.support.webhooks import remember_no_webhooks

STEP = timedelta(seconds=30)
"""How long a code is new."""
CHANGE_EMAIL = "/account/email/"


# Signing up and in


def sign_up_without_email(cast: Cast) -> Form:
    return _sign_up(cast, unique("new"))


def sign_up_with_email(cast: Cast) -> Form:
    name = unique("new")
    return _sign_up(cast, name, email=f"{name}@example.com")


def _sign_up(cast: Cast, username: str, **fields: str) -> Form:
    passwords = {"password1": PASSWORD, "password2": PASSWORD}
    return Form(
        cast.stranger(), "/accounts/sign-up/", {"username": username, **passwords, **fields}
    )


def sign_in_by_password(cast: Cast) -> Form:
    fields = {"username": cast.author.username, "password": PASSWORD}
    return Form(cast.stranger(), "/accounts/login/", fields)


def sign_in_with_code(cast: Cast) -> Form:
    """Sends the code, after name and password."""
    username, secret = cast.someone("careful").username, pyotp.random_base32()
    turn_on(find_user(username), secret, step=1)
    browser = cast.stranger()
    sign_in(browser, username)
    return Form(browser, "/accounts/login/code/", {"code": _code(secret)})


def sign_out(cast: Cast) -> Form:
    return form_of(cast.browser_of(cast.author.username), "/accounts/logout/")


def _code(secret: str) -> str:
    return pyotp.TOTP(secret).at(clock.now())


# The account


def change_password(cast: Cast) -> Form:
    """By turns to a new one and back."""
    passwords = [PASSWORD, NEW_PASSWORD]
    if next(cast.turn) % 2:
        passwords.reverse()
    old, new = passwords
    typed_in = {"old_password": old, "new_password1": new, "new_password2": new}
    return form_of(cast.author, "/accounts/password_change/", typed_in)


def forget_password(cast: Cast) -> Form:
    fields = {"email": _with_address(cast)[1]}
    return Form(cast.stranger(), "/accounts/password_reset/", fields)


def choose_password(cast: Cast) -> Form:
    ask_for_link(cast.stranger(), _with_address(cast)[1])
    browser = cast.stranger()
    form = browser.get(link_in_mail(), follow=True)
    fields = {"new_password1": NEW_PASSWORD, "new_password2": NEW_PASSWORD}
    return Form(browser, form.request["PATH_INFO"], fields)


def change_email(cast: Cast) -> Form:
    fields = {"new_email": f"{unique('other')}@example.com", "password": PASSWORD}
    return form_of(cast.author, CHANGE_EMAIL, fields)


def send_confirmation(cast: Cast) -> Form:
    return form_of(_changing(cast), "/account/email/send/")


def keep_email(cast: Cast) -> Form:
    return form_of(_changing(cast), "/account/email/keep/")


def confirm_email(cast: Cast) -> Form:
    visitor = _changing(cast)
    return form_of(visitor, link_to_confirm())


def stop_reply_emails(cast: Cast) -> Form:
    visitor, _ = _with_address(cast)
    page = visitor.get("/account/").page
    (form,) = (f for f in page.all("form") if f.all("input", name="wanted"))
    return form_of(visitor, form["action"], typed(form))


def set_up_second_factor(cast: Cast) -> Form:
    visitor = cast.someone("careful")
    shown = visitor.browser.get("/accounts/second-factor/").content.decode()
    found = re.search(r"<code>([A-Z2-7]{32})</code>", shown)
    assert found
    fields = {"password": PASSWORD, "code": _code(found[1])}
    return form_of(visitor, "/accounts/second-factor/", fields)


def turn_off_second_factor(cast: Cast) -> Form:
    visitor, secret = cast.someone("careful"), pyotp.random_base32()
    turn_on(find_user(visitor.username), secret, step=1)
    browser = cast.stranger()
    sign_in(browser, visitor.username)

    browser.post("/accounts/login/code/", {"code": _code(secret)})
    later = pyotp.TOTP(secret).at(clock.now() + STEP)
    return Form(browser, "/accounts/second-factor/off/", {"code": later})


def download_data(cast: Cast) -> Form:
    return form_of(cast.author, "/account/data/")


def _with_address(cast: Cast) -> tuple[Writer, str]:
    address = f"{unique('mail')}@example.com"
    visitor = cast.someone("reachable", email=address)
    confirmation.confirm(visitor.username, address)
    return cast.browser_of(visitor.username), address


def _changing(cast: Cast) -> Writer:
    """Somebody who has asked for another address."""
    visitor = cast.someone("moving")
    fields = {"new_email": f"{unique('other')}@example.com", "password": PASSWORD}
    visitor.send(CHANGE_EMAIL, fields)
    return visitor


# Staff


def revoke_key(cast: Cast) -> Form:
    key, _ = create_key(
        name="Till", scope=Scope.WRITE, username=cast.author.username, now=clock.now()
    )
    return form_of(cast.staff, f"/staff/api-keys/{key.id}/revoke/")


WEBHOOK_URL = "https://example.com/events"


def create_a_webhook(cast: Cast) -> Form:
    fields = {"url": WEBHOOK_URL, "events": [ORDER_PLACED]}
    return form_of(cast.staff, "/staff/webhooks/", fields)


def delete_a_webhook(cast: Cast) -> Form:
    return form_of(cast.staff, f"/staff/webhooks/{_webhook_id()}/delete/")


def send_a_test_event(cast: Cast) -> Form:
    return form_of(cast.staff, f"/staff/webhooks/{_webhook_id()}/test/")


def _webhook_id() -> str:
    """Return the id of a new webhook, which this process has not heard of."""
    stored = list_webhooks()
    if len(stored) > MOST_WEBHOOKS // 2:
        for webhook in stored:
            delete_webhook(webhook.id)
    made = create_webhook(WEBHOOK_URL, [ORDER_PLACED], now=clock.now())
    remember_no_webhooks()
    return made.webhook.id


def create_product(cast: Cast) -> Form:
    fields = {
        "id": unique("torch"),
        "name": "Torch",
        "unit_price_cents": "12.50",
        "currency": "EUR",
        "category_slugs": [category()],
    }
    return form_of(cast.staff, "/staff/products/new/", fields)


def edit_product(cast: Cast) -> Form:
    return _edit(cast, f"/staff/products/{lamp()}/edit/")


def create_category(cast: Cast) -> Form:
    fields = {"slug": unique("shelf"), "name": "Shelf", "parent_slug": ""}
    return form_of(cast.staff, "/staff/categories/new/", fields)


def edit_category(cast: Cast) -> Form:
    return _edit(cast, f"/staff/categories/{category()}/edit/")


def _edit(cast: Cast, path: str) -> Form:
    form = cast.staff.get(path).page.one("main").all("form", method="post")[0]
    return form_of(cast.staff, path, {**typed(form), "name": "Torch"})


def discard(cast: Cast) -> Form:
    owed = owed_email("reset", cast.author.username, "https://shop.example.com")
    given_up = owed.after_failure(clock.now(), "No answer.", counts=True).given_up()
    write_actions([given_up.action])
    fields = {"queue": "shop", "id": given_up.sort_key, "decision": "discard"}
    return form_of(cast.staff, "/staff/work/decide/", fields)


FORMS = {
    "sign up": sign_up_without_email,
    "sign up with an e-mail address": sign_up_with_email,
    "sign in": sign_in_by_password,
    "show a code to sign in": sign_in_with_code,
    "sign out": sign_out,
    "change one's password": change_password,
    "ask for a new password": forget_password,
    "choose a new password": choose_password,
    "change one's e-mail address": change_email,
    "have the confirmation sent again": send_confirmation,
    "keep the old e-mail address": keep_email,
    "confirm an e-mail address": confirm_email,
    "stop e-mails about replies": stop_reply_emails,
    "set up a second factor": set_up_second_factor,
    "turn off the second factor": turn_off_second_factor,
    "download one's data": download_data,
    "revoke an API key": revoke_key,
    "create a webhook": create_a_webhook,
    "delete a webhook": delete_a_webhook,
    "send a webhook a test event": send_a_test_event,
    "create a product": create_product,
    "change a product": edit_product,
    "create a category": create_category,
    "change a category": edit_category,
    "discard what was given up": discard,
}
