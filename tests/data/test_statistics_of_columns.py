"""The statistics of columns and pictures of LeRobot data sets, against numpy over all of the values."""

from __future__ import annotations

import numpy as np
import pytest

from homie.data.lerobot.statistics import NAMES, PictureStatistics, is_whole, of_numbers, together

QUANTILES = {"q01": 0.01, "q10": 0.1, "q50": 0.5, "q90": 0.9, "q99": 0.99}


def expected_statistics(values: np.ndarray) -> dict[str, np.ndarray]:
    """By column of (n, d)."""
    simple = {name: getattr(values, name)(axis=0) for name in ("min", "max", "mean", "std")}
    return simple | {name: np.quantile(values, share, axis=0) for name, share in QUANTILES.items()}


def test_of_a_column() -> None:
    values = np.random.default_rng(1).normal(3.0, 2.0, (200, 3)).astype(np.float32)
    statistics = of_numbers(values)
    assert set(statistics) == set(NAMES) == {*QUANTILES, "min", "max", "mean", "std", "count"}
    for name, right in expected_statistics(values.astype(np.float64)).items():
        np.testing.assert_allclose(statistics[name], right, rtol=1e-6)
    assert statistics["count"].tolist() == [200]
    flat = of_numbers(values[:, 0])
    assert flat["mean"].shape == (1,) and flat["mean"][0] == pytest.approx(statistics["mean"][0])


@pytest.mark.parametrize("channels", [1, 3, 4])
def test_of_pictures_by_channel(channels: int) -> None:
    rng = np.random.default_rng(2)
    pictures = [rng.integers(low, low + 150, (48, 60, 3), dtype=np.uint8) for low in (10, 80)]
    counted = PictureStatistics(channels)
    for picture in pictures:
        counted.add(picture)
    statistics = counted.result()
    drawn = min(channels, 3)
    values = np.concatenate([picture.reshape(-1, 3) for picture in pictures])[:, :drawn] / 255.0
    for name, right in expected_statistics(values).items():
        assert statistics[name].shape == (drawn, 1, 1)
        np.testing.assert_allclose(statistics[name][:, 0, 0], right, atol=1.01 / 255 if name in QUANTILES else 1e-9)
    assert statistics["count"].tolist() == [2], "pictures, not pixels"


def test_of_large_pictures_about_64_pixels_of_a_side_are_counted() -> None:
    """A large one has what is in it everywhere: a stripe of every second column is not all that is seen."""
    picture = np.zeros((256, 320, 3), np.uint8)
    picture[:, 160:] = 200
    counted = PictureStatistics()
    counted.add(picture)
    statistics = counted.result()
    assert statistics["mean"][0, 0, 0] == pytest.approx(100 / 255, abs=0.01)
    assert (statistics["min"][0, 0, 0], statistics["max"][0, 0, 0]) == (0.0, pytest.approx(200 / 255))
    tiny = PictureStatistics()
    tiny.add(np.full((4, 5, 3), 51, np.uint8))
    assert tiny.result()["mean"][1, 0, 0] == pytest.approx(0.2) and tiny.result()["std"][1, 0, 0] == 0.0


def test_of_several_episodes_together() -> None:
    """As of all frames at once; quantiles are means by length, as LeRobot has them."""
    rng = np.random.default_rng(3)
    parts = [rng.normal(middle, 1.0, (length, 2)) for middle, length in ((0.0, 30), (5.0, 90))]
    statistics = together([of_numbers(part) for part in parts])
    right = expected_statistics(np.concatenate(parts))
    for name in ("min", "max", "mean", "std"):
        np.testing.assert_allclose(statistics[name], right[name])
    assert statistics["count"].tolist() == [120]
    for name, share in QUANTILES.items():
        first, other = (np.quantile(part, share, axis=0) for part in parts)
        np.testing.assert_allclose(statistics[name], (30 * first + 90 * other) / 120)


def test_of_pictures_of_several_episodes_together() -> None:
    results = []
    for value, number in ((51, 1), (102, 3)):
        counted = PictureStatistics()
        for _ in range(number):
            counted.add(np.full((8, 8, 3), value, np.uint8))
        results.append(counted.result())
    statistics = together(results)
    assert statistics["mean"].shape == (3, 1, 1)
    np.testing.assert_allclose(statistics["mean"][:, 0, 0], (0.2 + 3 * 0.4) / 4)
    np.testing.assert_allclose(statistics["std"][:, 0, 0], 0.2 * np.sqrt(3) / 4)


def test_what_lacks_a_number_or_has_one_that_is_not_finite_is_not_whole() -> None:
    complete = of_numbers(np.arange(4.0))
    assert is_whole(complete) and not is_whole(None)
    for name in NAMES:
        assert not is_whole({other: value for other, value in complete.items() if other != name})
        assert not is_whole({**complete, name: np.array([np.nan])})
