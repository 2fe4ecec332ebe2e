"""Options of the commands: flags, help, completion, and the estimators that they configure."""
