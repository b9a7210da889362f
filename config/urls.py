"""The site's URLs."""

from django.urls import include, path

from config import views
from dynamo.web.forgery import form_token
from lab.handbook.views import document
from lab.reports.views import lab

handler400 = "dynamo.web.refusals.bad_request"
handler404 = "dynamo.web.refusals.not_found"

urlpatterns = [
    path("", include("shop.urls")),
    path("", include("comments.urls")),
    path("accounts/", include("shop.accounts.urls")),
    path("accounts/", include("shop.accounts.second_factor.urls")),
    path("lab/", lab, name="lab"),
    path("docs/<path:name>/", document, name="document"),
    path("form-token/", form_token, name="form_token"),
    path("healthz", views.healthz, name="healthz"),
    path("readyz", views.readyz, name="readyz"),
]
