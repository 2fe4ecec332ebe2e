"""Trees that are searched for, not grown greedily.

`options.py` holds values; `find.py` is the grower behind them, `progress.py` tells how far it is,
`alternatives.py` lists trees about as good.
"""
