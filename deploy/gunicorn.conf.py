"""gunicorn's settings, each of which follows from MAX_CONCURRENT_REQUESTS.

    gunicorn --config deploy/gunicorn.conf.py

A process works on so many requests at once, lets four times as many wait, and refuses the others
at once (see config/web/shedding.py); a sixth of the threads is left for that and for health checks.
"""

import ctypes
import gc
import os

concurrent_requests = int(os.environ.get("MAX_CONCURRENT_REQUESTS") or 4)

wsgi_app = "config.wsgi:application"
# gthread's, which spreads connections that are kept alive over the processes.
worker_class = "config.web.gunicorn_worker.EvenWorker"
workers = int(os.environ.get("WEB_CONCURRENCY") or 2)
threads = 6 * concurrent_requests
# Connections that a process holds, most of them kept alive between two requests of a browser.
worker_connections = 16 * threads
# Connections that the kernel holds before any process takes them.
backlog = 16 * threads
graceful_timeout = 10
# gunicorn's own lines are objects of JSON where the site's are.
if os.environ.get("LOG_FORMAT") == "json":
    logconfig_dict = {
        "formatters": {"json": {"()": "config.telemetry.log_lines.JsonLines"}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
        "root": {},
        "loggers": {
            "gunicorn.error": {"level": "INFO", "handlers": ["stderr"], "propagate": False}
        },
    }
# Nobody uses it, and it would need a home that can be written to.
control_socket_disable = True
# Else glibc gives threads heaps of their own, up to eight for each core: 27 MB for two processes.
M_ARENA_MAX, HEAPS = -8, 2
if hasattr(libc := ctypes.CDLL(None), "mallopt"):
    libc.mallopt(M_ARENA_MAX, HEAPS)
# Loaded once, before the processes fork: they share the memory of the code and of the model.
preload_app = True


def when_ready(_server: object) -> None:
    """Load the language model (a second and 70 MB) and the templates before there are requests."""
    from comments.posting.languages import load_model  # noqa: PLC0415 - the path is set by now
    from dynapages.django.jinja import compile_templates  # noqa: PLC0415 - the same

    load_model()
    compile_templates()
    gc.collect()
    gc.freeze()  # what is collected never is not copied, either
