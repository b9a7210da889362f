"""Signing in with a code, and turning the second factor on and off."""

from typing import Any

import pyotp
from django.conf import settings
from django.contrib.auth import update_session_auth_hash
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse, reverse_lazy
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.generic.edit import FormView

from dynapages.calls import clock
from dynapages.django.paging import site_of
from dynapages.django.security_log import log_event
from shop.accounts import views
from shop.accounts.emails import owed_email
from shop.accounts.forms import LoginForm
from shop.accounts.models import SECOND_FACTOR, User
from shop.accounts.second_factor.forms import CodeForm, SetUpForm
from shop.accounts.second_factor.services import (
    begin,
    finish,
    needs_second_factor,
    turn_off,
    turn_on,
    user_signing_in,
)
from shop.accounts.sessions import remember

OFFERED_KEY = "totp_offered"
"""In a session: the secret that was shown, until a code of it is."""


class LoginView(views.AccountFormMixin, views.RememberingView):
    """Sign in, or go on to the second factor; staff are led to the queue."""

    form_class = LoginForm
    user: User | None = None

    def get_default_redirect_url(self) -> str:
        """Return where to go on without ``next``."""
        if self.user is not None and self.user.is_staff:
            return reverse("staff_orders")
        return super().get_default_redirect_url()

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:  # noqa: ANN401 - Django's
        """Add the names and the password of the sample shop's users, where it is one."""
        context = super().get_context_data(**kwargs)
        if settings.SAMPLE_SIGN_IN:
            customer, staff, password = settings.SAMPLE_SIGN_IN
            context["password"] = password
            context["sample_users"] = [
                (customer, _("%(name)s, a customer") % {"name": customer}),
                (staff, _("%(name)s, staff") % {"name": staff}),
            ]
        return context

    def form_valid(self, form: Any) -> HttpResponse:  # noqa: ANN401 - Django's
        """Sign in, or go on to the page for the code, or for setting the second factor up."""
        user = form.get_user()
        self.user = user
        if not needs_second_factor(user):
            return super().form_valid(form)
        begin(self.request.session, user, next_url=self.get_success_url(), now=clock.now())
        return redirect("login_code" if user.totp_secret else "second_factor")


def _sign_in_first() -> HttpResponse:
    """Lead to the sign-in; a form that was sent is kept as by `dynapages.django.access`."""
    response = redirect("login")
    response.asks_to_sign_in = True  # type: ignore[attr-defined] # for the site's middleware
    return response


@method_decorator((sensitive_post_parameters(), never_cache), name="dispatch")
class _UserView(views.AccountFormMixin, FormView):  # type: ignore[type-arg] # only in the stubs
    """A page for ``user``: who is signed in, or has typed the right password."""

    user: User
    is_signed_in = False

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:  # noqa: ANN401 - Django's
        """Set ``user``, or lead to the sign-in where there is none."""
        # Somebody who is signing in is no user yet for Django: the session names them.
        self.is_signed_in = request.user.is_authenticated
        user = request.user if self.is_signed_in else user_signing_in(request)
        if not isinstance(user, User):
            return _sign_in_first()
        self.user = user
        return super().dispatch(request, *args, **kwargs)

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "user": self.user}


class CodeView(_UserView):
    """The second page of signing in: the code."""

    form_class = CodeForm
    template_name = "shop/accounts/code.html"

    def form_valid(self, form: Any) -> HttpResponse:  # noqa: ANN401 - Django's
        """Sign in, and tell the browser who did."""
        del form
        response = redirect(finish(self.request, self.user))
        remember(response, self.user.username)
        return response


class SetUpView(_UserView):
    """Turn the second factor on; the page shows the secret, and then the recovery codes, once."""

    form_class = SetUpForm
    template_name = "shop/accounts/second_factor.html"

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:  # noqa: ANN401 - Django's
        if self.user.totp_secret:
            return redirect("second_factor_off" if self.is_signed_in else "login_code")
        return super().get(request, *args, **kwargs)

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:  # noqa: ANN401 - Django's
        if self.user.totp_secret:  # a password alone must not replace it
            return redirect("second_factor")
        return super().post(request, *args, **kwargs)

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "secret": self._secret()}

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:  # noqa: ANN401 - Django's
        """Add the secret, as text and as a link that apps read from a QR code."""
        totp = pyotp.TOTP(self._secret(), name=self.user.username, issuer=settings.SITE_NAME)
        return super().get_context_data(**kwargs) | {
            "secret": self._secret(),
            "link": totp.provisioning_uri(),
        }

    def form_valid(self, form: Any) -> HttpResponse:  # noqa: ANN401 - Django's
        """Turn the second factor on, and show the recovery codes."""
        # Owed by the same write that turns it on: an e-mail warns who did not do this.
        self.user.owe(owed_email("factor_on", self.user.username, site_of(self.request)))
        codes = turn_on(self.user, form.secret, step=form.step)
        del self.request.session[OFFERED_KEY]
        log_event("second-factor-on", user=self.user.username, request=self.request)
        # The session number has changed, which ends sessions: this one goes on.
        if self.is_signed_in:
            update_session_auth_hash(self.request, self.user)
            self.request.session[SECOND_FACTOR] = True
            next_url = resolve_url("account")
        else:
            next_url = resolve_url(finish(self.request, self.user))
        context = {"codes": codes, "next_url": next_url}
        response = render(self.request, "shop/accounts/recovery_codes.html", context)
        remember(response, self.user.username)
        return response

    def _secret(self) -> str:
        """Return the secret that the session offers; the first call makes it."""
        session = self.request.session
        # The same one when the page is loaded again, or the app would have an old one.
        if OFFERED_KEY not in session:
            session[OFFERED_KEY] = pyotp.random_base32()
        return str(session[OFFERED_KEY])


class OffView(_UserView):
    """Turn the second factor off, by a code."""

    form_class = CodeForm
    template_name = "shop/accounts/second_factor_off.html"
    success_url = reverse_lazy("account")

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:  # noqa: ANN401 - Django's
        if not request.user.is_authenticated:
            return _sign_in_first()
        return super().dispatch(request, *args, **kwargs)

    def form_valid(self, form: Any) -> HttpResponse:  # noqa: ANN401 - Django's
        """Turn the second factor off; owe an e-mail about it."""
        self.user.owe(owed_email("factor_off", self.user.username, site_of(self.request)))
        turn_off(self.user)
        update_session_auth_hash(self.request, self.user)
        self.request.session.pop(SECOND_FACTOR, None)
        log_event("second-factor-off", user=self.user.username, request=self.request)
        return super().form_valid(form)
