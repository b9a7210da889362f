"""The start of a server process, after its settings were checked."""

from django.core.checks import CheckMessage


def start_errors() -> list[CheckMessage]:
    """Start the work behind the requests; return what keeps the process from serving."""
    from shop.activity.recording import LOG  # noqa: PLC0415 - the settings are loaded by now

    LOG.resume()
    return []
