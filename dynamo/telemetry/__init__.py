"""Telemetry: a line of the log for each request, and spans and metrics by OpenTelemetry."""
