"""Commands that apply a model to rows: predictions, evaluation, explanations."""
