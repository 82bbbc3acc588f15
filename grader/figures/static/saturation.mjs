// Figure 4. Softmax of one row, raw and scaled, while d_k grows: without the scale it saturates.
import { entropy, jacobianNorm, softmax, sum } from "./tensor.mjs";
import { bar, caption, fill, figures, frame, h, num, prose, put, result, slider, symbol } from "./ui.mjs";

export const dims = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

// Scores whose spread grows as that of dot products does: √d_k times a row that stays.
export const rawRow = (row, dK) => row.map((x) => x * Math.sqrt(dK));

function panel(title, kind, scores, of, at, gradients) {
  const weights = of.values[at];
  const row = (w, j) => h("tr", { class: of.wrong(at, j) && "is-wrong" }, h("th", { scope: "row" }, `key ${j + 1}`), h("td", {}, num(scores[j])),
    h("td", {}, h("div", { class: "f-weight" }, bar(w, kind), num(w),
      of.wrong(at, j) && h("span", {}, h("span", { class: "f-mark" }, "≠"), " ", h("span", { class: "f-sr" }, "reference "), num(of.reference[at][j])))));
  const foot = [["sum of weights", sum(weights)], ["entropy in nats", entropy(weights)], ...gradients].map(([name, value]) =>
    h("tr", {}, h("th", { scope: "row", colspan: 2 }, name), h("td", {}, num(value))));
  return h("div", { class: "f-scroll" }, h("table", { class: "f-table f-bars", "data-panel": kind }, caption(prose(title)),
    h("thead", {}, h("tr", {}, ["key", "score", "weight"].map((c) => h("th", { scope: "col" }, c)))), h("tbody", {}, weights.map(row)), h("tfoot", {}, foot)));
}
const everyStep = (raw, small, at) => figures("Every step", ["d_k", "largest raw weight", "entropy, raw", "‖∂w/∂s‖, raw", "‖∂w/∂s‖, scaled"],
  dims.map((d, t) => [d, Math.max(...raw[t]), entropy(raw[t]), jacobianNorm(raw[t]), jacobianNorm(small[t]) / Math.sqrt(d)]), at);

function render(context) {
  return frame(context, ["row", "step"], ({ model, controls, body, line }) => {
    const step = () => model.get("step") ?? 6;
    const stepper = slider("Width of the keys d_k", dims, step, (at) => put(model, "step", at));
    const panels = h("div", { class: "f-pair is-even" }), all = h("div", {});
    controls.append(stepper.field);
    body.append(panels, h("details", {}, h("summary", {}, "All steps as a table"), all));
    return () => {
      const base = model.get("row"), at = step(), d = dims[at];
      const raw = result(model, "raw", dims.map((width) => softmax(rawRow(base, width))), "raw weights");
      const small = result(model, "scaled", dims.map(() => softmax(base)), "scaled weights");
      const steep = jacobianNorm(raw.reference[at]), kept = jacobianNorm(small.reference[at]) / Math.sqrt(d);
      stepper.show();
      fill(panels,
        panel("softmax(s), raw", "is-raw", rawRow(base, d), raw, at, [["gradient ‖∂w/∂s‖", jacobianNorm(raw.values[at])]]),
        panel("softmax(s / √d_k), scaled", "is-scaled", base, small, at, [["gradient ‖∂w/∂s‖", jacobianNorm(small.values[at]) / Math.sqrt(d)]]));
      fill(all, everyStep(raw.reference, small.reference, at));
      fill(line, "At ", symbol("d_k"), " = ", num(d), " the gradient that reaches the scores is ", num(kept / steep), " times as large with the scale as without it.");
      return [raw, small];
    };
  });
}
export default { render };
