// What the six figures share: elements, numbers, matrices, keys, and the frame around each figure.
import { differs, shape } from "./tensor.mjs";

function element(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes))
    if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value);
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}
export const h = (tag, attributes = {}, ...children) =>
  element(document.createElement(tag), attributes, children);
export const svg = (tag, attributes = {}, ...children) =>
  element(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

// Rounding, the same everywhere (and in numbers.py): in full where a number has at most three
// decimals, but for the last bits; from 1,000 on to the nearest whole; else two decimals, and what
// those would show as zero as a power of ten.
const superscript = (n) => [...String(n)].map((d) => (d === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[d])).join("");
const minus = (shown) => shown.replace("-", "−");
export function text(value) {
  if (!Number.isFinite(value)) return minus(String(value).replace("Infinity", "∞"));
  const short = Number(value.toFixed(3));
  if (Math.abs(value) >= 1000) return minus(Number(value.toFixed(0)).toLocaleString("en-GB"));
  if (Math.abs(value - short) <= 1e-12 * Math.abs(value)) return minus(String(short + 0));
  if (Math.abs(value) >= 0.005) return minus(value.toFixed(2));
  const [mantissa, power] = value.toExponential(1).split("e");
  return `${minus(mantissa)}·10${superscript(Number(power))}`;
}
// Two numbers that differ must not read alike.
function apart(own, reference) {
  for (let d = 2; d < 9 && text(own) === text(reference); d++)
    if (own.toFixed(d) !== reference.toFixed(d)) return [own, reference].map((x) => minus(x.toFixed(d)));
  return [text(own), text(reference)];
}
export const num = (value, attributes = {}) => h("span", { "data-value": String(value), ...attributes }, text(value));
export const factor = (value, attributes) => (value < 0 ? ["(", num(value, attributes), ")"] : num(value, attributes));

// A matrix and its transpose are one quantity.
const quantity = (name) => name.replace("ᵀ", "");
// "W_Q" is W with the subscript Q, "Kᵀ" is K transposed.
export function symbol(name) {
  const [base, below] = quantity(name).split("_");
  return h("span", { class: "f-name", "data-name": quantity(name) }, base, below && h("sub", {}, below), name.endsWith("ᵀ") && h("sup", {}, "T"));
}
// A sentence with the names in it set as symbols.
const names = /\b(W_[QKVO]|d_(?:k|v|model)|[A-Z]ᵀ)/;
export const prose = (sentence) => sentence.split(names).map((part, k) => (k % 2 ? symbol(part) : part));
// The same for a sentence with `code` and *stress* in it.
const marked = (sentence) => sentence.split(/(`[^`]+`|\*\S[^*]*\S\*)/).map((part, k) => (k % 2 ? h(part[0] === "*" ? "em" : "code", {}, part.slice(1, -1)) : prose(part)));
// An equation: every name a symbol, the rest as it stands.
export const equation = (written) => written.split(/([A-Za-z]+_[A-Za-z]|[A-Z]ᵀ?(?![a-z]))/).map((part, k) => (k % 2 ? symbol(part) : part));
// An equation to walk through: one tab stop, arrows inside; what has the focus is marked in the figure.
export function formula(written) {
  const terms = equation(written).map((part) => (typeof part === "string" ? part
    : h("button", { type: "button", class: "f-point", tabindex: -1 }, part)));
  const stops = terms.filter((term) => typeof term !== "string"), whole = h("span", { class: "f-equation", role: "group", "aria-label": "Formula" }, terms);
  stops[0].tabIndex = 0;
  whole.addEventListener("keydown", (event) => {
    const to = arrow(event.key, [0, stops.indexOf(event.target)], [1, stops.length]);
    if (!to) return;
    event.preventDefault();
    stops.forEach((stop, k) => { stop.tabIndex = k === to[1] ? 0 : -1; });
    stops[to[1]].focus();
  });
  return whole;
}
export const plain = (name) => name.replace("_", " ");
// New contents for an element that stays.
export const fill = (node, ...children) => { node.replaceChildren(); return element(node, {}, children); };
export const size = (n, m, inner) =>
  ["(", h("span", { class: inner === 0 && "f-inner" }, n), " × ", h("span", { class: inner === 1 && "f-inner" }, m), ")"];
export const indices = (n) => Array.from({ length: n }, (_, i) => String(i));
export const labels = (model, key, n) => (model.get(key)?.length === n ? model.get(key) : indices(n));

// Σ left·right, one span a term; data-k ties a term to the two cells that it came from.
export const products = (left, right) =>
  left.map((x, k) => [k ? " + " : null,
    h("span", { class: x * right[k] ? "f-term" : "f-term f-zero", "data-k": k },
      factor(x, { class: "f-blue" }), "·", factor(right[k], { class: "f-red" }))]);

// The same, one line a term, for the eye beside the rows of a matrix; the line below says it in full.
export const workings = (left, right) => h("div", { class: "f-workings", "aria-hidden": "true" }, left.map((x, k) =>
  h("div", { class: x * right[k] ? "f-term" : "f-term f-zero", "data-k": k }, factor(x, { class: "f-blue" }), "·", factor(right[k], { class: "f-red" }), " = ", num(x * right[k]))));

export const put = (model, key, value) => { model.set(key, value); model.save_changes(); };

// Where a key leads inside an n × m grid; null for any other key.
export function arrow(key, [i, j], [n, m]) {
  const to = { ArrowUp: [i - 1, j], ArrowDown: [i + 1, j], ArrowLeft: [i, j - 1], ArrowRight: [i, j + 1],
    Home: [i, 0], End: [i, m - 1] }[key];
  return to ? [Math.min(Math.max(to[0], 0), n - 1), Math.min(Math.max(to[1], 0), m - 1)] : null;
}

// One quantity as the reader asked to see it: the reference's, or the learner's own where it fits.
export function result(model, name, reference, title = plain(name)) {
  const own = model.get("view") === "reference" ? null : model.get("mine")?.[name] ?? null;
  const complaint = own === null ? null : misfit(title, own, reference);
  const values = own === null || complaint ? reference : own.map((row) => row.map(Number));
  const wrong = (i, j) => values !== reference && differs(values[i][j], reference[i][j]);
  return { name, title, reference, values, complaint, wrong };
}
export const yours = ({ wrong, values }, i, j) => wrong(i, j) && [" (yours: ", num(values[i][j]), ")"];
function misfit(title, own, reference) {
  if (typeof own === "string") return `Your ${title} could not be computed. ${own} The reference is shown.`;
  const [n, m] = shape(reference), got = shape(own);
  const fits = got.length === 2 && got[0] === n && own.every((row) => row.length === m);
  return fits ? null : `The shape of your ${title} is (${got.join(" × ")}), expected (${n} × ${m}). The reference is shown.`;
}
const isOff = (of) => Boolean(of.complaint || misses(of));
const misses = ({ values, wrong }) => values.flatMap((row, i) => row.filter((_, j) => wrong(i, j))).length;
function verdict(of) {
  const { title, values, reference, complaint } = of;
  if (complaint) return complaint;
  if (values === reference) return null;
  const bad = misses(of), [n, m] = shape(values);
  return bad ? `In your ${title}, ${bad} of ${n * m} numbers differ from the reference; they are marked ≠.`
    : `In your ${title}, all ${n * m} numbers agree with the reference.`;
}
// What is known of the mistake: one sentence, or one a quantity, which is told where that one is off.
function told(model, shown) {
  const known = model.get("mine") && model.get("view") !== "reference" ? model.get("diagnosis") : null;
  if (!known || typeof known === "string") return known ? [known] : [];
  return [...new Set(shown.filter(isOff).map(({ name }) => known[name]).filter(Boolean))];
}

// A matrix as a table. `of` is a result(); pick makes its cells buttons with one tab stop.
//   rows, cols   labels; bare hides them from sight where a neighbour shows them already
//   row, col     index of the lit row or column (the query's, the key's); out [i, j] or [i] the product's
export function matrix({ name, of, values = of.values, rows, cols, row, col, out, pick, at, bare = "", inner, heat, extra }) {
  const [n, m] = shape(values), wrong = of?.wrong ?? (() => false);
  const cell = (v, i, j) => {
    const bad = wrong(i, j), [mine, reference] = bad ? apart(v, of.reference[i][j]) : [text(v)];
    const isOut = out && i === out[0] && (out.length < 2 || j === out[1]), on = at && i === at[0] && j === at[1];
    const kind = ["f-cell", i === row && "is-row", j === col && "is-col", isOut && (out.length < 2 ? "is-outrow" : "is-out"), bad && "is-wrong", heat && "is-heat"];
    const shown = [mine, bad && h("span", { class: "f-mark" }, "≠")];
    const spoken = `${plain(name)}, ${rows[i]}, ${cols[j]}: ${mine}${bad ? `, not equal, reference ${reference}` : ""}`;
    return h("td", { class: kind.filter(Boolean).join(" "), "data-i": i, "data-j": j, "data-value": String(v),
      "data-k": i === row ? j : j === col ? i : null, "data-reference": bad ? String(of.reference[i][j]) : null,
      style: heat && `--w:${Math.min(Math.max(v, 0), 1)}` },
    pick ? h("button", { type: "button", "data-focus": name, tabindex: on ? 0 : -1, "aria-pressed": String(!!on), "aria-label": spoken }, shown)
      : bad ? [shown, h("span", { class: "f-sr" }, `, reference ${reference}`)] : shown);
  };
  const decimals = values.some((r) => r.some((v) => !Number.isInteger(v)));
  const table = h("table", { class: `f-matrix ${bare}${decimals ? " is-decimal" : ""}`, "data-matrix": name },
    h("caption", {}, symbol(name), " ", h("span", { class: "f-size" }, size(n, m, inner))),
    h("thead", {}, h("tr", {}, h("td", {}), cols.map((c, j) => h("th", { scope: "col", class: j === col && "is-col" }, h("span", {}, c))), extra && h("th", { scope: "col", class: "f-extra" }, h("span", {}, extra.title)))),
    h("tbody", {}, values.map((r, i) => h("tr", {}, h("th", { scope: "row", class: i === row ? "is-row" : out && i === out[0] && "is-outrow" }, rows[i]), r.map((v, j) => cell(v, i, j)), extra && h("td", { class: "f-extra" }, num(extra.values[i]))))));
  if (pick) steer(table, [n, m], at, pick);
  return table;
}
function steer(table, sizes, at, pick) {
  table.addEventListener("click", (event) => {
    const cell = event.target.closest("td[data-i]");
    if (cell) pick([Number(cell.dataset.i), Number(cell.dataset.j)]);
  });
  table.addEventListener("keydown", (event) => {
    const to = arrow(event.key, at, sizes);
    if (to) { event.preventDefault(); pick(to); }
  });
}

let groups = 0;
// Native radio buttons: the browser brings the arrow keys and the single tab stop.
export function radios(legend, names, chosen, choose) {
  const group = `f-radios-${groups++}`;
  const options = names.map((name, i) => h("label", {}, h("input", { type: "radio", name: group, value: i, checked: i === chosen() && "" }), h("span", {}, name)));
  const field = h("fieldset", {}, h("legend", {}, legend), h("span", { class: "f-segments" }, options));
  field.addEventListener("change", (event) => choose(Number(event.target.value)));
  return { field, show: () => { options.forEach((o, i) => { o.firstChild.checked = i === chosen(); }); } };
}

// A slider over a short list of stops.
export function slider(label, stops, chosen, choose) {
  const input = h("input", { type: "range", min: 0, max: stops.length - 1, step: 1, value: chosen() });
  const output = h("output", {});
  const field = h("label", { class: "f-slider" }, h("span", {}, prose(label)), input, output);
  input.addEventListener("input", () => choose(Number(input.value)));
  const show = () => {
    input.value = chosen();
    input.setAttribute("aria-valuetext", text(stops[chosen()]));
    output.replaceChildren(num(stops[chosen()]));
  };
  return { field, show };
}

// A caption stays in sight while a wide table scrolls under it.
export const caption = (...words) => h("caption", {}, h("span", { class: "f-words" }, words));

// A table of plain numbers: columns are titles, rows are lists whose first entry is the row's name.
export function figures(title, columns, rows, current = -1) {
  const body = rows.map(([name, ...cells], i) => h("tr", { class: i === current && "is-current", "aria-current": i === current && "true" },
    h("th", { scope: "row" }, typeof name === "number" ? num(name) : name),
    cells.map((c) => h("td", {}, typeof c === "number" ? num(c) : c))));
  return h("div", { class: "f-scroll" }, h("table", { class: "f-table" }, caption(title),
    h("thead", {}, h("tr", {}, columns.map((c) => (c ? h("th", { scope: "col" }, prose(c)) : h("td", {}))))), h("tbody", {}, body)));
}
export const bar = (fraction, kind) => h("span", { class: `f-bar ${kind}`, "aria-hidden": "true" },
  h("span", { style: `--w:${Math.min(Math.max(fraction, 0), 1) || 0}` }));

function keepFocus(root, redraw) {
  const active = root.getRootNode().activeElement;
  const group = root.contains(active) ? active.dataset.focus : null;
  redraw();
  if (group) root.querySelector(`[data-focus="${group}"][tabindex="0"]`)?.focus({ preventScroll: true });
}
// A table too wide for its place can be scrolled by key: it becomes a tab stop, for as long as it is.
function openToKeys(root) {
  for (const place of root.querySelectorAll(".f-scroll")) {
    const stop = place.scrollWidth > place.clientWidth && !place.querySelector("button, input");
    for (const [name, value] of [["tabindex", 0], ["role", "region"], ["aria-label", place.querySelector("caption").textContent]])
      stop ? place.setAttribute(name, value) : place.removeAttribute(name);
  }
}
function lightTerms(root) {
  const light = (event) => {
    const k = event.type === "pointerover" ? event.target.closest("[data-k]")?.dataset.k : undefined;
    for (const node of root.querySelectorAll("[data-k]")) node.classList.toggle("is-lit", k !== undefined && node.dataset.k === k);
  };
  root.addEventListener("pointerover", light);
  root.addEventListener("pointerleave", light);
}

// The quantity under the pointer or the focus is marked wherever else it stands: formula, matrices, tables.
function lightNames(root) {
  const light = (event) => {
    const leaves = event.type === "pointerleave" || event.type === "focusout", at = event.target;
    const from = leaves ? null : at.matches(".f-point") ? at.firstChild : at.closest("[data-name], [data-matrix]");
    const name = (node) => quantity(node.dataset.name ?? node.dataset.matrix);
    for (const node of root.querySelectorAll("[data-name], [data-matrix]"))
      node.classList.toggle("is-named", from !== null && !node.contains(from) && !from.contains(node) && name(node) === name(from));
  };
  for (const type of ["pointerover", "pointerleave", "focusin", "focusout"]) root.addEventListener(type, light);
}

// The frame of every figure. build({ model, controls, body, line }) sets up what stays and returns
// draw(), which fills the rest and returns the result()s that it showed.
export function frame({ model, el }, keys, build) {
  const part = (kind, tag = "div", attributes = {}) => h(tag, { class: `f-${kind}`, ...attributes });
  const controls = part("controls"), body = part("body"), notes = part("notes"), line = part("line", "p", { role: "status" });
  const views = ["reference", "mine"], view = () => (model.get("view") === "reference" ? 0 : 1);
  const choice = radios("Show", views, view, (i) => put(model, "view", views[i]));
  const title = part("title", "p");
  const root = h("div", { class: "f-root", role: "group", "aria-label": model.get("title") },
    h("div", { class: "f-top" }, title, choice.field), part("task", "p"), controls, notes, body, line, part("caption", "p"));
  el.append(root);
  const draw = build({ model, controls, body, line });
  const shown = () => {
    for (const key of ["title", "task", "caption"]) fill(root.querySelector(`.f-${key}`), prose(model.get(key) ?? ""));
    choice.field.hidden = !model.get("mine");
    choice.show();
    const drawn = draw(), remarks = drawn.map(verdict).filter(Boolean);
    notes.replaceChildren(...remarks.map((remark) => h("p", {}, remark)), ...told(model, drawn).map((said) => h("p", { class: "f-diagnosis" }, marked(said))));
    notes.classList.toggle("is-off", drawn.some(isOff));
    notes.hidden = !notes.childElementCount;
  };
  const redraw = () => keepFocus(root, () => {
    try { shown(); } catch (error) {
      notes.hidden = false;
      notes.classList.add("is-off");
      notes.replaceChildren(h("p", {}, `This figure cannot be drawn from these numbers. ${error.message}`));
      body.replaceChildren(); line.replaceChildren();
    }
    openToKeys(root);
  });
  redraw();
  lightTerms(root);
  lightNames(root);
  const sizes = new ResizeObserver(() => openToKeys(root));
  sizes.observe(root);
  const events = ["title", "task", "caption", "mine", "view", "diagnosis", ...keys].map((key) => `change:${key}`);
  for (const event of events) model.on(event, redraw);
  return () => {
    sizes.disconnect();
    for (const event of events) model.off(event, redraw);
  };
}
