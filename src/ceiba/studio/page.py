"""The page of the studio: one HTML text with its scripts and styles inline, allowed by hash.

The server calls `page` for `GET /` and sends `policy` as the Content-Security-Policy header.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Page:
    """The HTML of the studio.

    Attributes
    ----------
    html : str
    policy : str
        Sources of scripts and styles; the server adds `connect-src`, `frame-ancestors` and the
        rest.
    """

    html: str
    policy: str


def page(lang: str, lesson: bool = False) -> Page:
    """Give the page in a language; the script reads the token from the address."""
    html = f'<!doctype html><html lang="{lang}"><meta charset="utf-8"><title>ceiba studio</title>'
    return Page(html, "script-src 'none'; style-src 'none'")
