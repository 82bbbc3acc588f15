import subprocess
import sys

import numpy as np
import pytest

from grader.figures import worked_example
from grader.figures.example import MATRICES
from harness.figures.oracle import FACTS, block, fact, softmax


@pytest.mark.parametrize("name", sorted(block()))
def test_every_derived_number_follows_from_the_given_ones(name: str) -> None:
    np.testing.assert_allclose(fact(name), block()[name], rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", MATRICES)
def test_the_typed_example_is_the_file(name: str) -> None:
    array = getattr(worked_example(), name)
    np.testing.assert_array_equal(array, fact(name))
    with pytest.raises(ValueError, match="read-only"):
        array[0, 0] = 1


def test_two_tokens_and_the_saturation_row() -> None:
    two = worked_example().two_tokens
    np.testing.assert_array_equal(two["X"] @ two["W_Q"], two["Q"])
    np.testing.assert_array_equal(two["X"] @ two["W_K"], two["K"])
    np.testing.assert_array_equal(two["Q"] @ two["K"].T, two["S"])
    assert worked_example().saturation_raw.tolist() == [24, 13, 8, 12]
    np.testing.assert_array_equal(np.array(FACTS["saturation_row"]["raw"]) / 8, [3, 1.625, 1, 1.5])
    assert softmax(worked_example().saturation_scaled).round(2).tolist() == [0.62, 0.16, 0.08, 0.14]


def test_the_output_weight_writes_four_features_and_leaves_the_rest() -> None:
    example = worked_example()
    written = {
        channel: example.features[int(row.argmax())]
        for channel, row in zip(example.v_channels, example.W_O, strict=True)
    }
    assert written == {"who": "alive", "doing": "moves", "where": "place", "grammar": "article"}
    kept = [example.features.index(name) for name in ("noun", "verb", "adverb", "first")]
    np.testing.assert_array_equal(example.Y[:, kept], example.X[:, kept])
    assert not np.array_equal(example.W_O, example.W_V.T)


def test_the_package_is_light() -> None:
    script = (
        "import sys, grader.figures as f; f.worked_example(); f.figure_html('cloud')\n"
        "print([m for m in ('torch', 'anywidget', 'ipywidgets') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_an_unknown_name_is_an_attribute_error() -> None:
    import grader.figures

    with pytest.raises(AttributeError, match="Nothing"):
        _ = grader.figures.Nothing
