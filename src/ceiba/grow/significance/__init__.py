"""Growing by significance: p-values that allow for the search over splits."""
