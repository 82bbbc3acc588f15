// What the tests read from a page with one figure, as plain data. Installed in every page as `probe`.
window.probe = {
  root: () => document.querySelector("[data-ready] > div > .f-root"),
  put: (key, value) => document.querySelector(".figure").model.set(key, value),
  values: (node) => [...node.querySelectorAll("[data-value]")].map((n) => Number(n.dataset.value)),
  all: (selector, read) => [...probe.root().querySelectorAll(selector)].map(read),

  // Matrices by name, lit cells as [matrix, i, j], the formula line, remarks, the focus.
  read() {
    const cells = (kind) => probe.all(`.f-body td.${kind}`, (td) =>
      [td.closest("table").dataset.matrix, Number(td.dataset.i), Number(td.dataset.j)]);
    const row = (tr) => [...tr.querySelectorAll("td.f-cell")].map((td) => Number(td.dataset.value));
    const line = probe.root().querySelector(".f-line");
    return {
      matrices: Object.fromEntries(probe.all(".f-matrix", (table) =>
        [table.dataset.matrix, [...table.tBodies[0].rows].map(row)])),
      tables: probe.all(".f-table", (table) => ({
        caption: table.caption.textContent,
        rows: [...table.rows].map(probe.values).filter((r) => r.length),
      })),
      row: cells("is-row"), col: cells("is-col"), out: cells("is-out"),
      outrow: cells("is-outrow"), wrong: cells("is-wrong"),
      line: line.textContent,
      terms: [...line.querySelectorAll(".f-term")].map(probe.values),
      lineValues: probe.values(line),
      workings: probe.all(".f-workings > div", probe.values),
      notes: probe.all(".f-notes:not([hidden]) p", (p) => p.textContent),
      focus: document.activeElement.getAttribute("aria-label"),
    };
  },

  // Every number as [carried, written].
  written: () => probe.all("[data-value]", (n) => n)
    .filter((n) => n.textContent && !n.matches(".is-wrong"))
    .map((n) => [n.dataset.value, n.textContent]),

  // Numbers that are written without being carried. Names, shapes and headings may hold digits.
  loose() {
    const names = ".f-size, .f-phase, .f-sum, caption, th[scope=col], th[scope=row], code, title";
    const loose = [];
    for (const part of probe.all(".f-body, .f-line, output", (n) => n)) {
      const walk = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
      while (walk.nextNode()) {
        const holder = walk.currentNode.parentElement;
        if (/\d/.test(walk.currentNode.textContent) && !holder.closest(`[data-value], ${names}`))
          loose.push(holder.outerHTML);
      }
    }
    return loose;
  },

  // The two panels of the cloud: values, places across in percent, heights, and the dashed lines.
  marks() {
    const panel = (kind) => {
      const read = (selector, f) => probe.all(`.is-${kind} ${selector}`, f);
      const at = (n) => parseFloat(n.getAttribute("cx") ?? n.getAttribute("x"));
      const marks = ":is(circle, rect)[data-value]";
      return {
        values: read(marks, (n) => Number(n.dataset.value)),
        places: read(marks, at),
        heights: read(marks, (n) => n.getAttribute("cy") ?? n.getAttribute("y")),
        bounds: read(".f-bound-name", (n) => Number(n.dataset.value)),
        lines: read(".f-bound", (n) => parseFloat(n.getAttribute("x1"))),
      };
    };
    return { raw: panel("raw"), scaled: panel("scaled") };
  },

  // The part of its trough that each bar fills.
  bars: () => probe.all("tbody .f-bar > span", (bar) =>
    bar.getBoundingClientRect().width / bar.parentElement.getBoundingClientRect().width),

  // The outline styles that could show the focus: on the element, its parent, its group.
  outlines() {
    const active = document.activeElement;
    return [active, active.parentElement, active.closest(".f-segments") ?? active]
      .map((n) => getComputedStyle(n).outlineStyle);
  },

  // The longest transition in the figure, in seconds.
  longest: () => Math.max(...probe.all("*", (n) => n).flatMap((n) =>
    getComputedStyle(n).transitionDuration.split(",").map(parseFloat))),

  // A widget's module in a bare model, as a notebook gives it one: what it draws, saves and leaves.
  async widget(esm, state) {
    const listeners = new Map(), saved = [];
    const heard = (event) => listeners.get(event) ?? [];
    const model = {
      get: (key) => state[key],
      set: (key, value) => { state[key] = value; heard(`change:${key}`).forEach((tell) => tell()); },
      on: (event, tell) => { listeners.set(event, [...heard(event), tell]); },
      off: (event, tell) => { listeners.set(event, heard(event).filter((f) => f !== tell)); },
      save_changes: () => { saved.push({ ...state }); },
    };
    const count = () => [...listeners.values()].flat().length;
    const address = URL.createObjectURL(new Blob([esm], { type: "text/javascript" }));
    const el = document.body.appendChild(document.createElement("div"));
    const stop = (await import(address)).default.render({ model, el });
    const title = el.querySelector(".f-title").textContent;
    const numbers = el.querySelectorAll("[data-value]").length;
    el.querySelector('button[data-focus][tabindex="-1"]')?.click();
    el.querySelector("input[type=range]")?.dispatchEvent(new Event("input"));
    const before = count();
    stop();
    return { title, numbers, saved: saved.length, heard: before, left: count(), hash: location.hash };
  },
};
