"""Addresses of the account pages, named as in ``django.contrib.auth.urls``.

Signing in is in `shop.accounts.second_factor.urls`.
"""

from django.contrib.auth import views as done
from django.urls import path

from shop.accounts import views

_CHOOSE = "reset/<uidb64>/<token>/"
_CHANGED, _SENT = done.PasswordChangeDoneView.as_view(), done.PasswordResetDoneView.as_view()

urlpatterns = [
    path("sign-up/", views.SignUpView.as_view(), name="sign_up"),
    path("confirm/<token>/", views.confirm_email, name="confirm_email"),
    path("logout/", views.LogoutView.as_view(), name="logout"),
    path("password_change/", views.PasswordChangeView.as_view(), name="password_change"),
    path("password_change/done/", _CHANGED, name="password_change_done"),
    path("password_reset/", views.PasswordResetView.as_view(), name="password_reset"),
    path("password_reset/done/", _SENT, name="password_reset_done"),
    path(_CHOOSE, views.PasswordResetConfirmView.as_view(), name="password_reset_confirm"),
    path("reset/done/", done.PasswordResetCompleteView.as_view(), name="password_reset_complete"),
]
