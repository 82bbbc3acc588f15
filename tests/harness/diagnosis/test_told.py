"""What is said of answers: known mistakes in other words, two at once, and ones in no bank."""

import re

import pytest

from grader.record import OUT_OF_TIME, CheckResult, Status
from grader.subject.protocol import Sources
from harness.diagnosis.telling import FAILED, ROOT, diagnoser, softmax, told

IN_OTHER_WORDS = {
    "softmax/columns": softmax(
        "e = torch.exp(scores - torch.max(scores, dim=-2, keepdim=True)[0])",
        "return e / torch.einsum('...qk->...k', e)[..., None, :]",
    ),
    "softmax/no_shift": softmax(
        "total = sum(scores[..., i].exp() for i in range(scores.shape[-1]))",
        "return scores.exp() / total.unsqueeze(-1)",
    ),
    "softmax/loop_over_first_axis": softmax(
        "out = torch.empty_like(scores)",
        "for i, row in enumerate(scores):",
        "    out[i] = torch.exp(row - row.max()) / torch.exp(row - row.max()).sum()",
        "return out",
    ),
    "softmax/float32_inside": softmax(
        "s = scores.to(torch.float32)",
        "return (s - s.logsumexp(-1, True)).exp().to(scores.dtype)",
    ),
    "softmax/half_inside": softmax(
        "e = (scores.half() - scores.half().amax(-1, True)).exp()",
        "return (e * (1 / e.sum(-1, True))).double().to(scores.dtype)",
    ),
    "softmax/cut_off": softmax(
        "with torch.no_grad():", "    return (scores - scores.logsumexp(-1, True)).exp()"
    ),
    "softmax/scores_returned": softmax("weights = scores * 1", "return weights"),
    "softmax/dropout": softmax(
        "w = (scores - scores.logsumexp(-1, True)).exp()", "return w * (torch.rand_like(w) > 0.5)"
    ),
    "softmax/viewed": softmax(
        "rows = scores.view(-1, scores.shape[-1])",
        "return (rows - rows.logsumexp(-1, True)).exp().reshape(scores.shape)",
    ),
    "softmax/logsumexp_without_keepdim": softmax(
        "total = scores.exp().sum(-1).log()",
        "return (scores - scores.logsumexp(-1)).exp() if total.ndim else scores * 0 + 1",
    ),
    "softmax/mean_for_sum": softmax(
        "w = (scores - scores.logsumexp(-1, True)).exp()", "return w * scores.shape[-1]"
    ),
}

TWO_AT_ONCE = {
    ("softmax/columns", "softmax/no_shift"): softmax(
        "w = torch.exp(scores)", "return w / w.sum(-2, True)"
    ),
    ("softmax/sum_of_columns", "softmax/shifted_in_place"): softmax(
        "scores -= scores.amax(-1, True)",
        "return scores.exp() / scores.exp().sum(-2, True)",
    ),
    ("softmax/no_shift", "softmax/written_over"): softmax(
        "scores.copy_(scores.exp() / scores.exp().sum(-1, True))", "return scores"
    ),
    ("softmax/twice", "softmax/cut_off"): softmax(
        "w = (scores - scores.logsumexp(-1, True)).exp()",
        "return (w - w.logsumexp(-1, True)).exp().detach()",
    ),
}

IMPORTS = "from .mixing import attention\nfrom .projection import project, project_qkv\n\n\n"
REFUSED = "def add_residual(x, update):\n    if x.shape != update.shape:\n        raise "
RESIDUAL = (ROOT / "solutions/residual.py").read_text(encoding="utf-8")
BLOCK = "".join(RESIDUAL.partition("def attention_block")[1:])


def adding(first: str) -> str:
    """A module that adds x and update, and does something else first."""
    return f"{IMPORTS}def add_residual(x, update):\n    {first}\n    return x + update\n\n\n{BLOCK}"


