"""Addresses of signing in, and of the second factor."""

from django.urls import path

from shop.accounts.second_factor import views

urlpatterns = [
    path("login/", views.LoginView.as_view(), name="login"),
    path("login/code/", views.CodeView.as_view(), name="login_code"),
    path("second-factor/", views.SetUpView.as_view(), name="second_factor"),
    path("second-factor/off/", views.OffView.as_view(), name="second_factor_off"),
]
