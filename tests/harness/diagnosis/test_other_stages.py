"""What is said of answers to stages whose functions add, project and scale, known and unknown."""

import pytest

from harness.diagnosis.telling import told


def lines(head: str, *body: str) -> str:
    return f"def {head}:\n" + "\n".join(f"    {line}" for line in body)


def scale(*body: str) -> str:
    return lines("scale_scores(scores, d_k)", *body)


def scores(*body: str) -> str:
    return lines("attention_scores(q, k)", *body)


def project(project_line: str, qkv_line: str) -> str:
    both = lines("project(x, weight)", project_line)
    return f"{both}\n\n{lines('project_qkv(x, w_q, w_k, w_v)', qkv_line)}"


RIGHT_QKV = "return project(x, w_q), project(x, w_k), project(x, w_v)"

MEASURED = {
    "general/affine": (
        "scaling",
        scale("return scores - d_k"),
        "times 2.646, plus -7",
    ),
    "general/row_offsets": (
        "scores",
        scores("return q @ k.mT + q.abs().sum(-1, True)"),
        "Each row is the right one plus a number of its own",
    ),
    "general/one_sign": (
        "projection",
        project("return F.leaky_relu(x @ weight, 0.3)", RIGHT_QKV),
        "Numbers that must be positive are right; those that must be negative are not",
    ),
    "general/same_order": (
        "scores",
        scores("return (q @ k.mT) ** 3"),
        "as if a function had been applied to every number",
    ),
    "general/same_for_rows": (
        "scores",
        scores("return q @ k.mT + k.sin().sum(-1).unsqueeze(-2)"),
        "the same for every query",
    ),
    "general/numbers": (
        "scores",
        scores("s = q @ k.mT", "return s if q.shape != k.shape else s + q.square() @ k.mT"),
        "Ordinary inputs come out right. Wrong are: as many queries as keys",
    ),
    "general/combination": (
        "residual",
        lines("add_residual(x, update)", "return x + 0.5 * update")
        + "\n\n"
        + lines("attention_block(x, w_q, w_k, w_v, w_o)", "raise NotImplementedError"),
        "stream is 1 times x plus 0.5 times update",
    ),
}

IN_OTHER_WORDS = {
    "projection/matrices_only": (
        "projection",
        project("return torch.einsum('nm,md->nd', x, weight)", RIGHT_QKV),
    ),
    "projection/nothing_returned": ("projection", project("x @ weight", RIGHT_QKV)),
    "projection/three_not_returned": (
        "projection",
        project("return x @ weight", "project(x, w_q)"),
    ),
    "projection/queries_only": (
        "projection",
        project("return x @ weight", "return x @ w_q"),
    ),
    "scaling/same_for_one": (
        "scaling",
        scale("if d_k > 1:", "    scores = scores * d_k**-0.5", "return scores"),
    ),
}


@pytest.mark.parametrize("id_", MEASURED)
def test_what_no_bank_knows_is_measured(id_: str) -> None:
    stage, text, words = MEASURED[id_]
    found = told(stage, text)
    assert {d.match for d in found} == {"property"}
    message = next(d.message for d in found if words in d.message)
    assert next(d.id for d in found if d.message == message) == id_


@pytest.mark.parametrize("id_", IN_OTHER_WORDS)
def test_what_a_bank_knows_is_named_once(id_: str) -> None:
    """A mistake of one function is not told again of another function that calls it."""
    stage, text = IN_OTHER_WORDS[id_]
    assert [(d.id, d.match) for d in told(stage, text)] == [(id_, "exact")]


def test_an_error_in_all_calls_is_no_known_limit() -> None:
    """Where everything raises, the same type of error alone proves nothing."""
    found = told("scores", scores("return q.squish(k)"))
    assert {d.match for d in found} == {"property"}
