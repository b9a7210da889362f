"""Signing in with a code, and turning the second factor on and off: forms and pages."""

from typing import TYPE_CHECKING, Any

import pyotp
from django import forms
from django.conf import settings
from django.contrib.auth import update_session_auth_hash
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse, reverse_lazy
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.generic.edit import FormView

from dynapages.calls import clock
from dynapages.django.access import log_event
from dynapages.django.paging import site_of
from dynapages.django.rate_limits import Use, take
from shop.accounts import rate_limits, views
from shop.accounts.emails import queue_email
from shop.accounts.forms import LimitedForm, LoginForm
from shop.accounts.models import SECOND_FACTOR, User
from shop.accounts.rate_limits import clear, rest
from shop.accounts.second_factor.services import (
    accept,
    begin,
    finish,
    needs_second_factor,
    step_of,
    turn_off,
    turn_on,
    user_signing_in,
    without_blanks,
)
from shop.accounts.sessions import remember

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

WRONG_CODE = gettext_lazy("Wrong code. Type the code that the app shows now. Each code works once.")
WRONG_PASSWORD = gettext_lazy("Wrong password.")


def _code_field(help_text: "StrOrPromise") -> forms.CharField:
    typed = {"autocomplete": "one-time-code", "autocapitalize": "none", "spellcheck": "false"}
    widget = forms.TextInput(attrs=typed)
    return forms.CharField(
        label=gettext_lazy("Code"), max_length=40, help_text=help_text, widget=widget
    )


class UserForm(LimitedForm):
    """A form about the second factor of ``user``."""

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:  # noqa: ANN401 - Django's
        super().__init__(*args, **kwargs)
        self.user = user

    def refuse(self, sentence: "StrOrPromise") -> ValidationError:
        """Log that a code or password was wrong; return the error to be raised."""
        log_event("second-factor-failed", user=self.user.username, request=self.request)
        return ValidationError(sentence)


class CodeForm(UserForm):
    """A code of the app, or a recovery code; it is used up by validation."""

    code = _code_field(gettext_lazy("The six digits in your app, or a recovery code."))

    def clean_code(self) -> str:
        username, of_name = self.user.username, rate_limits.CODES_OF_A_NAME.use(self.user.username)
        self.take(of_name, user=username)
        code: str = self.cleaned_data["code"]
        accepted = accept(self.user, code, now=clock.now())
        if accepted is None:
            refusal = self.refuse(WRONG_CODE)
            if take(rate_limits.WRONG_CODES_OF_A_NAME.use(username), now=clock.now()):
                self._rest(of_name)
            raise refusal
        if accepted == "recovery":
            log_event("recovery-code-used", user=username, request=self.request)
            queue_email("recovery_code", username, site_of(self.request))
        clear(rate_limits.WRONG_CODES_OF_A_NAME.use(username))
        return code

    def _rest(self, of_name: Use) -> None:
        """Have the account take no code for an hour, and tell its owner. Raises like `take`."""
        username = self.user.username
        rest(of_name, lasts=rate_limits.REST_OF_CODES, now=clock.now())
        clear(rate_limits.WRONG_CODES_OF_A_NAME.use(username))
        queue_email("codes_rest", username, site_of(self.request))
        self.take(of_name, user=username)


