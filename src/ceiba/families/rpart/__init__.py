"""R's rpart: its estimators, complexity, cross-validation and printed figures."""
