// On a page that is served live: the learner's own numbers in its figures, new at every save.
{
  const numbers = new URL("mine", document.currentScript.src);
  const pause = (seconds) => new Promise((go) => setTimeout(go, 1000 * seconds));
  const seen = () => new Promise((go) => document.addEventListener("visibilitychange", go, { once: true }));

  const show = (figures, own) => {
    for (const { model, dataset } of figures) {
      const { mine = {}, diagnosis = {} } = own[dataset.figure] ?? {};
      model.set("diagnosis", diagnosis);
      model.set("mine", Object.keys(mine).length ? mine : null);
    }
  };
  // Waits at the server for numbers newer than those with this number; null when it waited in vain.
  const newer = async (number) => {
    const headers = { "Content-Type": "application/json" }, body = JSON.stringify({ seen: number });
    const answer = await fetch(numbers, { method: "POST", headers, body });
    if (!answer.ok) throw new Error(answer.statusText);
    return answer.json();
  };
  const follow = async (figures, say) => {
    for (let number = 0; ;) {
      if (document.hidden) await seen();
      try {
        const { folder, figures: own, trouble, ...notice } = (await newer(number)) ?? { number };
        number = notice.number;
        if (trouble) say(`Your functions could not be run. ${trouble}`);
        if (!own) continue;
        show(figures, own);
        say(`“mine” shows what the functions in ${folder} give. Save a file there, and the figures follow.`);
      } catch {
        say("The server has stopped, so your saves are not followed. Start it again and open its new address.");
        await pause(3);
      }
    }
  };
  document.addEventListener("DOMContentLoaded", () => {  // then the figures are drawn
    const figures = [...document.querySelectorAll("[data-figure][data-ready]")];
    if (!figures.length) return;
    const line = document.createElement("p");
    line.className = "live";
    line.setAttribute("role", "status");
    line.textContent = "Your functions are being run …";
    figures[0].before(line);
    follow(figures, (text) => { if (line.textContent !== text) line.textContent = text; });
  });
}
