"""Estimators and tables beyond memory."""
