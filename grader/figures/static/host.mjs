// The host of the figures on a plain page: <figure data-figure="name"> holding its numbers as JSON.

// The part of a widget's model that the figures use, without a kernel behind it.
export class Model {
  #state; #listeners = new Map();
  constructor(state) { this.#state = { ...state }; }
  get(key) { return this.#state[key]; }
  set(key, value) { this.#state[key] = value; for (const tell of [...(this.#listeners.get(`change:${key}`) ?? [])]) tell(); }
  on(event, tell) { this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), tell]); }
  off(event, tell) { this.#listeners.set(event, (this.#listeners.get(event) ?? []).filter((f) => f !== tell)); }
  save_changes() {}
}

// A figure that cannot be drawn leaves its table on the page.
export function mountAll(figures, root = document) {
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

export function start(figures) {
  const go = () => mountAll(figures);
  document.readyState === "loading" ? document.addEventListener("DOMContentLoaded", go) : go();
}
