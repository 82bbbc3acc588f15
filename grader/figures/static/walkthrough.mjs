// Figure 5. The worked example in six phases: a token chosen once is followed through all of them.
import { add, matmul, scale, shape, softmax, sum, transpose } from "./tensor.mjs";
import { arrow, bar, caption, equation, fill, formula, frame, h, labels, matrix, num, products, prose, put, radios, result, symbol } from "./ui.mjs";

// Every quantity of one attention block, from X and the four weights.
export function block({ X, W_Q, W_K, W_V, W_O }) {
  const Q = matmul(X, W_Q), K = matmul(X, W_K), V = matmul(X, W_V), S = matmul(Q, transpose(K));
  const Z = scale(S, 1 / Math.sqrt(Q[0].length)), A = Z.map(softmax), O = matmul(A, V), U = matmul(O, W_O);
  return { Q, K, V, S, Z, A, O, U, Y: add(X, U) };
}

function projected(v) {
  const X = v.matrix("X", v.X, v.features, { row: v.i });
  return [X, h("div", { class: "f-row" }, v.matrix("Q", v.Q, v.looks, { row: v.i }), v.matrix("K", v.K, v.looks, { row: v.i, bare: "is-key" }), v.matrix("V", v.V, v.gives, { out: [v.i] }))];
}
const scored = (v) => [v.matrix("Q", v.Q, v.looks, { row: v.i }), v.matrix("K", v.K, v.looks), v.matrix("S", v.S, v.tokens, { out: [v.i] })];
const divided = (v) => [v.matrix("S", v.S, v.tokens, { row: v.i }), v.matrix("Z", v.Z, v.tokens, { out: [v.i] })];
const weighed = (v) => [v.matrix("Z", v.Z, v.tokens, { row: v.i }),
  v.matrix("A", v.A, v.tokens, { out: [v.i], extra: { title: "Σ", values: v.A.values.map(sum) } })];
const mixed = (v) => [v.matrix("A", v.A, v.tokens, { row: v.i }), v.matrix("V", v.V, v.gives), v.matrix("O", v.O, v.gives, { out: [v.i] })];
const written = (v) => [v.matrix("O", v.O, v.gives, { row: v.i }),
  matrix({ name: "W_O", values: v.given.W_O, rows: v.gives, cols: v.features }), v.matrix("Y", v.Y, v.features, { out: [v.i] })];

// A table of steps: heads, then rows of [name, cells…]; `total` is set apart below a rule.
function steps(title, heads, rows, total) {
  const kind = (c) => typeof c !== "number" && "is-text";
  const line = ([name, ...cells]) => h("tr", {}, h("th", { scope: "row" }, name), cells.map((c) => h("td", { class: kind(c) }, typeof c === "number" ? num(c) : c)));
  return h("div", { class: "f-scroll" }, h("table", { class: "f-table f-steps" }, caption(title),
    h("thead", {}, h("tr", {}, heads.map((c, k) => (c ? h("th", { scope: "col", class: kind(rows[0][k]) }, c) : h("td", {}))))), h("tbody", {}, rows.map(line)), total && h("tfoot", {}, line(total))));
}
const row = (values) => h("span", { class: "f-vector" }, "[", values.map((x, k) => [k ? " " : null, num(x)]), "]");

