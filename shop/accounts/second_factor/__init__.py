"""The second factor: codes of an app besides the password (TOTP), and recovery codes."""
