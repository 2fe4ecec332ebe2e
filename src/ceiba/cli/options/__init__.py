"""Define command options: flags, help, completion, and the estimators that they configure."""
