"""Django's settings. A deployment makes its choices in the environment: see docs/settings.md."""

from pathlib import Path

from django.conf import global_settings
from django.core.management.utils import get_random_secret_key

from config import django_versions
from config.environment import Environment, is_installed, stored_secret_key
from config.running_demo import find_demo

BASE_DIR = Path(__file__).resolve().parent.parent

env = Environment()
VAR_DIR = env.path("VAR_DIR") or BASE_DIR / "var"
SECRET_KEY_FILE = VAR_DIR / "secret-key"
ENVIRONMENT_PROBLEMS = env.problems

# --- DynamoDB ---

DYNAMODB_ENDPOINT_URL = env.url("DYNAMODB_ENDPOINT_URL")
AWS_REGION = env.text("AWS_REGION") or env.text("AWS_DEFAULT_REGION")
DYNAMODB_TABLE_PREFIX = env.text("DYNAMODB_TABLE_PREFIX")
DYNAMODB_LIBRARY_TRANSPORT = not env.flag("DYNAMODB_BY_BOTOCORE")

# Commands use the demo that runs in this checkout, unless the environment names a database.
_DEMO = find_demo(VAR_DIR)
RUNNING_DEMO = None
if not env.text("DYNAMODB_ENDPOINT_URL") and not env.has_aws_credentials():
    RUNNING_DEMO = _DEMO
if RUNNING_DEMO:
    DYNAMODB_ENDPOINT_URL = RUNNING_DEMO.endpoint_url
    AWS_REGION = AWS_REGION or RUNNING_DEMO.region
    DYNAMODB_TABLE_PREFIX = DYNAMODB_TABLE_PREFIX or RUNNING_DEMO.table_prefix

AWS_REGION = AWS_REGION or "us-east-1"
DYNAMODB_TABLE_PREFIX = DYNAMODB_TABLE_PREFIX or "dynashop-"

# Whether it is another DynamoDB than Amazon's: DynamoDB Local, dynoxide, moto.
DYNAMODB_IS_AN_ENGINE = bool(
    DYNAMODB_ENDPOINT_URL and ".amazonaws.com" not in DYNAMODB_ENDPOINT_URL
)
# An engine on this machine needs no credentials, but botocore sends no request without any.
AWS_ACCESS_KEY_ID: str | None = None
AWS_SECRET_ACCESS_KEY: str | None = None
if DYNAMODB_IS_AN_ENGINE and not env.has_aws_credentials():
    AWS_ACCESS_KEY_ID = AWS_SECRET_ACCESS_KEY = "local"  # noqa: S105 - opens nothing

# Seconds that all calls of a page, and of a form, may take together.
PAGE_SECONDS = env.number("PAGE_SECONDS", default=2.5, least=0.5, most=60)
WRITE_SECONDS = env.number("WRITE_SECONDS", default=6, least=0.5, most=60)
# Requests that one process works on at a time, half of them forms at the most: so two or more.
# See deploy/gunicorn.conf.py.
MAX_CONCURRENT_REQUESTS = env.integer("MAX_CONCURRENT_REQUESTS", default=4, least=2, most=64)

# The models whose tables create_tables creates, one for each table.
DYNAMODB_MODELS = ["shop.models.ShopItem", "comments.models.Comment"]

# Functions that create further tables, such as one for each month.
DYNAMODB_TABLE_MAKERS = ["shop.activity.tables.make_tables"]

# The limits of what visitors do are stored in the table of the shop.
RATE_LIMITER = "shop.table.limiter"

# What is owed is done by a thread of each web process, or by 'manage.py work' alone.
WORK_QUEUES = ["comments.work.QUEUE", "shop.work.QUEUE"]
WORK_IN_WEB = env.flag("WORK_IN_WEB", default=True)

DATABASES: dict[str, dict[str, str]] = {}

# --- The API: see docs/api.md ---

API_PATH = "/api/"
API_AUTHENTICATOR = "config.api.authenticate"
# Where docs/api.md lists the problems, on the site itself.
API_PROBLEM_TYPES = "/docs/api/#"
# Sites whose pages may call the API in a browser, such as https://app.example.com.
CORS_ALLOWED_ORIGINS = list(env.words("API_ORIGINS"))
CORS_URLS_REGEX = r"^/api/"
CORS_ALLOW_METHODS = ["DELETE", "GET", "OPTIONS", "PATCH", "POST", "PUT"]
CORS_ALLOW_HEADERS = [
    "accept-language",
    "authorization",
    "content-type",
    "idempotency-key",
    "if-match",
    "if-none-match",
]
CORS_EXPOSE_HEADERS = [
    "Allow",
    "ETag",
    "Idempotent-Replayed",
    "Link",
    "Location",
    "RateLimit",
    "RateLimit-Policy",
    "Retry-After",
    "WWW-Authenticate",
]

