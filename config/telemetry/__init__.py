"""Telemetry: what is recorded of requests and calls, in the log and by OpenTelemetry."""
