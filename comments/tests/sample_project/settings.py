"""All settings that the app needs in a project, and no more."""

SECRET_KEY = "tests"  # noqa: S105 - it guards nothing
ALLOWED_HOSTS = ["testserver"]
ROOT_URLCONF = "sample_project.urls"
USE_TZ = True
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "dynapages.django",
    "django_htmx",
    "comments",
    "sample_project",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "dynapages.django.middleware.BudgetMiddleware",
    "dynapages.django.middleware.RefusalMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STATIC_URL = "/static/"
LOGIN_URL = "/accounts/login/"

SITE_NAME = "Sample"
PAGE_SIZE = 5
DYNAMODB_TABLE_PREFIX = "sample-"
DYNAMODB_MODELS = ["comments.models.Comment", "comments.search.models.WordItem"]
COMMENTS = {
    "PRODUCTS": "sample_project.products.PRODUCTS",
    "HAS_BOUGHT": "sample_project.products.has_bought",
    "SEARCH": True,
}
