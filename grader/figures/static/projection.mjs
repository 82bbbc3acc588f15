// Figure 1. X · W_Q = Q: any cell of Q, the row and the column that made it, and their sum of products.
import { matmul, shape, transpose } from "./tensor.mjs";
import { fill, formula, frame, h, labels, matrix, num, products, put, result, size, symbol, workings, yours } from "./ui.mjs";

function render(context) {
  return frame(context, ["X", "W_Q", "selected"], ({ model, body, line }) => () => {
    const x = model.get("X"), weight = model.get("W_Q"), q = result(model, "Q", matmul(x, weight));
    const [n, dModel] = shape(x), dK = shape(weight)[1];
    const tokens = labels(model, "tokens", n), features = labels(model, "features", dModel), channels = labels(model, "channels", dK);
    const [i, j] = model.get("selected") ?? [0, 0], pick = (to) => put(model, "selected", to);
    const column = transpose(weight)[j];
    fill(body, h("div", { class: "f-scroll" }, h("div", { class: "f-corner" },
      h("div", { class: "f-sum" },
        h("p", {}, formula("X · W_Q = Q")),
        h("p", {}, size(n, dModel, 1), " · ", size(dModel, dK, 0), " = ", size(n, dK)),
        h("p", {}, h("code", {}, "q = x @ w_q")),
        workings(x[i], column)),
      h("div", { class: "f-over" }, matrix({ name: "W_Q", values: weight, rows: features, cols: channels, col: j, inner: 0 })),
      matrix({ name: "X", values: x, rows: tokens, cols: features, row: i, inner: 1, bare: "is-below" }),
      matrix({ name: "Q", of: q, rows: tokens, cols: channels, out: [i, j], at: [i, j], pick, bare: "is-bare" }))));
    fill(line, symbol("Q"), `[${tokens[i]}, ${channels[j]}] = `, products(x[i], column), " = ", num(q.reference[i][j], { class: "f-green" }), yours(q, i, j));
    return [q];
  });
}
export default { render };
