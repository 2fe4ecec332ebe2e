"""Splits that are given, not searched for: reading them, parting rows by them, growing below."""