function projecting({ i, token, X, Q, K, V, given, features }) {
  const used = X.reference[i].map((x, f) => [x, f]).filter(([x]) => x);
  return steps(["What ", token, " carries, and the weight rows that it picks"], ["feature", "amount", ...["W_Q", "W_K", "W_V"].map((name) => [symbol(name), " row"])],
    used.map(([x, f]) => [features[f], [num(x), " ×"], row(given.W_Q[f]), row(given.W_K[f]), row(given.W_V[f])]),
    ["sum", "", ...[Q, K, V].map(({ reference }) => row(reference[i]))]);
}
function scoring({ i, token, tokens, Q, K, S }) {
  return steps(["The query of ", token, " against every key"], ["key", "q · k", "score"],
    tokens.map((key, j) => [key, products(Q.reference[i], K.reference[j]), S.reference[i][j]]));
}
function dividing({ i, token, tokens, Q, S, Z }) {
  const d = Q.reference[0].length;
  return steps(["The scores of ", token, ", divided by √", symbol("d_k")], ["key", "division", "scaled"],
    tokens.map((key, j) => [key, [num(S.reference[i][j]), " / √", num(d)], Z.reference[i][j]]));
}
function weighing({ i, token, tokens, Z, A }) {
  const powers = Z.reference[i].map(Math.exp), total = sum(powers);
  return steps(["How ", token, " spends its budget of 1"], ["key", "z", "eᶻ", "weight = eᶻ / Σ", ""],
    tokens.map((key, j) => [key, Z.reference[i][j], powers[j], A.reference[i][j], bar(A.reference[i][j], "is-out")]),
    ["Σ", "", total, sum(A.reference[i]), ""]);
}
function mixing({ i, token, tokens, A, V, O, gives }) {
  return steps(["The output of ", token, ": every value, as much as its weight allows"], ["key", "weight × value", ...gives],
    tokens.map((key, j) => [key, [num(A.reference[i][j]), " × ", row(V.reference[j])], ...V.reference[j].map((v) => A.reference[i][j] * v)]),
    ["sum", "", ...O.reference[i]]);
}
function writing({ i, token, X, U, Y, features }) {
  return steps(["What ", token, " carries on"], ["", ...features],
    [["x", ...X.reference[i]], [["+ o", symbol("W_O")], ...U.reference[i]]], ["new x", ...Y.reference[i]]);
}

// The sentence under the phase, in the words of the example where it has them.
function leaders(row, names) {
  const most = Math.max(...row), same = names.filter((_, j) => Math.abs(row[j] - most) < 1e-9);
  return [same.map((name, k) => [k ? " and " : null, h("b", {}, name)]), ": ", num(most), same.length > 1 && " each", "."];
}
const sentences = [
  ({ i, Q, looks }) => {
    const wants = (sign) => looks.filter((_, c) => sign * Q.reference[i][c] > 0).join(" and ");
    return ["looks for ", wants(1) || "nothing", wants(-1) && ` and away from ${wants(-1)}`, "."];
  },
  ({ i, S, tokens }) => ["scores highest with ", leaders(S.reference[i], tokens)],
  ({ i, S, Z, Q }) => ["has scores between ", num(Math.min(...S.reference[i])), " and ", num(Math.max(...S.reference[i])), "; divided by √", num(Q.reference[0].length), " = ",
    num(Math.sqrt(Q.reference[0].length)), ", they keep their order and lie between ", num(Math.min(...Z.reference[i])), " and ", num(Math.max(...Z.reference[i])), "."],
  ({ i, A, tokens }) => ["gives the most to ", leaders(A.reference[i], tokens)],
  ({ i, O, gives }) => ["takes up the most of ", leaders(O.reference[i], gives)],
  ({ i, U, features }) => {
    const gains = features.map((f, k) => [f, U.reference[i][k]]).filter(([, u]) => u);
    return ["gains ", gains.map(([f, u], k) => [k ? ", " : "", f, " ", num(u)]), "; all else stays."];
  },
];

// What each phase shows: `main` its matrices, `steps` the arithmetic of the token that is followed.
const phases = [
  { name: "Q, K, V", title: "Project: three readings of one stream", equation: "Q = X W_Q,   K = X W_K,   V = X W_V", shows: ["Q", "K", "V"], main: projected, steps: projecting },
  { name: "S", title: "Score: every query meets every key", equation: "S = Q Kᵀ", shows: ["S"], main: scored, steps: scoring },
  { name: "S / √d_k", title: "Scale: divide by √d_k", equation: "Z = S / √d_k", shows: ["Z"], main: divided, steps: dividing },
  { name: "A", title: "Softmax: each row becomes a budget of 1", equation: "A = softmax(Z), row by row", shows: ["A"], main: weighed, steps: weighing },
  { name: "O", title: "Mix: a weighted sum of the values", equation: "O = A V", shows: ["O"], main: mixed, steps: mixing },
  { name: "X + O W_O", title: "Add: write the result back to the stream", equation: "Y = X + O W_O, the new stream", shows: ["Y"], main: written, steps: writing },
];