# --- Security ---

DEBUG = env.flag("DEBUG")
ALLOWED_HOSTS = list(env.words("ALLOWED_HOSTS", default=("localhost", "127.0.0.1", "[::1]")))

SECRET_KEY = env.text("SECRET_KEY")
if not SECRET_KEY and (DEBUG or RUNNING_DEMO):
    try:
        SECRET_KEY = stored_secret_key(SECRET_KEY_FILE)
    except OSError:
        env.report("VAR_DIR", f"VAR_DIR is {str(VAR_DIR)!r}, where no file can be kept.")
if not SECRET_KEY:
    env.report(
        "SECRET_KEY",
        "SECRET_KEY is not set.",
        "Set it to a long random text that stays the same, or DEBUG=1 to have one made and kept. "
        "For the sample shop, start 'make run' first: other commands then need no settings, "
        "but for AWS credentials to be unset.",
    )
    SECRET_KEY = get_random_secret_key()  # nothing may fail on it until the check stops the process
# Former values of SECRET_KEY: sessions and page links signed with them stay valid.
SECRET_KEY_FALLBACKS = list(env.words("SECRET_KEY_FALLBACKS"))

HTTPS = env.flag("HTTPS")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
# With this prefix browsers accept a cookie of this host alone, over HTTPS, for all paths.
_COOKIE_PREFIX = "__Host-" if HTTPS else ""
SESSION_COOKIE_NAME = f"{_COOKIE_PREFIX}sessionid"
CSRF_COOKIE_NAME = f"{_COOKIE_PREFIX}csrftoken"
CSRF_FAILURE_VIEW = "config.web.answers.csrf_failure"
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
# Django sends no header for 0 seconds: browsers must not remember HTTPS of a site without it.
SECURE_HSTS_SECONDS = 0
if HTTPS:
    SECURE_HSTS_SECONDS = 365 * 24 * 3600
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
# No form takes files. The longest text fills a quarter of this, as it is encoded in a form.
FILE_UPLOAD_HANDLERS = ["config.web.answers.NoUploads"]
DATA_UPLOAD_MAX_MEMORY_SIZE = 256 * 1024

SECURE_CSP = {
    "default-src": ["'self'"],
    "img-src": ["'self'", "data:"],
    "base-uri": ["'none'"],
    "form-action": ["'self'"],
    "frame-ancestors": ["'none'"],
    "object-src": ["'none'"],
}

# --- Django ---

INSTALLED_APPS = [
    "config",
    "dynapages.django",
    "comments",
    "shop",
    "shop.accounts",
    "django_htmx",
    "whitenoise.runserver_nostatic",
    "django.contrib.auth",
    "django.contrib.contenttypes",  # only because django.contrib.auth imports its models
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
]
# A server needs neither the sample shop nor the lab; ninja has the files of the API's page.
INSTALLED_APPS += [name for name in ("demo", "lab", "ninja") if is_installed(name)]

MIDDLEWARE = [
    # Around all calls of a request.
    "config.web.call_stack.CallStackMiddleware",
    # Before the others, because its record is of all that they do.
    "config.web.middleware.RequestMiddleware",
    # Before those that refuse, because refusals are sentences too.
    "django.middleware.locale.LocaleMiddleware",
    "dynapages.django.middleware.BudgetMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "config.web.middleware.PermissionsPolicyMiddleware",
    # It pads what it compresses, so that its length discloses nothing of the tokens in it (BREACH).
    "django.middleware.gzip.GZipMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    django_versions.POLICY_MIDDLEWARE,
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "shop.accounts.sessions.SignedInMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "dynapages.django.middleware.PersonalMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "config.web.middleware.NavigationMiddleware",
    "config.web.middleware.KnownWebhooksMiddleware",
    "shop.accounts.sessions.StaffTimingMiddleware",
    "config.web.middleware.RefusedBodyMiddleware",
    "dynapages.django.middleware.RefusalMiddleware",
    "config.web.middleware.KeptFormMiddleware",
]

if CORS_ALLOWED_ORIGINS:
    INSTALLED_APPS.append("corsheaders")
    MIDDLEWARE.insert(3, "corsheaders.middleware.CorsMiddleware")

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.contrib.auth.context_processors.auth",
                "django.template.context_processors.request",
                "django.contrib.messages.context_processors.messages",
                "config.navigation.navigation",
            ]
        },
    }
]

