"""Commands around the tables that come with the package."""
