// Figure 3. 240 pairs of random vectors: their dot products widen with d, the scaled ones stay.
import { share, std } from "./tensor.mjs";
import { fill, figures, frame, h, num, put, result, slider, svg, text } from "./ui.mjs";

export const dims = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

// mulberry32: a seed gives the same uniform numbers here and in Python.
export function uniform(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32 + 2 ** -33;
  };
}
// The dot product of the first d components of each pair, for each d of stops. One Box–Muller draw
// gives one component of q and one of k, so that step d + 1 adds to step d and every pair stays itself.
export function dotProducts(seed, pairs, stops) {
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
export const scaled = (raw, stops) => raw.map((row, at) => row.map((x) => x / Math.sqrt(stops[at])));

// The pair with a ring around it, so that the eye can follow one.
const followed = 107;
const height = 132;
const across = (value, limit) => `${50 + (50 * value) / limit}%`;
const level = (pair) => 24 + ((pair * 0.618034) % 1) * (height - 52);

// Round numbers on both sides of zero, at most four a side.
export function ticksOf(limit) {
  const unit = 10 ** Math.floor(Math.log10(limit / 4)), step = unit * [1, 2, 5, 10].find((m) => m * unit >= limit / 4.5);
  const count = Math.floor(limit / step);
  return Array.from({ length: 2 * count + 1 }, (_, k) => (k - count) * step);
}

// Dots (raw) or squares (scaled), made once and moved from then on.
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
export default { render };