SESSION_ENGINE = "django.contrib.sessions.backends.signed_cookies"
MESSAGE_STORAGE = "django.contrib.messages.storage.cookie.CookieStorage"

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
LOCALE_PATHS = [BASE_DIR / "config" / "locale"]
FORMAT_MODULE_PATH = "config.locale"
LANGUAGE_COOKIE_NAME = f"{_COOKIE_PREFIX}language"
LANGUAGE_COOKIE_SECURE = HTTPS
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# --- Accounts: see docs/accounts.md ---

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["shop.accounts.backend.ProfileBackend"]
_VALIDATORS = "django.contrib.auth.password_validation"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"{_VALIDATORS}.UserAttributeSimilarityValidator"},
    {"NAME": f"{_VALIDATORS}.MinimumLengthValidator"},
    {"NAME": f"{_VALIDATORS}.CommonPasswordValidator"},
    {"NAME": f"{_VALIDATORS}.NumericPasswordValidator"},
    {"NAME": "shop.accounts.passwords.LengthValidator"},
]
# The first hashes; the others check what was hashed by them before.
PASSWORD_HASHERS = ["shop.accounts.hashing.SiteHasher", *global_settings.PASSWORD_HASHERS[1:]]
PASSWORD_RESET_TIMEOUT = 3_600
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "orders"
TRUSTED_PROXIES = env.integer("TRUSTED_PROXIES", default=0, least=0, most=9)
# A proxy that terminates TLS calls us by http, and names the visitor's scheme in a header.
# Without a trusted proxy that header is the visitor's own, and is ignored.
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if TRUSTED_PROXIES else None

# Without a mail server, e-mails are printed to the console.
MAIL_SERVER = env.text("EMAIL_HOST")
_MAIL_OPTIONS: dict[str, str | int | bool] = {
    "host": MAIL_SERVER,
    "port": env.integer("EMAIL_PORT", default=587, least=1, most=65_535),
    "username": env.text("EMAIL_HOST_USER"),
    "password": env.text("EMAIL_HOST_PASSWORD"),
    "use_tls": env.flag("EMAIL_USE_TLS", default=True),
    "timeout": 10,
}
_MAILER: django_versions.Mailer = {
    "BACKEND": "django.core.mail.backends.console.EmailBackend",
    "OPTIONS": {},
}
if MAIL_SERVER:
    _MAILER = {
        "BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "OPTIONS": _MAIL_OPTIONS,
    }
MAILERS = {"default": _MAILER}
# Django 5.2 reads neither MAILERS nor SECURE_CSP.
globals().update(django_versions.former_settings(_MAILER, SECURE_CSP))
# Whether staff can sign in only with a second factor.
REQUIRE_STAFF_2FA = env.flag("REQUIRE_STAFF_2FA")
# Of the sample shop: a customer, a member of staff, and their password. Its pages offer them.
SAMPLE_SIGN_IN: tuple[str, ...] = ()
if _DEMO and _DEMO.endpoint_url == DYNAMODB_ENDPOINT_URL:
    SAMPLE_SIGN_IN = tuple(_DEMO.sign_in)
# What links in e-mails begin with: anybody can send a request with another host.
SITE_URL = env.url("SITE_URL")
SITE_NAME = "Dynashop"
# Two letters: the first of the countries that an order can go to.
SITE_COUNTRY = env.text("SITE_COUNTRY").upper()
SHOW_COSTS = env.flag("SHOW_COSTS", default=True)
DEFAULT_FROM_EMAIL = env.text("DEFAULT_FROM_EMAIL", f"{SITE_NAME} <dynashop@localhost>")
# User names of those who get an e-mail of what waits, once a day.
MODERATORS = env.words("MODERATORS")

# --- Static files: from their folders, or with STATIC_ROOT as collectstatic collected them ---

STATIC_URL = "static/"
# With the pictures of the documents, which the site shows too.
STATICFILES_DIRS = [
    BASE_DIR / "static",
    ("docs/images", BASE_DIR / "docs" / "images"),
]
STATICFILES_FINDERS = [*global_settings.STATICFILES_FINDERS, "config.web.bundles.BundlesFinder"]
STATIC_ROOT = env.path("STATIC_ROOT")
WHITENOISE_USE_FINDERS = STATIC_ROOT is None
_STATIC_STORAGE = "django.contrib.staticfiles.storage.StaticFilesStorage"
if STATIC_ROOT:
    _STATIC_STORAGE = "whitenoise.storage.CompressedManifestStaticFilesStorage"
STORAGES = {"staticfiles": {"BACKEND": _STATIC_STORAGE}}

# --- Telemetry: see docs/operations.md ---

# Logging is to stderr, one line for a problem, a traceback only for a bug.
LOG_FORMAT = env.choice("LOG_FORMAT", default="line", among=("line", "json"))
# Whether the log has a line for each request.
REQUEST_LOG = env.flag("REQUEST_LOG", default=True)
_REQUEST_LEVEL, _DJANGOS_REQUEST_LEVEL = "WARNING", "INFO"
if REQUEST_LOG:
    # Django's own line would be a second one of the same request.
    _REQUEST_LEVEL, _DJANGOS_REQUEST_LEVEL = "INFO", "ERROR"
