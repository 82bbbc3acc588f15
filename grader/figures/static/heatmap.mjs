// Figure 6. The attention weights as a map, one row's budget, and what it adds when a value is near zero.
import { matmul, norm, shape, sum } from "./tensor.mjs";
import { bar, caption, fill, frame, h, labels, matrix, num, put, result } from "./ui.mjs";

export const nearZero = 0.01;
export const quieted = (v, j) => v.map((row, k) => (k === j ? row.map((x) => x * nearZero) : row));
// What key j adds to the output of query i: weight times value, as a vector.
export const contribution = (a, v, i, j) => v[j].map((x) => a[i][j] * x);

function budget({ a, v, i, j, tokens, keys, largest, quiet }) {
  const row = (key, k) => h("tr", { class: k === j && "is-current" }, h("th", { scope: "row" }, key),
    h("td", {}, h("div", { class: "f-weight" }, bar(a[i][k], "is-row"), num(a[i][k]))), h("td", { class: k === j && quiet && "is-quiet" }, num(norm(v[k]))),
    h("td", {}, h("div", { class: "f-weight" }, bar(norm(contribution(a, v, i, k)) / largest, "is-out"), num(norm(contribution(a, v, i, k))))));
  return h("div", { class: "f-scroll" }, h("table", { class: "f-table f-bars" }, caption("How ", h("b", {}, tokens[i]), " spends its budget, and what comes of it"),
    h("thead", {}, h("tr", {}, ["key", "weight", "‖value‖", "‖weight × value‖"].map((c) => h("th", { scope: "col" }, c)))),
    h("tbody", {}, keys.map(row)),
    h("tfoot", {}, h("tr", {}, h("th", { scope: "row" }, "Σ"), h("td", {}, num(sum(a[i]))), h("td", { colspan: 2 })))));
}
const sentence = ({ a, i, j, tokens, keys, values }) => [h("b", {}, tokens[i]), " gives ", h("b", {}, keys[j]), " ", num(a[i][j], { class: "f-blue" }),
  " of its budget. That adds a vector of length ", num(norm(contribution(a, values, i, j)), { class: "f-green" }), "; with the value near zero the same weight adds ",
  num(norm(contribution(a, quieted(values, j), i, j)), { class: "f-green" }), "."];

function render(context) {
  return frame(context, ["A", "V", "selected", "quiet"], ({ model, body, line }) => {
    const map = h("div", {}), table = h("div", {}), output = h("div", {}), name = h("span", {});
    const box = h("input", { type: "checkbox", role: "switch" }), field = h("label", { class: "f-switch" }, box, name);
    box.addEventListener("change", () => put(model, "quiet", box.checked));
    body.append(h("div", { class: "f-pair is-map" }, map, h("div", { class: "f-grow" }, field, table, output)));
    return () => {
      const weights = model.get("A"), values = model.get("V"), n = shape(weights)[0], tokens = labels(model, "tokens", n);
      const [i, j] = model.get("selected") ?? [0, 0], quiet = !!model.get("quiet"), v = quiet ? quieted(values, j) : values;
      const a = result(model, "A", weights), o = quiet ? { values: matmul(weights, v), wrong: () => false } : result(model, "O", matmul(weights, v));
      const keys = labels(model, "key_tokens", values.length), gives = labels(model, "v_channels", values[0].length);
      const largest = Math.max(...weights.flatMap((row, r) => row.map((_, k) => norm(contribution(weights, values, r, k)))));
      box.checked = quiet;
      fill(name, "Set the value of ", h("b", {}, keys[j]), " near zero (× ", num(nearZero), ")");
      fill(map, h("div", { class: "f-scroll" }, matrix({ name: "A", of: a, rows: tokens, cols: keys, out: [i, j], at: [i, j], heat: true, bare: "is-heatmap",
        pick: (to) => put(model, "selected", to) })), h("p", { class: "f-scale" }, num(0), h("span", { "aria-hidden": "true" }), num(1)));
      fill(output, h("div", { class: "f-scroll" }, matrix({ name: "O", of: o, rows: tokens, cols: gives, out: [i] })));
      fill(table, budget({ a: weights, v, i, j, tokens, keys, largest, quiet }));
      fill(line, sentence({ a: weights, i, j, tokens, keys, values }));
      return quiet ? [a] : [a, o];
    };
  });
}
export default { render };