class OwnPasswordForm(UserForm):
    """A form that asks for the password: an open session alone must not do."""

    password = forms.CharField(
        label=gettext_lazy("Your password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def clean_password(self) -> str:
        self.take(rate_limits.PASSWORD_CHANGES.use(self.user.username), user=self.user.username)
        password: str = self.cleaned_data["password"]
        if not self.user.check_password(password):
            raise self.refuse(WRONG_PASSWORD)
        return password


class SetUpForm(OwnPasswordForm):
    """The password once more, and the first code of an app; ``step`` is the code's."""

    code = _code_field(gettext_lazy("The six digits in your app."))

    def __init__(self, *args: Any, secret: str, **kwargs: Any) -> None:  # noqa: ANN401 - Django's
        super().__init__(*args, **kwargs)
        self.secret = secret
        self.step = 0

    def clean_code(self) -> str:
        code = without_blanks(self.cleaned_data["code"])
        step = step_of(self.secret, code, now=clock.now(), after=None)
        if step is None:
            raise self.refuse(WRONG_CODE)
        self.step = step
        return code


OFFERED = "totp_offered"
"""In a session: the secret that was shown, until a code of it is."""


class LoginView(views.AccountFormMixin, views.RememberingView):
    """Sign in, or go on to the second factor; staff are led to the queue."""

    form_class = LoginForm
    user: User | None = None

    def get_default_redirect_url(self) -> str:
        """Return where to go on without ``next``."""
        is_staff = self.user is not None and self.user.is_staff
        return reverse("staff_orders") if is_staff else super().get_default_redirect_url()

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:  # noqa: ANN401 - Django's
        """Add the names and the password of the sample shop's users, where it is one."""
        *names, password = settings.SAMPLE_SIGN_IN or ("",)
        about = (_("%(name)s, a customer"), _("%(name)s, staff"))
        users = [(name, label % {"name": name}) for name, label in zip(names, about, strict=False)]
        return super().get_context_data(**kwargs) | {"sample_users": users, "password": password}

    def form_valid(self, form: Any) -> HttpResponse:  # noqa: ANN401 - Django's
        self.user = user = form.get_user()
        if not needs_second_factor(user):
            return super().form_valid(form)
        begin(self.request.session, user, next_url=self.get_success_url(), now=clock.now())
        return redirect("login_code" if user.totp_secret else "second_factor")


@method_decorator((sensitive_post_parameters(), never_cache), name="dispatch")
class _UserView(views.AccountFormMixin, FormView):  # type: ignore[type-arg] # only in the stubs
    """A page for ``user``: who is signed in, or has typed the right password."""

    user: User
    is_signed_in = False

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:  # noqa: ANN401 - Django's
        self.is_signed_in = request.user.is_authenticated
        user = request.user if self.is_signed_in else user_signing_in(request)
        if not isinstance(user, User):
            return redirect("login")
        self.user = user
        return super().dispatch(request, *args, **kwargs)

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "user": self.user}


class CodeView(_UserView):
    """The second page of signing in: the code."""

    form_class = CodeForm
    template_name = "shop/accounts/code.html"

    def form_valid(self, form: Any) -> HttpResponse:  # noqa: ANN401 - Django's
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
        totp = pyotp.TOTP(self._secret(), name=self.user.username, issuer=settings.SITE_NAME)
        return super().get_context_data(**kwargs) | {
            "secret": self._secret(),
            "link": totp.provisioning_uri(),
        }

    def form_valid(self, form: Any) -> HttpResponse:  # noqa: ANN401 - Django's
        codes = turn_on(self.user, form.secret, step=form.step)
        del self.request.session[OFFERED]
        log_event("second-factor-on", user=self.user.username, request=self.request)
        queue_email("factor_on", self.user.username, site_of(self.request))
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
        session = self.request.session
        if OFFERED not in session:
            session[OFFERED] = pyotp.random_base32()
        return str(session[OFFERED])


class OffView(_UserView):
    """Turn the second factor off, by a code."""

    form_class = CodeForm
    template_name = "shop/accounts/second_factor_off.html"
    success_url = reverse_lazy("account")

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:  # noqa: ANN401 - Django's
        if not request.user.is_authenticated:
            return redirect("login")
        return super().dispatch(request, *args, **kwargs)

    def form_valid(self, form: Any) -> HttpResponse:  # noqa: ANN401 - Django's
        turn_off(self.user)
        update_session_auth_hash(self.request, self.user)
        self.request.session.pop(SECOND_FACTOR, None)
        log_event("second-factor-off", user=self.user.username, request=self.request)
        queue_email("factor_off", self.user.username, site_of(self.request))
        return super().form_valid(form)
