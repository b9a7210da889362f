"""Addresses of one's own account."""

from django.urls import path

from shop.accounts.account_page import views

urlpatterns = [
    path("", views.account, name="account"),
    path("email/", views.ChangeEmailView.as_view(), name="change_email"),
    path("email/send/", views.send_confirmation, name="send_confirmation"),
    path("email/keep/", views.keep_email, name="keep_email"),
    path("replies/<token>/", views.reply_emails, name="reply_emails"),
]
