"""The account pages: Django's views, on the forms of `shop.accounts.forms`."""

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from django.contrib.auth import views as auth_views
from django.http import HttpResponse
from django.utils import timezone
from django.utils.http import urlsafe_base64_decode

from shop.accounts.forms import LimitedForm, LoginForm, PasswordForm, ResetForm, SignUpForm
from shop.accounts.models import User
from shop.accounts.names import username_of
from shop.accounts.queries import NoSuchUser, find_user
from shop.accounts.services import AccountConflict

if TYPE_CHECKING:
    from django.views.generic.edit import FormView

    Base = FormView[Any]
else:
    Base = object


class AccountFormMixin(Base):
    """Shows the form again, filled in, on a conflict or an exceeded rate limit."""

    def form_valid(self, form: Any) -> HttpResponse:  # noqa: ANN401 - each view has its own
        try:
            return super().form_valid(form)
        except AccountConflict as error:
            form.add_error(error.field, str(error))
            return self.form_invalid(form)

    def form_invalid(self, form: Any) -> HttpResponse:  # noqa: ANN401 - the same
        response = super().form_invalid(form)
        if isinstance(form, LimitedForm) and form.retry_after is not None:
            response.status_code = HTTPStatus.TOO_MANY_REQUESTS
            response["Retry-After"] = str(form.retry_after)
        return response


class LoginView(AccountFormMixin, auth_views.LoginView):
    """Sign in."""

    form_class = LoginForm


class NewUserView(auth_views.LoginView):
    """Creates the user of a valid form before it signs them in."""

    def form_valid(self, form: Any) -> HttpResponse:  # noqa: ANN401 - Django's
        form.create_user(now=timezone.now())
        return super().form_valid(form)


class SignUpView(AccountFormMixin, NewUserView):
    """Create an account and sign in with it."""

    form_class = SignUpForm  # type: ignore[assignment] # it has all the view asks for
    template_name = "shop/accounts/sign_up.html"


class PasswordChangeView(AccountFormMixin, auth_views.PasswordChangeView):
    """Change the password; all other sessions of the user end with it."""

    form_class = PasswordForm


class PasswordResetView(AccountFormMixin, auth_views.PasswordResetView):
    """Send a link for a new password."""

    form_class = ResetForm

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "request": self.request}


class PasswordResetConfirmView(AccountFormMixin, auth_views.PasswordResetConfirmView):
    """Choose a new password, by a link that was sent."""

    def get_user(self, uidb64: str) -> User | None:
        """Find the user of a link."""
        try:
            return find_user(username_of(urlsafe_base64_decode(uidb64).decode()))
        except (ValueError, NoSuchUser):  # not base64, not UTF-8, not a user name: ValueErrors
            return None
