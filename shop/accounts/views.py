"""The account pages: Django's views, on the forms of `shop.accounts.forms`."""

from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from django.contrib import messages
from django.contrib.auth import views as auth_views
from django.core.signing import BadSignature
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import Resolver404, resolve
from django.utils.decorators import method_decorator
from django.utils.http import urlsafe_base64_decode
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from dynapages.calls import clock, fault_in
from dynapages.django.access import signed_in
from dynapages.django.paging import site_of
from dynapages.django.rate_limits import client_network
from dynapages.django.refusals import database_failed, refuse
from dynapages.django.security_log import log_event
from dynapages.pynamodb import FAILURES
from shop.accounts import rate_limits
from shop.accounts.confirmation import confirm, read_token
from shop.accounts.emails import owed_email
from shop.accounts.forms import NewPasswordForm, PasswordForm, ResetForm, SignUpForm
from shop.accounts.hashing import acquire_slot, sharing_a_slot
from shop.accounts.models import User
from shop.accounts.names import username_of
from shop.accounts.queries import find_user
from shop.accounts.rate_limits import clear
from shop.accounts.services import AccountConflict, StaleAccount, end_sessions
from shop.accounts.sessions import remember

if TYPE_CHECKING:
    from django.views.generic.edit import FormView
    from django_stubs_ext import StrOrPromise

    Base = FormView[Any]
else:
    Base = object

CONFIRM_TEMPLATE = "shop/accounts/confirm_email.html"
SIGNED_OUT_HERE_ALONE = _(
    "You are signed out in this browser, but not elsewhere. To sign out everywhere, sign in and "
    "out again later."
)


def say_link_sent(request: HttpRequest, address: str) -> None:
    """Show a message that an e-mail with a link to confirm an address is on its way."""
    sent = gettext(
        "We have sent an e-mail to %(address)s. Follow the link in it to confirm the address."
    )
    messages.success(request, sent % {"address": address})


def _focus_on_first_error(form: BaseForm) -> None:
    """Move the focus from the field that has it otherwise to the first one with an error."""
    wrong = [name for name in form.fields if name in form.errors]
    if not wrong:
        return
    for name, field in form.fields.items():
        field.widget.attrs["autofocus"] = name == wrong[0]


class AccountFormMixin(Base):
    """Shows the form again, filled in, when it was not saved; passwords are never shown."""

    once_more: "StrOrPromise" = _("Send this again in a moment.")

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "request": self.request}

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:  # noqa: ANN401 - Django's
        """Answer conflicts, exceeded rate limits (429) and faults of the database (503)."""
        del request, args, kwargs
        form = self.get_form()
        try:
            # Both hashes of a form, to check a password and to store one, have the same slot.
            with sharing_a_slot():
                if form.is_valid():
                    return self.form_valid(form)
        except AccountConflict as error:
            form.add_error(error.field, str(error))
        except FAILURES as failure:
            fault = fault_in(failure)
            if fault is None:
                raise
            database_failed.send(type(fault), fault=fault)
            form.add_error(None, f"{gettext(str(fault))} {self.once_more}")
            # The user is read from the database: the page must do without.
            context = self.get_context_data(form=form, is_away=True)
            headers = {"Retry-After": str(fault.retry_after)}
            return self.render_to_response(
                context, status=HTTPStatus.SERVICE_UNAVAILABLE, headers=headers
            )
        _focus_on_first_error(form)
        response = self.form_invalid(form)
        if form.retry_after is not None:
            response.status_code = HTTPStatus.TOO_MANY_REQUESTS
            response["Retry-After"] = str(form.retry_after)
        return response


class RememberingView(auth_views.LoginView):
    """Signs in, and tells the browser who did; the page says what for, by where it leads."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:  # noqa: ANN401 - Django's
        next_page = _name_of_page(self.get_redirect_url())
        return super().get_context_data(**kwargs) | {"next_page": next_page}

    def form_valid(self, form: Any) -> HttpResponse:  # noqa: ANN401 - Django's
        response = super().form_valid(form)
        remember(response, form.get_user().get_username())
        return response


class LogoutView(auth_views.LogoutView):
    """Sign out: this session ends, and with it all others of the user. GET shows the button."""

    http_method_names = ("get", "head", "post", "options")

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:  # noqa: ANN401 - Django's
        del args, kwargs
        return render(request, "registration/sign_out.html")

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:  # noqa: ANN401 - Django's
        """Answer a fault of the database with 503; the browser's cookie is deleted even then."""
        try:
            if request.user.is_authenticated:
                username = request.user.get_username()
                # A copy of the cookie may be elsewhere; it ends too.
                end_sessions(username)
                log_event("sign-out", user=username, request=request)
            return super().post(request, *args, **kwargs)
        except FAILURES as failure:
            fault = fault_in(failure)
            if fault is None:
                raise
            request.session.flush()
            message = f"{gettext(str(fault))} {SIGNED_OUT_HERE_ALONE}"
            status = HTTPStatus.SERVICE_UNAVAILABLE
            return refuse(request, status, retry_after=fault.retry_after, message=message)