function gather(model) {
  const given = Object.fromEntries(["X", "W_Q", "W_K", "W_V", "W_O"].map((name) => [name, model.get(name)]));
  const all = block(given), shown = (name) => result(model, name, all[name]), [n, dModel] = shape(given.X), i = Math.min(model.get("token") ?? 1, n - 1);
  const tokens = labels(model, "tokens", n), features = labels(model, "features", dModel);
  const view = Object.fromEntries(Object.keys(all).map((name) => [name, shown(name)]));
  const draw = (name, of, cols, lit) => matrix({ name, of, rows: tokens, cols, ...lit });
  return { ...view, X: { reference: given.X, values: given.X, wrong: () => false }, given, i, tokens, features, token: tokens[i],
    looks: labels(model, "qk_channels", all.Q[0].length), gives: labels(model, "v_channels", all.V[0].length), matrix: draw };
}

// The phase in the address, on pages that ask for it: #walkthrough-4.
const address = /^#walkthrough-([1-6])$/;
function followAddress(model) {
  if (!model.get("address")) return () => {};
  const read = () => { const found = address.exec(location.hash); if (found) put(model, "phase", Number(found[1]) - 1); };
  read();
  window.addEventListener("hashchange", read);
  return () => window.removeEventListener("hashchange", read);
}
function go(model, to) {
  put(model, "phase", to);
  if (model.get("address")) history.replaceState(null, "", `#walkthrough-${to + 1}`);
}

function rail(phase, choose) {
  const buttons = phases.map(({ name }, k) => h("button", { type: "button", "data-focus": "phase" }, h("span", { class: "f-number" }, k + 1), " ", equation(name)));
  const list = h("ol", { class: "f-rail", "aria-label": "Phases" }, buttons.map((b) => h("li", {}, b)));
  buttons.forEach((b, k) => b.addEventListener("click", () => choose(k)));
  list.addEventListener("keydown", (event) => {
    const to = arrow(event.key, [0, phase()], [1, phases.length]);
    if (to && to[1] !== phase()) choose(to[1]);
    if (to) event.preventDefault();
  });
  const show = () => buttons.forEach((b, k) => {
    b.tabIndex = k === phase() ? 0 : -1;
    k === phase() ? b.setAttribute("aria-current", "step") : b.removeAttribute("aria-current");
  });
  return { list, show };
}

function render(context) {
  const { model } = context, forget = followAddress(model);
  const phase = () => model.get("phase") ?? 0, choose = (to) => go(model, to);
  const stop = frame(context, ["X", "W_Q", "W_K", "W_V", "W_O", "phase", "token"], ({ controls, body, line }) => {
    const steer = rail(phase, choose), names = labels(model, "tokens", model.get("X").length);
    const tokens = radios("Token", names, () => Math.min(model.get("token") ?? 1, names.length - 1), (i) => put(model, "token", i));
    const [back, on] = [["← Previous", -1], ["Next →", 1]].map(([name, by]) => {
      const button = h("button", { type: "button", class: "f-button" }, name);
      button.addEventListener("click", () => { if (button.getAttribute("aria-disabled") !== "true") choose(phase() + by); });
      return button;
    });
    controls.append(steer.list, h("div", { class: "f-bar-of-controls" }, tokens.field, h("span", { class: "f-buttons" }, back, on)));
    return () => {
      const p = phase(), v = gather(model);
      steer.show(); tokens.show();
      back.setAttribute("aria-disabled", String(p === 0));
      on.setAttribute("aria-disabled", String(p === phases.length - 1));
      fill(body, h("p", { class: "f-phase" }, h("span", {}, `${p + 1}. `, prose(phases[p].title)), formula(phases[p].equation)),
        h("div", { class: "f-scroll" }, h("div", { class: "f-row" }, phases[p].main(v))), phases[p].steps(v));
      fill(line, h("b", {}, v.token), " ", sentences[p](v));
      return phases[p].shows.map((name) => v[name]);
    };
  });
  return () => { forget(); stop(); };
}
export default { render };