_DJANGOS_REQUEST_LOGGER = {"level": _DJANGOS_REQUEST_LEVEL, "propagate": True}
# Whether spans and metrics are sent; OpenTelemetry's own variables say where to.
OPENTELEMETRY = env.flag("OPENTELEMETRY")

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "format": "{asctime} {levelname} {name}: {message}",
            "style": "{",
            "datefmt": "%Y-%m-%dT%H:%M:%S",
        },
        "json": {"()": "config.telemetry.log_lines.JsonLines"},
    },
    "filters": {"refusals": {"()": "config.telemetry.log_lines.RefusalsInOneLine"}},
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "formatter": LOG_FORMAT,
            "filters": ["refusals"],
        }
    },
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        "django": {"handlers": ["stderr"], "level": "INFO", "propagate": False},
        # Sign-ins, failures, decisions of staff: see docs/accounts.md.
        "security": {"level": "INFO"},
        "request": {"level": _REQUEST_LEVEL},
        "django.request": _DJANGOS_REQUEST_LOGGER,
        "django.server": _DJANGOS_REQUEST_LOGGER,
        # Of a collector that is away, what is lost is enough to know.
        "opentelemetry": {"level": "ERROR"},
    },
}

# --- The shop ---

PAGE_SIZE = env.integer("PAGE_SIZE", default=20, least=1, most=500)
COUNTER_SHARDS = env.integer("COUNTER_SHARDS", default=8, least=1, most=64)
ORDER_SHARDS = env.integer("ORDER_SHARDS", default=1, least=1, most=64)
# Days from a delivery to the e-mail that asks for reviews, 0 for none.
REVIEW_REQUEST_DAYS = env.integer("REVIEW_REQUEST_DAYS", default=0, least=0, most=365)
# The activity log, whose tables have provisioned capacity: see docs/designs/activity.md.
ACTIVITY_READ_UNITS = env.integer("ACTIVITY_READ_UNITS", default=5, least=1, most=40_000)
ACTIVITY_WRITE_UNITS = env.integer("ACTIVITY_WRITE_UNITS", default=5, least=1, most=40_000)
ACTIVITY_RETENTION_MONTHS = env.integer("ACTIVITY_RETENTION_MONTHS", default=12, least=1, most=120)

# --- The comments: see docs/installing.md ---

# Commands read comments as the demo does that runs in this checkout.
_READ_MODEL, _KEY_FORMAT, _HAS_SEARCH, _HAS_TOPICS = "indexes", "names", False, False
if RUNNING_DEMO:
    _READ_MODEL = RUNNING_DEMO.read_model
    _KEY_FORMAT = RUNNING_DEMO.sets_key_format
    _HAS_SEARCH = RUNNING_DEMO.has_search
    _HAS_TOPICS = RUNNING_DEMO.has_topics
_IS_SEARCHED = env.flag("COMMENT_SEARCH", default=_HAS_SEARCH)
COMMENTS = {
    "PRODUCTS": "shop.for_comments.PRODUCTS",
    "HAS_BOUGHT": "shop.for_comments.has_bought",
    "FIND_USER": "shop.for_comments.find_user",
    # What decides on comments before they are published: see docs/moderation.md.
    "GATE": env.words("COMMENT_GATE"),
    "HELD_WORDS": env.words("COMMENT_HELD_WORDS"),
    "COUNTER_SHARDS": COUNTER_SHARDS,
    "WRITES_PER_USER": env.integer("COMMENT_WRITES_PER_USER", default=60, least=1, most=10_000),
    "WRITES_PER_ADDRESS": env.integer(
        "COMMENT_WRITES_PER_ADDRESS", default=300, least=1, most=100_000
    ),
    "LANGUAGES_COOKIE": f"{_COOKIE_PREFIX}comment-languages",
    # How the lists of comments are read: see docs/designs/sets.md.
    "READ_MODEL": env.choice("COMMENTS_READ_MODEL", default=_READ_MODEL, among=("indexes", "sets")),
    "SETS_KEY_FORMAT": env.choice(
        "COMMENT_SETS_KEY_FORMAT", default=_KEY_FORMAT, among=("names", "masks")
    ),
    # Whether comments can be searched by their words: see docs/search.md.
    "SEARCH": _IS_SEARCHED,
    "SEARCH_OLDER": env.flag("COMMENT_SEARCH_OLDER", default=False),
    # Whether products show what buyers say, as words that are searched for: see docs/topics.md.
    "TOPICS": env.flag("COMMENT_TOPICS", default=_IS_SEARCHED and _HAS_TOPICS),
}
if COMMENTS["READ_MODEL"] == "sets":
    DYNAMODB_MODELS.append("comments.sets.models.CommentSetItem")
if COMMENTS["SEARCH"]:
    DYNAMODB_MODELS.append("comments.search.models.WordItem")
