"""Telemetry: what is told of requests and calls, in the log and by OpenTelemetry."""
