"""The site's URLs."""

from django.urls import include, path

from config import views
from lab.reports.views import lab

handler400 = "dynamo.web.refusals.bad_request"
handler404 = "dynamo.web.refusals.not_found"

urlpatterns = [
    path("", include("shop.urls")),
    path("", include("comments.urls")),
    path("accounts/", include("shop.accounts.urls")),
    path("lab/", lab, name="lab"),
    path("healthz", views.healthz, name="healthz"),
    path("readyz", views.readyz, name="readyz"),
]
