"""Tokens of RT-1 and RT-1-X: there and back again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills.policies.tokens import RT1X, TokenCodec, decode, encode

BINS = st.sampled_from([256, 512])
RANGES = st.tuples(st.floats(-10, 9), st.floats(0.01, 10)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@given(BINS, RANGES)
def test_every_token_comes_back(bins, ends):
    tokens = np.arange(bins)
    assert (encode(decode(tokens, *ends, bins), *ends, bins) == tokens).all()


@given(st.floats(0, 1), BINS, RANGES)
def test_a_value_comes_back_at_most_a_bin_lower(share, bins, ends):
    low, high = ends
    value = low + share * (high - low)
    width = (high - low) / (bins - 1)
    back = float(decode(encode(value, low, high, bins), low, high, bins))
    assert -2e-6 * width <= value - back < width * (1 + 1e-6)


@given(st.floats(-1e308, 1e308), BINS, RANGES)  # the float after the largest is infinite
def test_any_number_has_a_bin_and_order_is_kept(value, bins, ends):
    low, high = ends
    token = int(encode(value, low, high, bins))
    assert 0 <= token < bins
    assert int(encode(np.nextafter(value, np.inf), low, high, bins)) >= token
    if value <= low:
        assert token == 0
    if value >= high:
        assert token == bins - 1


def test_ends_are_bins():
    assert decode([0, 511], -2, 2, 512).tolist() == [-2, 2]
    assert encode([-2, 2, -99, 99], -2, 2, 512).tolist() == [0, 511, 0, 511]
    assert encode(0.0, -1.0, 1.0, 256) == 127  # the middle of an even number of bins is between two


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_finite_is_refused(value):
    with pytest.raises(ValueError, match="not finite"):
        encode([0.0, value], -1, 1, 256)


@pytest.mark.parametrize("token", [-1, 512])
def test_what_is_no_token_is_refused(token):
    with pytest.raises(ValueError, match=r"outside 0\.\.511"):
        decode([token], -1, 1, 512)


@given(st.lists(st.integers(0, 511), min_size=10, max_size=10), st.integers(0, 2))
def test_an_action_of_rt1x_comes_back(rest, mode):
    tokens = [mode, *rest]
    assert RT1X.length == 11
    assert RT1X.encode(*RT1X.decode(tokens)).tolist() == tokens


@given(st.integers(3, 511))
def test_a_mode_that_is_none_is_the_last_one(token):
    assert RT1X.decode([token, *[0] * 10])[0] == "other"
    assert RT1X.decode([0] * 11)[0] == "terminate"


def test_wrong_sizes_are_refused():
    with pytest.raises(ValueError, match="11 tokens"):
        RT1X.decode([0] * 10)
    _, values = RT1X.decode([0] * 11)
    with pytest.raises(ValueError, match="world_vector takes 3"):
        RT1X.encode("other", {**values, "world_vector": [1.0]})
    assert TokenCodec(256, ("other",), ()).length == 1
