"""The site's URLs; the laboratory's are among them where it is installed."""

from django.apps import apps
from django.conf import settings
from django.urls import include, path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from django.views.generic import RedirectView
from django.views.i18n import set_language

from config import examples, home, user_data_views, work_views
from config.api import api
from config.docs_pages import document
from config.staff import views as staff_views
from config.web import health
from config.web.answers import favicon, form_token
from dynapages.ninja import no_such_address
from shop.parts import parts

handler400 = "config.web.answers.bad_request"
handler404 = "config.web.answers.not_found"
handler500 = "config.web.answers.server_error"

# Who opens the API's own address is shown what there is.
api_start = csrf_exempt(
    RedirectView.as_view(pattern_name="api:openapi-view", http_method_names=["get", "head"])
)

urlpatterns = [
    path("", home.home, name="home"),
    path("examples/", examples.examples, name="examples"),
    path("", include("shop.urls")),
    path("", include("comments.urls")),
    path("accounts/", include("shop.accounts.urls")),
    path("accounts/", include("shop.accounts.second_factor.urls")),
    path("account/", include("shop.accounts.account_page.urls")),
    path("account/data/", user_data_views.own_data, name="own_data"),
    # Another site could change the language of its visitor, and nothing else: pages that shared
    # caches keep have no token.
    path("language/", csrf_exempt(require_POST(set_language)), name="set_language"),
    path("api/v1", api_start),
    path("api/v1/", api_start),
    path("api/v1/", api.urls),
    # With DEBUG, Django would answer a program with a page for developers.
    path("api", no_such_address),
    path("api/", no_such_address),
    path("api/<path:unknown>", no_such_address),
    path("docs/", document, name="documentation"),
    path("docs/<path:name>/", document, name="document"),
    path("staff/", staff_views.overview, name="staff_overview"),
    path("staff/customers/<id:username>/", staff_views.customer, name="staff_customer"),
    path("staff/work/", work_views.given_up, name="work"),
    path("staff/work/decide/", work_views.decide, name="decide_work"),
    path("form-token/", form_token, name="form_token"),
    path("favicon.ico", favicon, name="favicon"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
]
if settings.DEBUG:
    urlpatterns.append(path("parts/", parts, name="parts"))
if apps.is_installed("lab"):
    urlpatterns.append(path("lab/", include("lab.urls")))
