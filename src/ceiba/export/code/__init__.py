"""The tree as code that answers alone: C, JavaScript, Python, SQL."""
