"""Options of the commands: flags, their help and completion, and estimators made from them."""
