"""The studio: a tree grown by hand, with the data, in the browser."""

from __future__ import annotations
