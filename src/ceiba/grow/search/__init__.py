"""Trees that are searched for, not grown greedily, and the certificate of how good they are.

`options.py` and `certificate.py` are values; `find.py` is the grower behind them, `progress.py`
tells how far it is, `alternatives.py` lists trees about as good.
"""