LINEAR = (
    "def project(x, weight):\n"
    "    layer = torch.nn.Linear(*weight.shape, bias={bias}, dtype=x.dtype)\n{given}"
    "    return layer(x)\n\n\n"
    "def project_qkv(x, w_q, w_k, w_v):\n"
    "    return project(x, w_q), project(x, w_k), project(x, w_v)\n"
)
GPU = (ROOT / "solutions/gpu.py").read_text(encoding="utf-8")
CUDA, INDENT = '"cuda" if torch.cuda.is_available() else "cpu"', 8 * " "
COPIED = "    layer.weight.data.copy_(weight.T)\n"

ONLY = {
    "an exception is none other": (
        "residual",
        f'{IMPORTS}{REFUSED}TypeError("not the same")\n    return x + update\n\n\n{BLOCK}',
        ["residual/type_error"],
    ),
    "an error that is made and not raised": (
        "residual",
        adding('if x.shape != update.shape:\n        ValueError("not the same")'),
        ["residual/shapes_not_compared"],
    ),
    "a refusal of everything is no comparison the wrong way round": (
        "residual",
        adding('if x.size != update.size:\n        raise ValueError("shapes differ")'),
        ["residual/always_refused"],
    ),
    "two axes that must both differ are not the first or the last alone": (
        "residual",
        adding(
            "if x.shape[-1] != update.shape[-1] and x.shape[-2] != update.shape[-2]:\n"
            '        raise ValueError("unequal")'
        ),
        ["residual/both_must_differ"],
    ),
    "one bias makes nothing random": (
        "gpu",
        GPU.replace(
            "self.W_V = nn.Linear(d_model, d_k, bias=False)", "self.W_V = nn.Linear(d_model, d_k)"
        ),
        ["gpu/bias_of_values"],
    ),
    "more passes than were asked for are not the last one": (
        "gpu",
        GPU.replace("range(repeats)", "range(20)"),
        ["gpu/repeats_by_habit"],
    ),
    "a text is no exception": (
        "residual",
        f'{IMPORTS}{REFUSED}"not the same"\n    return x + update\n\n\n{BLOCK}',
        ["residual/text_raised"],
    ),
    "the given weights with a bias": (
        "projection",
        LINEAR.format(bias=True, given=COPIED),
        ["projection/random_bias", "projection/weight_cut_off"],
    ),
    "drawn weights without a bias": (
        "projection",
        LINEAR.format(bias=False, given=""),
        ["projection/fresh_weights"],
    ),
    "a place is no maximum": (
        "softmax",
        softmax("e = (scores - scores.max(-1, True).indices).exp()", "return e / e.sum(-1, True)"),
        ["softmax/place_subtracted"],
    ),
    "no maximum is no place": (
        "softmax",
        softmax("e = (scores - 1).exp()", "return e / e.sum(-1, True)"),
        ["softmax/no_shift"],
    ),
    "the right mix in the wrong order": (
        "mixing",
        "from .scaling import scale_scores\nfrom .scores import attention_scores\n"
        "from .softmax import row_softmax\n\n\n"
        "def mix_values(weights, v):\n    return weights @ v\n\n\n"
        "def attention(q, k, v):\n    scores = scale_scores(attention_scores(q, k), q.shape[-1])\n"
        "    return mix_values(v, row_softmax(scores))\n",
        ["mixing/values_before_weights"],
    ),
    "a device of one's own choice": (
        "gpu",
        GPU.replace(f"{INDENT}q,", f"{INDENT}x = x.to({CUDA})\n{INDENT}q,"),
        ["gpu/moved_to_cuda_or_cpu"],
    ),
    "drawn weights with a bias": (
        "projection",
        LINEAR.format(bias=True, given=""),
        ["projection/random_bias", "projection/fresh_weights"],
    ),
}

