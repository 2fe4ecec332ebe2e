"""Commands that show a fitted tree or write it in another form."""
