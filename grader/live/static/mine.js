// On a page that is served live: the learner's own numbers in its figures, new at every save.
(() => {
  const address = new URL("mine", document.currentScript.src);
  const figures = [...document.querySelectorAll("[data-figure][data-ready]")];
  if (!figures.length) return;

  const line = document.createElement("p");
  line.className = "live";
  line.setAttribute("role", "status");
  const say = (text) => { if (line.textContent !== text) line.textContent = text; };
  figures[0].before(line);
  say("Your functions are being run …");

  function show({ folder, figures: own, trouble }) {
    if (trouble) return say(`Your functions could not be run. ${trouble}`);
    for (const { model, dataset } of figures) {
      const { mine = {}, diagnosis } = own[dataset.figure] ?? {}, any = Object.keys(mine).length;
      model.set("diagnosis", diagnosis ?? null);
      model.set("mine", any ? mine : null);
    }
    say(`“mine” shows what the functions in ${folder} give. Save a file there, and the figures follow.`);
  }

  const pause = (seconds) => new Promise((go) => setTimeout(go, 1000 * seconds));
  const seen = () => new Promise((go) => document.addEventListener("visibilitychange", go, { once: true }));
  async function next(number) {
    const options = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ seen: number }) };
    const answer = await fetch(address, options);
    if (!answer.ok) throw new Error(answer.statusText);
    return answer.json();
  }
  // One request waits at the server for the next numbers; a page that nobody sees asks for none.
  async function follow() {
    for (let number = 0; ;) {
      if (document.hidden) await seen();
      try {
        const notice = await next(number);
        if (notice) { number = notice.number; show(notice); }
      } catch {
        say("The server has stopped, so your saves are not followed. Start it again and open its new address.");
        await pause(3);
      }
    }
  }
  follow();
})();
