"""The page of one's own account, and the forms on it."""

from contextlib import suppress
from typing import Any, cast

from django.contrib import messages
from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.generic.edit import FormView

from dynapages.django.access import signed_in
from dynapages.django.paging import site_of
from dynapages.django.rate_limits import client_network, count_or_refuse
from dynapages.django.security_log import log_event
from shop.accounts import rate_limits
from shop.accounts.account_page.forms import EmailForm
from shop.accounts.confirmation import REPLIES_SALT, token_for
from shop.accounts.emails import owed_email, queue_email
from shop.accounts.models import User
from shop.accounts.queries import find_user
from shop.accounts.services import StaleAccount
from shop.accounts.views import AccountFormMixin, say_link_sent


@require_safe
@signed_in
def account(request: HttpRequest) -> HttpResponse:
    """Show what an account is known by, and lead to all that belongs to it."""
    user = cast("User", request.user)
    token = token_for(user.username, user.email, salt=REPLIES_SALT)
    return render(request, "shop/accounts/account.html", {"reply_token": token})


@method_decorator((sensitive_post_parameters(), signed_in), name="dispatch")
class ChangeEmailView(AccountFormMixin, FormView):  # type: ignore[type-arg] # only in the stubs
    """Have an e-mail sent to another address, which is the account's once it is confirmed."""

    form_class = EmailForm
    template_name = "shop/accounts/change_email.html"
    success_url = reverse_lazy("account")

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "user": self.request.user}

    def form_valid(self, form: Any) -> HttpResponse:  # noqa: ANN401 - Django's
        """Store the new address, and owe it an e-mail with a link."""
        form.user.new_email = form.cleaned_data["new_email"]
        form.user.owe(owed_email("confirm", form.user.username, site_of(self.request)))
        form.user.save()
        log_event("email-change-asked", user=form.user.username, request=self.request)
        _say_sent(self.request, form.user)
        return super().form_valid(form)


@require_POST
@signed_in
def send_confirmation(request: HttpRequest) -> HttpResponse:
    """Send the e-mail once more by which an address is confirmed."""
    user = cast("User", request.user)
    if user.email_confirmed and not user.new_email:
        messages.info(request, _("Your e-mail address is confirmed already."))
    elif user.new_email or user.email:
        count_or_refuse(
            rate_limits.RESETS_FROM_AN_ADDRESS.use(client_network(request)),
            rate_limits.CONFIRMATIONS_OF_A_NAME.use(user.username),
            sentence=_("The e-mail was sent several times. You can ask for it again in %(wait)s."),
        )
        queue_email("confirm", user.username, site_of(request))
        _say_sent(request, user)
    return redirect("account")


@require_POST
@signed_in
def keep_email(request: HttpRequest) -> HttpResponse:
    """Forget the address that was to replace the one before."""
    user = cast("User", request.user)
    user.new_email = None
    try:
        user.save()
    except StaleAccount as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, _("Your e-mail address stays as it is."))
    return redirect("account")


@csrf_exempt  # mail programs send it, without a session (RFC 8058): what is signed is enough
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def reply_emails(request: HttpRequest, token: str) -> HttpResponse:
    """Show whether the shop's replies are e-mailed; a form changes that (``wanted=yes``)."""
    try:
        username, address = signing.loads(token, salt=REPLIES_SALT)
        owner = find_user(username)
    except signing.BadSignature:
        owner = None
    if owner is None or owner.email != address:
        raise Http404(_("This link is no longer valid"))
    if request.method == "POST":
        # An account without the attribute gets e-mails, as all did before there was a choice.
        owner.mutes_replies = None if request.POST.get("wanted") == "yes" else True
        # Mail programs may send it twice.
        with suppress(StaleAccount):  # another click was faster
            owner.save()
    return render(request, "shop/accounts/reply_emails.html", {"owner": owner, "token": token})


def _say_sent(request: HttpRequest, user: User) -> None:
    """Show a message that an e-mail with a link is on its way."""
    say_link_sent(request, user.new_email or user.email)
