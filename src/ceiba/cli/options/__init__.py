"""Options of the commands: flags, help, shell completion, and estimators made from options."""
