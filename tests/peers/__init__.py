"""Test suites of other libraries, run with the estimators of ceiba in place of theirs."""
