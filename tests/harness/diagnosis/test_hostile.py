"""Whatever an answer returns or raises, diagnosing it ends in words, not in an error of ours."""

import pytest

from harness.diagnosis.telling import softmax, told

ODD = {
    "nothing": "return None",
    "a number": "return 3",
    "text": "return 'weights'",
    "a scalar": "return scores.sum()",
    "no numbers": "return scores[..., :0]",
    "empty": "return torch.empty(0)",
    "many axes": "return scores[None, None, None, None]",
    "integers": "return scores.nan_to_num().long()",
    "booleans": "return scores > 0",
    "complex": "return scores * 1j",
    "sparse": "return scores.to_sparse()",
    "meta": "return scores.to('meta')",
    "nan": "return scores * float('nan')",
    "infinite": "return scores * 0 + float('inf')",
    "a parameter": "return torch.nn.Parameter(scores.detach())",
    "the argument": "return scores",
    "a view": "return scores.view(scores.shape)",
    "a tuple": "return scores, scores",
    "a generator": "return (row for row in scores)",
    "a module": "return torch.nn.Linear(2, 2)",
    "expanded": "return scores[..., :1].expand_as(scores)",
    "resized argument": "return scores.resize_(1)",
    "exit": "raise SystemExit(0)",
    "odd exception": "raise type('Odd', (Exception,), {'__str__': lambda self: 1 / 0})()",
    "group": "raise ExceptionGroup('two', [ValueError(1), TypeError(2)])",
    "deep": "return row_softmax(scores)",
    "state": "row_softmax.n = getattr(row_softmax, 'n', 0) + 1\n    return scores * row_softmax.n",
    "random": "return torch.rand_like(scores)",
    "random shape": "return torch.rand(*torch.randint(1, 5, (2,)).tolist())",
    "print where nothing is known": "print('x')\n    return scores.exp().cumsum(-1)",
    "print": "print('x' * 10000)\n    import warnings\n    warnings.warn('w')\n    return scores",
}


@pytest.mark.parametrize("name", ODD)
def test_odd_answers_are_told_in_words(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    found = told("softmax", softmax(ODD[name]))
    assert found
    assert all(diagnosis.message for diagnosis in found)
    assert capfd.readouterr() == ("", "")
