"""Checks that no known mistake needs, kept on purpose, each with its reason.

A check is needed if some mistake fails it and no other. The proof refuses a check that is neither
needed nor named here, and a name here of a check that is needed after all.
"""

REDUNDANT = {
    "projection.shapes": "public: it names the axes, before any number is looked at",
    "projection.worked_example": "public: numbers that the reader knows from the site",
    "projection.linear": "says what a projection is, where the numbers only say it is wrong",
    "projection.repeatable": "chance shows in the numbers, too, but only here is it called chance",
    "scores.shapes": "public: it names the axes, before any number is looked at",
    "scores.worked_example": "public: numbers that the reader knows from the site",
    "scores.bilinear": "says what a dot product is, where the numbers only say it is wrong",
    "scores.batches": "says that items are apart, where the numbers only say they are wrong",
    "scores.repeatable": "chance shows in the numbers, too, but only here is it called chance",
    "scaling.shapes": "public: it names the axes, before any number is looked at",
    "scaling.worked_example": "public: numbers that the reader knows from the site",
    "scaling.saturated_row": "public: the row of numbers that the site explains saturation with",
    "scaling.edges": "the smallest inputs also occur in other checks, but nowhere by that name",
    "scaling.saturation": "says what the scale is for, where the numbers only say it is wrong",
    "scaling.repeatable": "chance shows in the numbers, too, but only here is it called chance",
    "mixing.mix_shapes": "public: it names the axes, before any number is looked at",
    "mixing.attention_shapes": "public: it names the axes, before any number is looked at",
    "mixing.mix_example": "public: numbers that the reader knows from the site",
    "mixing.attention_example": "public: numbers that the reader knows from the site",
    "mixing.convex": "says what a mix is, where the numbers only say it is wrong",
    "mixing.permutations": "says that places carry no meaning, where the numbers show no reason",
    "mixing.self_attention": "equal axes hide most mistakes and bring out a few, also elsewhere",
    "residual.add_shapes": "public: it names the axes, before any number is looked at",
    "residual.block_shapes": "public: it names the axes, before any number is looked at",
    "residual.add_example": "public: numbers that the reader knows from the site",
    "residual.block_example": "public: numbers that the reader knows from the site",
    "residual.nothing_to_add": "says what the stream is for, where numbers only say it is wrong",
    "residual.output_weights": "says what W_O is for, where the numbers only say they are wrong",
    "softmax.shapes": "public: it names the axes, before any number is looked at",
    "softmax.worked_example": "public: numbers that the reader knows from the site",
    "softmax.edges": "the smallest inputs also occur in other checks, but nowhere by that name",
    "softmax.shift_and_order": "says what a weight is for, where the numbers only say it is wrong",
    "softmax.repeatable": "chance shows in the numbers, too, but only here is it called chance",
}