IN_NO_BANK = {
    "times three": (
        softmax("return 3 * (scores - scores.logsumexp(-1, True)).exp()"),
        ("right one times 3",),
    ),
    "fourth powers": (
        softmax("return scores ** 4 / (scores ** 4).sum(-1, True)"),
        ("Your rows add up to 1", "yours", "expected"),
    ),
    "rolled": (
        softmax("return (scores - scores.logsumexp(-1, True)).exp().roll(1, -1)"),
        ("moved on by one along key",),
    ),
    "floor on small scores": (
        softmax(
            "s = (scores - scores.amax(-1, True)).clamp(min=-2)",
            "return s.exp() / s.exp().sum(-1, True)",
        ),
        ("yours", "expected"),
    ),
    "a constant": (softmax("return scores * 0 + 0.5"), ("Every number of weights is 0.5",)),
    "zeros": (softmax("return torch.zeros_like(scores)"), ("is 0",)),
    "a larger epsilon": (
        softmax(
            "e = (scores - scores.amax(-1, True)).exp()",
            "return e / (e.sum(-1, True) + 1e-7)",
        ),
        ("off by only", "small constant"),
    ),
    "an extra axis": (
        softmax("return (scores - scores.logsumexp(-1, True)).exp().unsqueeze(0)"),
        ("numbers are right, but their shape is not",),
    ),
    "numpy returned": (
        softmax("return np.exp(scores.detach().numpy())"),
        ("numpy.ndarray",),
    ),
    "a typing slip": (softmax("return scorse"), ("scorse", "line 7")),
    "max without values": (
        softmax("return (scores - scores.max(dim=-1)).exp()"),
        ("`.values`", "(query 6, key 5)"),
    ),
    "a number of math": (softmax("return math.exp(scores)"), ("one Python number",)),
    "the argument changed": (
        softmax("w = scores.exp().cumsum(-1)", "scores.data.zero_()", "return w"),
        ("changed its argument scores", "after the call it is 0", "Make a new tensor"),
    ),
}


@pytest.mark.parametrize("id_", IN_OTHER_WORDS)
def test_a_known_mistake_is_named_however_it_is_written(id_: str) -> None:
    assert [(d.id, d.match) for d in told("softmax", IN_OTHER_WORDS[id_])] == [(id_, "exact")]


@pytest.mark.parametrize("ids", TWO_AT_ONCE, ids="+".join)
def test_two_mistakes_are_both_named(ids: tuple[str, str]) -> None:
    found = told("softmax", TWO_AT_ONCE[ids])
    assert {d.id for d in found} == set(ids)
    assert {d.match for d in found} == {"exact"}


@pytest.mark.parametrize("name", ONLY)
def test_what_looks_like_another_mistake_is_told_from_it(name: str) -> None:
    stage, text, ids = ONLY[name]
    assert [d.id for d in told(stage, text)] == ids


OF_ONE_KIND = {
    "nan for a single score": (
        "scaling",
        "def scale_scores(scores, d_k):\n    return scores / scores.std()",
        "In the others your numbers are inf or nan.",
    ),
    "few digits after the shift": (
        "softmax",
        softmax(
            "e = (scores - scores.amax(-1, True)).half().exp()",
            "return (e / e.sum(-1, True)).to(scores.dtype)",
        ),
        "In the others there are no more digits than those of float16.",
    ),
}


@pytest.mark.parametrize("name", OF_ONE_KIND)
def test_what_a_mistake_leaves_over_is_no_other_one_if_it_is_of_its_kind(name: str) -> None:
    stage, text, words = OF_ONE_KIND[name]
    (found,) = told(stage, text)
    assert words in found.message
    assert "something else" not in found.message


def test_a_small_difference_is_shown_with_all_the_digits_that_it_takes() -> None:
    text = "def scale_scores(scores, d_k):\n    return scores / (d_k**0.5 + 1e-5)\n"
    (found,) = told("scaling", text)
    assert "off by only 4e-06 of the largest" in found.message
    assert "a factor of its own" not in found.message
    rows = re.findall(r"^ +(-?\d\.\d+) +(-?\d\.\d+)$", found.message, re.MULTILINE)
    assert rows
    assert all(yours != expected for yours, expected in rows)


def test_rows_with_nan_are_no_multiples_of_right_ones() -> None:
    text = softmax("d = scores.unsqueeze(-2) - scores.unsqueeze(-1)", "return 1 / d.exp().sum(-1)")
    (found,) = told("softmax", text)
    assert "numbers are nan" in found.message
    assert "factor" not in found.message