class SignUpView(AccountFormMixin, RememberingView):
    """Create an account and sign in with it."""

    form_class = SignUpForm  # type: ignore[assignment] # it has all the view asks for
    once_more = _(
        "Send this again in a moment. If the name is taken then, it may be your new account: "
        "try to sign in."
    )
    template_name = "shop/accounts/sign_up.html"

    def form_valid(self, form: Any) -> HttpResponse:  # noqa: ANN401 - Django's
        """Create the account, and sign in with it."""
        form.create_user(now=clock.now())
        username = form.get_user().get_username()
        log_event("account-made", user=username, request=self.request)
        response = super().form_valid(form)
        # The address is the one that was typed, so it tells nothing of other accounts.
        if form.cleaned_data["email"]:
            say_link_sent(self.request, form.cleaned_data["email"])
        return response


@method_decorator(signed_in, name="dispatch")
class PasswordChangeView(AccountFormMixin, auth_views.PasswordChangeView):
    """Change the password; all other sessions of the user end with it."""

    form_class = PasswordForm

    def form_valid(self, form: Any) -> HttpResponse:  # noqa: ANN401 - Django's
        """Store the new password; owe an e-mail about it."""
        form.user.new_email = None  # who knew the password may have asked for it
        username = form.user.get_username()
        form.user.owe(owed_email("changed", username, site_of(self.request)))
        response = super().form_valid(form)
        log_event("password-changed", user=username, request=self.request)
        return response


class PasswordResetView(AccountFormMixin, auth_views.PasswordResetView):
    """Send a link for a new password."""

    form_class = ResetForm

    def form_valid(self, form: Any) -> HttpResponse:  # noqa: ANN401 - Django's
        """Owe an e-mail with a link, whether or not there is such a user."""
        log_event("password-reset-asked", request=self.request)
        return super().form_valid(form)


class PasswordResetConfirmView(AccountFormMixin, auth_views.PasswordResetConfirmView):
    """Choose a new password, by a link that was sent."""

    form_class = NewPasswordForm

    def get_user(self, uidb64: str) -> User | None:
        """Find the user of a link."""
        try:
            return find_user(username_of(urlsafe_base64_decode(uidb64).decode()))
        except ValueError:  # not base64, not UTF-8, not a user name: ValueErrors
            return None

    def form_valid(self, form: Any) -> HttpResponse:  # noqa: ANN401 - Django's
        """Store the new password; clear the limits on attempts, which others may have used up."""
        acquire_slot()  # before the attempts are forgotten
        username = form.user.get_username()
        at_name = rate_limits.PASSWORDS_AT_A_NAME.use(username, client_network(self.request))
        clear(rate_limits.PASSWORDS_OF_A_NAME.use(username), at_name)
        form.user.email_confirmed = True  # the link was sent to it
        form.user.new_email = None
        form.user.owe(owed_email("changed", username, site_of(self.request)))
        response = super().form_valid(form)
        log_event("password-reset", user=username, request=self.request)
        remember(response, username)
        return response


# Confirming an e-mail address


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def confirm_email(request: HttpRequest, token: str) -> HttpResponse:
    """Ask whether an address is to be confirmed, because mail programs follow links; confirm it."""
    try:
        username, address = read_token(token)
    except BadSignature:
        return _refused(request)
    if request.method != "POST":
        context = {
            "heading": gettext("Is this your address?"),
            "may_confirm": True,
            "username": username,
            "address": address,
        }
        return render(request, CONFIRM_TEMPLATE, context)
    try:
        is_news = confirm(username, address, site=site_of(request))
    except StaleAccount as error:
        return _answer(request, str(error), status=HTTPStatus.CONFLICT)
    # The user is gone, or has another address by now.
    if is_news is None:
        return _refused(request)
    if not is_news:
        return _answer(request, gettext("Your address is confirmed already"))
    log_event("email-confirmed", user=username, request=request)
    return _answer(request, gettext("Your address is confirmed"))


def _refused(request: HttpRequest) -> HttpResponse:
    """Answer that a link is too old, or was overtaken by another choice."""
    return _answer(
        request,
        gettext("This link is no longer valid"),
        about=gettext("It is too old, or another address or a new password was chosen since."),
    )


def _answer(
    request: HttpRequest, heading: str, *, about: str = "", status: HTTPStatus = HTTPStatus.OK
) -> HttpResponse:
    """Show the page of a confirmation's outcome."""
    return render(request, CONFIRM_TEMPLATE, {"heading": heading, "about": about}, status=status)


def _name_of_page(page_url: str) -> str:
    """Return the name of the page of this site at a URL, empty if there is none."""
    try:
        return resolve(unquote(urlsplit(page_url).path)).url_name or ""
    except (Resolver404, ValueError):  # ValueError: no URL at all
        return ""
