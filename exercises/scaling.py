"""Stage 3: keep the scores in a range where softmax can learn.

A score is a sum of d_k products. If the features are independent with mean 0 and variance 1, each
product has variance 1 and the sum has variance d_k: scores grow like √d_k. Softmax turns such
large differences into weights of almost 0 and 1, whose gradient is almost zero. Dividing by the
standard deviation brings the variance back to 1, whatever d_k is:

    S / √d_k        (Vaswani et al. 2017, section 3.2.1)
"""

import math

from torch import Tensor


def scale_scores(scores: Tensor, d_k: int) -> Tensor:
    """Divide the scores by the square root of the number of features: S / √d_k.

    Args:
        scores: attention scores, shape (..., n_q, n_k).
        d_k: how many features a query and a key have; a Python int of at least 1.

    Returns:
        Scaled scores, same shape and dtype. The scores handed in stay as they were.
    """
    raise NotImplementedError("divide scores by the square root of d_k, in a new tensor")
