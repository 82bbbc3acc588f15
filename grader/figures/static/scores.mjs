// Figure 2. Q · Kᵀ = S: every query meets every key; then n grows and the scores grow with its square.
import { matmul, shape, transpose } from "./tensor.mjs";
import { figures, fill, formula, frame, h, labels, matrix, num, products, put, result, size, slider, svg, symbol, text, workings, yours } from "./ui.mjs";

export const lengths = [2, 4, 8, 16, 32, 64];
// How many numbers Q and K hold together, and how many scores they make.
export const cost = (n, dK) => ({ inputs: 2 * n * dK, scores: n * n });

const cellSize = 4;
// One small square a score, at the same size for every n: the picture's area is the cost.
function square(n) {
  const side = n * cellSize, full = lengths.at(-1) * cellSize, gap = 8;
  const lines = Array.from({ length: n + 1 }, (_, k) => `M${gap + k * cellSize} ${gap}v${side}M${gap} ${gap + k * cellSize}h${side}`);
  return svg("svg", { class: "f-square", role: "img", width: full + gap + 1, height: full + gap + 1, "aria-label": `${n} queries by ${n} keys: ${text(n * n)} scores` },
    svg("rect", { class: "f-frame", x: gap, y: gap, width: full, height: full }),
    svg("rect", { class: "f-keys", x: gap, y: 0, width: side, height: 4 }), svg("rect", { class: "f-queries", x: 0, y: gap, width: 4, height: side }),
    svg("rect", { class: "f-area", x: gap, y: gap, width: side, height: side }), svg("path", { class: "f-lines", d: lines.join("") }));
}
function grow(model, dK) {
  const n = lengths[model.get("length") ?? 2], rows = [...lengths, 1024, 32768].map((m) => [m, cost(m, dK).inputs, cost(m, dK).scores]);
  return [h("div", { class: "f-pair" }, square(n),
    figures("Cost of n tokens", ["n", "numbers in Q and K", "scores in S"], rows, lengths.indexOf(n))),
  h("p", { class: "f-says", role: "status" }, num(n), " tokens: ", num(cost(n, dK).scores), " scores. Twice the tokens: ", num(cost(2 * n, dK).scores), " scores, four times as many.")];
}
function product(model) {
  const q = model.get("Q"), k = model.get("K"), turned = transpose(k), s = result(model, "S", matmul(q, turned));
  const [n, dK] = shape(q), [m] = shape(k), queries = labels(model, "tokens", n), keys = labels(model, "key_tokens", m), channels = labels(model, "channels", dK);
  const [i, j] = model.get("selected") ?? [0, 0], pick = (to) => put(model, "selected", to);
  const tables = h("div", { class: "f-scroll" }, h("div", { class: "f-corner is-wide" },
    matrix({ name: "K", values: k, rows: keys, cols: channels, row: j, bare: "is-key" }),
    matrix({ name: "Kᵀ", values: turned, rows: channels, cols: keys, col: j, inner: 0 }), workings(q[i], k[j]),
    matrix({ name: "Q", values: q, rows: queries, cols: channels, row: i, inner: 1, bare: "is-headless" }),
    matrix({ name: "S", of: s, rows: queries, cols: keys, out: [i, j], at: [i, j], pick, bare: "is-bare" })),
  h("p", { class: "f-sum" }, "Row ", h("b", {}, keys[j]), " of ", symbol("K"), " is column ", h("b", {}, keys[j]), " of ", symbol("Kᵀ"), ".   ", formula("Q · Kᵀ = S"), "   ", size(n, dK, 1), " · ", size(dK, m, 0), " = ", size(n, m), "   ", h("code", {}, "s = q @ k.mT")));
  const line = [symbol("S"), `[${queries[i]}, ${keys[j]}] = `, products(q[i], k[j]), " = ", num(s.reference[i][j], { class: "f-green" }), yours(s, i, j)];
  return { s, tables, line, dK };
}

function render(context) {
  return frame(context, ["Q", "K", "selected", "length"], ({ model, body, line }) => {
    const above = h("div", {}), below = h("div", { class: "f-body" });
    const stops = slider("Tokens n", lengths, () => model.get("length") ?? 2, (at) => put(model, "length", at));
    const task = h("p", { class: "f-task" }, "Move n. How do the scores grow when the tokens double?");
    body.append(above, line, h("div", { class: "f-second" }, task, stops.field, below));
    return () => {
      const drawn = product(model);
      fill(above, drawn.tables);
      fill(line, drawn.line);
      stops.show();
      fill(below, grow(model, drawn.dK));
      return [drawn.s];
    };
  });
}
export default { render };
