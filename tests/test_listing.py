"""Listings: small tables of figures."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from ceiba import OptionError
from ceiba.listing import Listing


@pytest.fixture
def listing():
    columns = {"name": ["a", "bb"], "gain": np.array([0.5, 1 / 3]), "sizes": [(1, 2), (3,)]}
    return Listing(columns, title="two", legend="gain: how much")


def test_listing_prints_title_columns_and_legend(listing):
    expected = (
        "two\nname      gain  sizes\na          0.5  1 | 2\nbb    0.333333  3\ngain: how much"
    )
    assert str(listing) == repr(listing) == expected


def test_listing_gives_columns_and_rows(listing):
    assert listing.columns == ("name", "gain", "sizes")
    assert len(listing) == 2
    assert "gain" in listing
    assert listing.row(0) == {"name": "a", "gain": 0.5, "sizes": (1, 2)}
    assert [row["name"] for row in listing] == ["a", "bb"]


def test_listing_is_read_only(listing):
    with pytest.raises(ValueError, match="read-only"):
        listing["gain"][0] = 7.0


def test_listing_does_not_freeze_the_array_it_was_given():
    mine = np.array([1.0])
    Listing({"x": mine})
    mine[0] = 2.0


def test_listing_of_unknown_column_gets_a_hint(listing):
    with pytest.raises(OptionError, match="Did you mean 'gain'"):
        listing["gains"]


def test_listing_of_different_lengths_is_refused():
    with pytest.raises(OptionError, match="same length"):
        Listing({"a": [1], "b": [1, 2]})


def test_listing_compares_by_content(listing):
    assert pickle.loads(pickle.dumps(listing)) == listing
    assert listing != Listing({"name": ["a", "bb"]})
    assert listing != 3


def test_long_listing_shows_both_ends():
    text = str(Listing({"i": np.arange(1000)}))
    assert "... 940 more rows ..." in text
    assert text.splitlines()[-1].strip() == "999"
    assert len(text.splitlines()) == 62


def test_flags_are_shown_as_yes():
    assert str(Listing({"chosen": [True, False]})).splitlines()[1] == "yes"


def test_empty_listing_prints_its_header():
    assert str(Listing({"a": [], "b": []})) == "a  b"


def test_listing_turns_into_plain_lists(listing):
    assert listing.to_dict()["name"] == ["a", "bb"]