def test_what_holds_of_all_results_is_said_once() -> None:
    text = (
        "def project(x, weight):\n    return x @ weight\n\n"
        "def project_qkv(x, w_q, w_k, w_v):\n    return x @ w_q, x @ w_k, x @ w_v, x\n"
    )
    (found,) = told("projection", text)
    assert found.message == "project_qkv: returned a tuple of 4 where several tensors are due."


@pytest.mark.parametrize("name", IN_NO_BANK)
def test_an_unknown_mistake_is_measured_and_never_named(name: str) -> None:
    text, words = IN_NO_BANK[name]
    found = told("softmax", text)
    assert found
    assert {d.match for d in found} == {"property"}
    message = "\n".join(d.message for d in found)
    assert all(word in message for word in words), message


def test_an_unwritten_function_is_only_called_unwritten() -> None:
    found = told("softmax", softmax('raise NotImplementedError("write me")'))
    assert [d.id for d in found] == ["general/not_written"]


def test_what_pytorch_has_not_implemented_is_not_called_unwritten() -> None:
    found = told("softmax", softmax("return scores ^ scores"))
    assert found
    assert not any(d.id == "general/not_written" for d in found)
    assert not any("Not written yet" in d.message for d in found)


def test_a_forbidden_built_in_is_called_so() -> None:
    (found,) = told("softmax", softmax("return F.softmax(scores, dim=-2)"))
    assert found.id == "general/forbidden"
    assert "line 7" in found.message


def test_a_missing_function_is_called_missing() -> None:
    (found,) = told("softmax", "def softmax(scores):\n    return scores")
    assert found.id == "general/missing"


def test_of_two_functions_each_gets_its_own_sentence() -> None:
    text = (
        "def project(x, weight):\n    return x @ weight\n\n"
        "def project_qkv(x, w_q, w_k, w_v):\n    raise NotImplementedError('later')\n"
    )
    (found,) = told("projection", text)
    assert found.id == "general/not_written"
    assert "later" in found.message


def test_nothing_is_said_where_no_check_failed() -> None:
    diagnose = diagnoser()
    passed = [check.__class__(**{**vars(check), "status": Status.PASSED}) for check in FAILED]
    assert diagnose(diagnose.course.stage("softmax"), None, passed) == ()  # type: ignore[arg-type]


def test_what_ran_out_of_time_is_not_run_again() -> None:
    diagnose = diagnoser()
    late = CheckResult("c", "t", True, Status.ERROR, 0, 1, f"{OUT_OF_TIME} 5 s. Does a loop …?")
    endless = Sources("softmax", {"softmax": softmax("while True: pass")})
    assert diagnose(diagnose.course.stage("softmax"), endless, [late]) == ()


def test_figures_are_the_learners_own() -> None:
    (found,) = told("softmax", IN_OTHER_WORDS["softmax/columns"])
    assert "Your columns sum to 1, your rows to 0." in found.message


def test_a_figure_is_measured_where_its_own_mistake_shows() -> None:
    found = {
        d.id: d.message
        for d in told("softmax", softmax("w = scores.exp()", "return w / w.sum(-2, True)"))
    }
    assert "Your largest score here was 1e+04" in found["softmax/no_shift"]


def test_a_factor_is_known_by_the_sizes_that_make_it() -> None:
    text = "def scale_scores(scores, d_k):\n    return scores * math.sqrt(scores.shape[-2] / d_k)"
    (found,) = told("scaling", text)
    assert found.id == "general/ratio"
    assert "2.449, which is √query with query = 6" in found.message


def test_a_factor_that_fits_by_luck_is_not_explained() -> None:
    text = "def scale_scores(scores, d_k):\n    return scores * math.sqrt(6 / d_k)"
    (found,) = told("scaling", text)
    assert found.id == "general/ratio"
    assert "which is" not in found.message


def test_what_a_batch_breaks_is_said_to_be_the_batch() -> None:
    text = softmax(
        "w = (scores - scores.logsumexp(-1, True)).exp()",
        "return w * (1 + 0.1 * (scores.ndim > 2))",
    )
    (found,) = told("softmax", text)
    assert "Without a batch axis your answer is right" in found.message
