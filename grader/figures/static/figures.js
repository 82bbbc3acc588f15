"use strict";
(() => {
const $tensor = (() => {

const shape = (a) => (Array.isArray(a) ? [a.length, ...(a.length ? shape(a[0]) : [])] : []);
const sum = (row) => row.reduce((total, x) => total + x, 0);
const dot = (a, b) => a.reduce((total, x, k) => total + x * b[k], 0);
const norm = (row) => Math.hypot(...row);
const transpose = (a) => a[0].map((_, j) => a.map((row) => row[j]));
const scale = (a, factor) => a.map((row) => row.map((x) => x * factor));
const add = (a, b) => a.map((row, i) => row.map((x, j) => x + b[i][j]));
function matmul(a, b) {
const [n, inner] = shape(a), [other, m] = shape(b);
if (inner !== other) throw new Error(`(${n} × ${inner}) · (${other} × ${m}): ${inner} is not ${other}`);
const columns = transpose(b);
return a.map((row) => columns.map((column) => dot(row, column)));
}
function softmax(row) {
const top = Math.max(...row), powers = row.map((x) => Math.exp(x - top)), total = sum(powers);
return powers.map((e) => e / total);
}
const rest = (p, i) => sum(p.filter((_, j) => j !== i));
const entropy = (p) =>
sum(p.map((w, i) => (w > 0.5 ? -w * Math.log1p(-rest(p, i)) : w > 0 ? -w * Math.log(w) : 0)));
const jacobianNorm = (p) =>
Math.hypot(...p.flatMap((w, i) => p.map((v, j) => (i === j ? w * rest(p, i) : -w * v))));
function std(row) {
const mean = sum(row) / row.length;
return Math.sqrt(sum(row.map((x) => (x - mean) ** 2)) / row.length);
}
const share = (row, limit) => row.filter((x) => Math.abs(x) <= limit).length / row.length;
const differs = (own, reference) => !(Math.abs(own - reference) <= 1e-6 + 1e-5 * Math.abs(reference));
return { shape, sum, dot, norm, transpose, scale, add, matmul, softmax, entropy, jacobianNorm, std, share, differs };
})();
const $ui = (() => {
const { differs, shape } = $tensor;
function element(node, attributes, children) {
for (const [name, value] of Object.entries(attributes))
if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value);
node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
return node;
}
const h = (tag, attributes = {}, ...children) =>
element(document.createElement(tag), attributes, children);
const svg = (tag, attributes = {}, ...children) =>
element(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
const superscript = (n) => [...String(n)].map((d) => (d === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[d])).join("");
const minus = (shown) => shown.replace("-", "−");
function text(value) {
if (!Number.isFinite(value)) return minus(String(value).replace("Infinity", "∞"));
const short = Number(value.toFixed(3));
if (Math.abs(value) >= 1000) return minus(Number(value.toFixed(0)).toLocaleString("en-GB"));
if (Math.abs(value - short) <= 1e-12 * Math.abs(value)) return minus(String(short + 0));
if (Math.abs(value) >= 0.005) return minus(value.toFixed(2));
const [mantissa, power] = value.toExponential(1).split("e");
return `${minus(mantissa)}·10${superscript(Number(power))}`;
}
function apart(own, reference) {
for (let d = 2; d < 9 && text(own) === text(reference); d++)
if (own.toFixed(d) !== reference.toFixed(d)) return [own, reference].map((x) => minus(x.toFixed(d)));
return [text(own), text(reference)];
}
const num = (value, attributes = {}) => h("span", { "data-value": String(value), ...attributes }, text(value));
const factor = (value, attributes) => (value < 0 ? ["(", num(value, attributes), ")"] : num(value, attributes));
const quantity = (name) => name.replace("ᵀ", "");
function symbol(name) {
const [base, below] = quantity(name).split("_");
return h("span", { class: "f-name", "data-name": quantity(name) }, base, below && h("sub", {}, below), name.endsWith("ᵀ") && h("sup", {}, "T"));
}
const names = /\b(W_[QKVO]|d_(?:k|v|model)|[A-Z]ᵀ)/;
const prose = (sentence) => sentence.split(names).map((part, k) => (k % 2 ? symbol(part) : part));
const marked = (sentence) => sentence.split(/(`[^`]+`|\*\S[^*]*\S\*)/).map((part, k) => (k % 2 ? h(part[0] === "*" ? "em" : "code", {}, part.slice(1, -1)) : prose(part)));
const equation = (written) => written.split(/([A-Za-z]+_[A-Za-z]|[A-Z]ᵀ?(?![a-z]))/).map((part, k) => (k % 2 ? symbol(part) : part));
function formula(written) {
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
const plain = (name) => name.replace("_", " ");
const fill = (node, ...children) => { node.replaceChildren(); return element(node, {}, children); };
const size = (n, m, inner) =>
["(", h("span", { class: inner === 0 && "f-inner" }, n), " × ", h("span", { class: inner === 1 && "f-inner" }, m), ")"];
const indices = (n) => Array.from({ length: n }, (_, i) => String(i));
const labels = (model, key, n) => (model.get(key)?.length === n ? model.get(key) : indices(n));
const products = (left, right) =>
left.map((x, k) => [k ? " + " : null,
h("span", { class: x * right[k] ? "f-term" : "f-term f-zero", "data-k": k },
factor(x, { class: "f-blue" }), "·", factor(right[k], { class: "f-red" }))]);
const workings = (left, right) => h("div", { class: "f-workings", "aria-hidden": "true" }, left.map((x, k) =>
h("div", { class: x * right[k] ? "f-term" : "f-term f-zero", "data-k": k }, factor(x, { class: "f-blue" }), "·", factor(right[k], { class: "f-red" }), " = ", num(x * right[k]))));
const put = (model, key, value) => { model.set(key, value); model.save_changes(); };
function arrow(key, [i, j], [n, m]) {
const to = { ArrowUp: [i - 1, j], ArrowDown: [i + 1, j], ArrowLeft: [i, j - 1], ArrowRight: [i, j + 1],
Home: [i, 0], End: [i, m - 1] }[key];
return to ? [Math.min(Math.max(to[0], 0), n - 1), Math.min(Math.max(to[1], 0), m - 1)] : null;
}
function result(model, name, reference, title = plain(name)) {
const own = model.get("view") === "reference" ? null : model.get("mine")?.[name] ?? null;
const complaint = own === null ? null : misfit(title, own, reference);
const values = own === null || complaint ? reference : own.map((row) => row.map(Number));
const wrong = (i, j) => values !== reference && differs(values[i][j], reference[i][j]);
return { name, title, reference, values, complaint, wrong };
}
const yours = ({ wrong, values }, i, j) => wrong(i, j) && [" (yours: ", num(values[i][j]), ")"];
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
function told(model, shown) {
const known = model.get("mine") && model.get("view") !== "reference" ? model.get("diagnosis") : null;
if (!known || typeof known === "string") return known ? [known] : [];
return [...new Set(shown.filter(isOff).map(({ name }) => known[name]).filter(Boolean))];
}
function matrix({ name, of, values = of.values, rows, cols, row, col, out, pick, at, bare = "", inner, heat, extra }) {
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
function radios(legend, names, chosen, choose) {
const group = `f-radios-${groups++}`;
const options = names.map((name, i) => h("label", {}, h("input", { type: "radio", name: group, value: i, checked: i === chosen() && "" }), h("span", {}, name)));
const field = h("fieldset", {}, h("legend", {}, legend), h("span", { class: "f-segments" }, options));
field.addEventListener("change", (event) => choose(Number(event.target.value)));
return { field, show: () => { options.forEach((o, i) => { o.firstChild.checked = i === chosen(); }); } };
}
function slider(label, stops, chosen, choose) {
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
const caption = (...words) => h("caption", {}, h("span", { class: "f-words" }, words));
function figures(title, columns, rows, current = -1) {
const body = rows.map(([name, ...cells], i) => h("tr", { class: i === current && "is-current", "aria-current": i === current && "true" },
h("th", { scope: "row" }, typeof name === "number" ? num(name) : name),
cells.map((c) => h("td", {}, typeof c === "number" ? num(c) : c))));
return h("div", { class: "f-scroll" }, h("table", { class: "f-table" }, caption(title),
h("thead", {}, h("tr", {}, columns.map((c) => (c ? h("th", { scope: "col" }, prose(c)) : h("td", {}))))), h("tbody", {}, body)));
}
const bar = (fraction, kind) => h("span", { class: `f-bar ${kind}`, "aria-hidden": "true" },
h("span", { style: `--w:${Math.min(Math.max(fraction, 0), 1) || 0}` }));
function keepFocus(root, redraw) {
const active = root.getRootNode().activeElement;
const group = root.contains(active) ? active.dataset.focus : null;
redraw();
if (group) root.querySelector(`[data-focus="${group}"][tabindex="0"]`)?.focus({ preventScroll: true });
}
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
function frame({ model, el }, keys, build) {
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
return { h, svg, text, num, factor, symbol, prose, equation, formula, plain, fill, size, indices, labels, products, workings, put, arrow, result, yours, matrix, radios, slider, caption, figures, bar, frame };
})();
const $projection = (() => {
const { matmul, shape, transpose } = $tensor;
const { fill, formula, frame, h, labels, matrix, num, products, put, result, size, symbol, workings, yours } = $ui;
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
const render_ = { render };
return { default: render_ };
})();
const $scores = (() => {
const { matmul, shape, transpose } = $tensor;
const { figures, fill, formula, frame, h, labels, matrix, num, products, put, result, size, slider, svg, symbol, text, workings, yours } = $ui;
const lengths = [2, 4, 8, 16, 32, 64];
const cost = (n, dK) => ({ inputs: 2 * n * dK, scores: n * n });
const cellSize = 4;
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
const render_ = { render };
return { lengths, cost, default: render_ };
})();
const $cloud = (() => {
const { share, std } = $tensor;
const { fill, figures, frame, h, num, put, result, slider, svg, text } = $ui;
const dims = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
function uniform(seed) {
let state = seed >>> 0;
return () => {
state = (state + 0x6d2b79f5) >>> 0;
let t = Math.imul(state ^ (state >>> 15), state | 1);
t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32 + 2 ** -33;
};
}
function dotProducts(seed, pairs, stops) {
const next = uniform(seed), totals = new Array(pairs).fill(0), kept = [];
for (let d = 1; d <= stops.at(-1); d++) {
for (let p = 0; p < pairs; p++) {
const radius = Math.sqrt(-2 * Math.log(next())), angle = 2 * Math.PI * next();
totals[p] += radius * Math.cos(angle) * (radius * Math.sin(angle));
}
if (stops.includes(d)) kept.push([...totals]);
}
return kept;
}
const scaled = (raw, stops) => raw.map((row, at) => row.map((x) => x / Math.sqrt(stops[at])));
const followed = 107;
const height = 132;
const across = (value, limit) => `${50 + (50 * value) / limit}%`;
const level = (pair) => 24 + ((pair * 0.618034) % 1) * (height - 52);
function ticksOf(limit) {
const unit = 10 ** Math.floor(Math.log10(limit / 4)), step = unit * [1, 2, 5, 10].find((m) => m * unit >= limit / 4.5);
const count = Math.floor(limit / step);
return Array.from({ length: 2 * count + 1 }, (_, k) => (k - count) * step);
}
function panel(kind, pairs, limit) {
const marks = Array.from({ length: pairs }, (_, p) => (kind === "raw"
? svg("circle", { cy: level(p), r: 3 }) : svg("rect", { y: level(p) - 2.5, width: 5, height: 5 })));
const ticks = ticksOf(limit).map((v) => svg("g", {},
svg("line", { class: "f-tick", x1: across(v, limit), x2: across(v, limit), y1: 14, y2: height - 22 }),
svg("text", { x: across(v, limit), y: height - 6, "text-anchor": "middle", "data-value": String(v) }, text(v))));
const bounds = [-1, 1].map(() => svg("line", { class: "f-bound", y1: 14, y2: height - 22 }));
const names = ["end", "start"].map((anchor) => svg("text", { class: "f-bound-name", y: 11, "text-anchor": anchor }));
const title = svg("title", {}), ring = svg("circle", { class: "f-ring", cy: level(followed), r: 6.5 });
const picture = svg("svg", { class: `f-cloud is-${kind}`, role: "img", height }, title, ticks, bounds, names, svg("g", {}, marks), ring);
return { kind, picture, marks, bounds, names, title, ring, limit };
}
function move({ kind, marks, bounds, names, title, ring, limit, picture }, of, at, bound) {
const values = of.values[at], summary = `${kind} dot products: standard deviation ${text(std(values))}, lines at plus and minus ${text(bound)}`;
title.textContent = summary;
picture.setAttribute("aria-label", summary);
values.forEach((v, p) => {
marks[p].setAttribute(kind === "raw" ? "cx" : "x", across(v, limit));
marks[p].setAttribute("data-value", String(v));
marks[p].classList.toggle("is-wrong", of.wrong(at, p));
});
ring.setAttribute("cx", across(values[followed], limit));
[-bound, bound].forEach((v, side) => {
for (const end of ["x1", "x2"]) bounds[side].setAttribute(end, across(v, limit));
names[side].setAttribute("x", across(v, limit));
names[side].setAttribute("dx", side ? 2 : -2);
names[side].textContent = text(v);
names[side].setAttribute("data-value", String(v));
});
}
function readout(raw, small, stops, at) {
const root = Math.sqrt(stops[at]);
return figures("Spread at this d", ["", "theory", "measured", "share inside ±2 × theory"], [
["q·k", root, std(raw.values[at]), share(raw.values[at], 2 * root)],
["q·k / √d", 1, std(small.values[at]), share(small.values[at], 2)]]);
}
const everyStep = (raw, small, stops, at) => figures("Standard deviation at every step", ["d", "√d", "of q·k", "of q·k / √d"],
stops.map((d, t) => [d, Math.sqrt(d), std(raw.values[t]), std(small.values[t])]), at);
function render(context) {
return frame(context, ["raw", "dims", "step", "seed"], ({ model, controls, body, line }) => {
const stops = model.get("dims") ?? dims, products = model.get("raw") ?? dotProducts(model.get("seed"), model.get("pairs"), stops);
const limit = 1.06 * Math.max(...products.flat().map(Math.abs)), pairs = products[0].length;
const step = () => Math.min(model.get("step") ?? 6, stops.length - 1);
const stepper = slider("Dimensions d", stops, step, (at) => put(model, "step", at));
const panels = ["raw", "scaled"].map((kind) => panel(kind, pairs, limit)), numbers = h("div", {}), all = h("div", {});
controls.append(stepper.field);
body.append(h("p", { class: "f-panel f-red" }, "● raw q·k"), panels[0].picture, h("p", { class: "f-panel f-blue" }, "■ scaled q·k / √d, same axis"), panels[1].picture,
numbers, h("details", {}, h("summary", {}, "All steps as a table"), all));
return () => {
const at = step(), d = stops[at], root = Math.sqrt(d);
const raw = result(model, "raw", products, "dot products"), small = result(model, "scaled", scaled(products, stops), "scaled dot products");
stepper.show();
move(panels[0], raw, at, 2 * root);
move(panels[1], small, at, 2);
fill(numbers, readout(raw, small, stops, at));
fill(all, everyStep(raw, small, stops, at));
fill(line, "Ringed pair: q·k = ", num(raw.values[at][followed], { class: "f-red" }), ", divided by √", num(d), " = ", num(root), ": ", num(small.values[at][followed], { class: "f-blue" }));
return [raw, small];
};
});
}
const render_ = { render };
return { dims, uniform, dotProducts, scaled, ticksOf, default: render_ };
})();
const $saturation = (() => {
const { entropy, jacobianNorm, softmax, sum } = $tensor;
const { bar, caption, fill, figures, frame, h, num, prose, put, result, slider, symbol } = $ui;
const dims = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
const rawRow = (row, dK) => row.map((x) => x * Math.sqrt(dK));
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
const render_ = { render };
return { dims, rawRow, default: render_ };
})();
const $walkthrough = (() => {
const { add, matmul, scale, shape, softmax, sum, transpose } = $tensor;
const { arrow, bar, caption, equation, fill, formula, frame, h, labels, matrix, num, products, prose, put, radios, result, symbol } = $ui;
function block({ X, W_Q, W_K, W_V, W_O }) {
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
const render_ = { render };
return { block, default: render_ };
})();
const $heatmap = (() => {
const { matmul, norm, shape, sum } = $tensor;
const { bar, caption, fill, frame, h, labels, matrix, num, put, result } = $ui;
const nearZero = 0.01;
const quieted = (v, j) => v.map((row, k) => (k === j ? row.map((x) => x * nearZero) : row));
const contribution = (a, v, i, j) => v[j].map((x) => a[i][j] * x);
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
const render_ = { render };
return { nearZero, quieted, contribution, default: render_ };
})();
const $host = (() => {
class Model {
#state; #listeners = new Map();
constructor(state) { this.#state = { ...state }; }
get(key) { return this.#state[key]; }
set(key, value) { this.#state[key] = value; for (const tell of [...(this.#listeners.get(`change:${key}`) ?? [])]) tell(); }
on(event, tell) { this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), tell]); }
off(event, tell) { this.#listeners.set(event, (this.#listeners.get(event) ?? []).filter((f) => f !== tell)); }
save_changes() {}
}
function mountAll(figures, root = document) {
for (const place of root.querySelectorAll("[data-figure]:not([data-ready])")) {
const live = document.createElement("div"), fallback = place.querySelector(".figure-fallback");
try {
place.model = new Model(JSON.parse(place.querySelector("script").textContent));
figures[place.dataset.figure].render({ model: place.model, el: live });
} catch (error) { console.error(error); continue; }
place.prepend(live);
fallback.hidden = true;
place.dataset.ready = "";
}
}
function start(figures) {
const go = () => mountAll(figures);
document.readyState === "loading" ? document.addEventListener("DOMContentLoaded", go) : go();
}
return { Model, mountAll, start };
})();
$host.start({ projection: $projection.default, scores: $scores.default, cloud: $cloud.default, saturation: $saturation.default, walkthrough: $walkthrough.default, heatmap: $heatmap.default });
})();
