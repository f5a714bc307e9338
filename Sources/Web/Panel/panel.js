// Shows the figures of a board, as the `frame` of `/events` has them (docs/serve.md), and its events: the drawing code of
// `plumb serve` and of the page for browsers. Where the figures come from is the page's business.
const Panel = (() => {
  const $ = id => document.getElementById(id);
  // The name of each for one and for more.
  const COUNTERS = { samples: ["sample", "samples"], late_samples: ["late sample", "late samples"],
    faults: ["fault", "faults"], recoveries: ["recovery", "recoveries"], transactions: ["transaction", "transactions"],
    shakes: ["shake", "shakes"] };
  // Only with the fusion of a gyroscope.
  const FUSED = { clipped_samples: ["clipped"], temperature_c: ["die"], bias_dps: ["gyroscope bias"] };
  const MOTIONS = { starting: "starting: gyroscope bias not known yet", still: "still", moving: "moving",
    clipped: "moving beyond the gyroscope’s range" };
  const MARKS = { trouble: ["▲", "trouble"], relief: ["✓", "recovered"], remark: ["·", ""] };
  const WORDS = Object.fromEntries([...POSES.names.map((name, i) => [name, POSES.words[i]]), ["unknown", "pose unknown"]]);
  const calm = window.matchMedia("(prefers-reduced-motion:reduce)");

  let frame = null, drawn = null;
  // The time of the viewer's clock at which the board started, in ms; null before the first figures. Of a recording
  // there is none: its events have its own time.
  let began = null, hasClock = true;
  let isPaused = false, isRequested = false, spokenPose = null, written = 0, painted = 0;

  // Text is set only if it changes, to save layout work.
  const set = (element, text) => { if (element.textContent !== text) element.textContent = text; };
  const sign = (value, places) => value === null || value === undefined ? "–"
    : (value < -0.5 / 10 ** places ? "−" : value >= 0.5 / 10 ** places ? "+" : " ") + Math.abs(value).toFixed(places);

  // Forgets the figures and events of another run. Without a clock, events have the time of the run.
  const forget = (clocked = true) => {
    const none = document.createElement("li");
    [none.className, none.textContent] = ["none", "no events yet"];
    $("notes").replaceChildren(none);
    $("counters").replaceChildren();
    delete $("counters").dataset.keys;
    [frame, began, spokenPose, hasClock] = [null, null, null, clocked];
  };

  // Takes what does not change during a run: the title, the names of the lines, and the length of a slice in s.
  const begin = setting => {
    set($("title"), setting.title);
    Chart.reset(setting.interval);
    Chart.add(setting.slices);
    $("lamps").replaceChildren(...setting.lamps.map(lamp => {
      const item = document.createElement("li");
      const name = document.createElement("span");
      [item.dataset.label, item.dataset.name] = [lamp.label, lamp.pose === null ? lamp.label : POSES.short[lamp.pose]];
      item.append(document.createElement("i"), name);
      return item;
    }));
    nameLamps();
  };

  // If the lamps are too close together for names, they get letters.
  const nameLamps = () => {
    const items = [...$("lamps").children];
    const isTight = innerWidth < 58 * items.length;
    for (const item of items) set(item.lastChild, isTight ? item.dataset.label : item.dataset.name);
  };

  const take = figures => {
    Chart.add(figures.slices);
    frame = figures;
    if (began === null && hasClock) {
      began = Date.now() - (figures.t + figures.age_s) * 1000;
      for (const time of document.querySelectorAll("#notes time")) clock(time);
    }
    if (!isPaused) request();
  };

  const request = () => {
    if (isRequested) return;
    isRequested = true;
    requestAnimationFrame(() => { isRequested = false; paint(); });
  };

  const paint = () => {
    const now = performance.now();
    // With reduced motion, the page draws four pictures a second.
    if (!frame || isPaused || (calm.matches && now - painted < 250)) return;
    painted = now;
    drawn = frame;
    Board.update(frame.attitude);
    Chart.draw($("chart"));
    pose(frame);
    [...$("lamps").children].forEach((item, index) => {
      const isLit = frame.lit[index] === 1;
      item.classList.toggle("lit", isLit);
      const text = `${item.dataset.name}: ${isLit ? "lit" : "dark"}`;
      if (item.getAttribute("aria-label") !== text) item.setAttribute("aria-label", text);
    });
    // Figures that change faster than this cannot be read.
    if (now - written < 150) return;
    written = now;
    figures(frame);
  };

  const pose = f => {
    const name = WORDS[f.pose] || f.pose;
    set($("pose"), name[0].toUpperCase() + name.slice(1));
    set($("meaning"), f.meaning);
    // Without a gyroscope there is no heading, and all that is known of the motion is whether there is any.
    const isFused = f.clipped_samples !== null;
    $("turn").hidden = !isFused;
    $("motion").hidden = !isFused && f.still === null;
    const motion = f.certainty || (isFused || f.still === null ? "" : f.still ? "still" : "moving");
    set($("motion"), MOTIONS[motion] || "–");
    $("motion").className = motion;
    document.body.classList.toggle("unknown", f.pose === "unknown");
    document.body.classList.toggle("unmeasured", f.x === null);
    if (spokenPose === f.pose + f.reason) return;
    spokenPose = f.pose + f.reason;
    $("board").setAttribute("aria-label", `The board: ${name}, ${f.meaning}`);
    $("held").dataset.pose = f.pose;
    set($("spoken"), `${name}, ${f.meaning}`);
    document.title = `${name} – plumb`;
  };

  const figures = f => {
    for (const axis of ["x", "y", "z"]) set($(axis), sign(f[axis], 2));
    for (const angle of ["angle", "pitch", "roll", "inclination"]) {
      const value = f[angle + "_deg"];
      set($(angle), value === null || value === undefined ? "–" : sign(value, 1) + "°");
    }
    set($("heading"), f.heading_deg === null ? "–" : sign(f.heading_deg, 1) + "°");
    const steering = f.steering_deg;
    const half = Math.min(50, Math.abs(steering) / 90 * 50);
    const fill = $("steering-bar").firstElementChild;
    [fill.style.left, fill.style.width] = [(steering < 0 ? 50 - half : 50) + "%", half + "%"];
    meter("steering", steering, sign(steering, 1) + "°");
    f.scroll.forEach((value, index) => {
      const name = ["sx", "sy"][index];
      $(name + "-bar").firstElementChild.style.left = Math.min(1, Math.max(0, value)) * 100 + "%";
      meter(name, value, value.toFixed(3));
    });
    vibration(f.vibration);
    count(f.counters, f.x === null);
    if (f.clipped_samples !== null) countFused(f);
  };

  // Vibration, if it is watched: how strong it was in the last second, overall and in each band, drawn as a part of the
  // whole.
  const vibration = second => {
    const place = $("shaken");
    if (!second) return [...place.querySelectorAll("output")].forEach(output => set(output, "–"));
    place.hidden = false;
    const rows = [{ band: "all", rms_g: second.rms_g }, ...second.bands];
    while (place.querySelectorAll(".gauge").length < rows.length) place.append(place.querySelector(".gauge").cloneNode(true));
    [...place.querySelectorAll(".gauge")].forEach((gauge, index) => {
      gauge.hidden = index >= rows.length;
      if (gauge.hidden) return;
      const [name, track, output] = gauge.children;
      set(name, rows[index].band);
      track.firstElementChild.style.width = Math.min(1, rows[index].rms_g / Math.max(second.rms_g, 0.001)) * 100 + "%";
      set(output, rows[index].rms_g.toFixed(4) + " g");
    });
  };

  const meter = (name, value, text) => {
    set($(name), text);
    $(name + "-bar").setAttribute("aria-valuenow", value.toFixed(2));
    $(name + "-bar").setAttribute("aria-valuetext", text.trim());
  };

  // Faults stand out while no sample comes; afterwards their number is history.
  const count = (counters, isTroubled) => {
    const list = $("counters");
    const keys = Object.keys(COUNTERS).filter(key => key in counters);
    if (list.dataset.keys !== keys.join(" ")) {
      list.replaceChildren(...groups(keys, COUNTERS));
      list.classList.remove("fused");
      list.dataset.keys = keys.join(" ");
    }
    for (const group of list.children) {
      const [names, value] = [COUNTERS[group.dataset.key], counters[group.dataset.key]];
      if (!names || value === undefined) continue;
      set(group.firstChild, names[value === 1 ? 0 : 1]);
      set(group.lastChild, value.toLocaleString("en-GB"));
      group.classList.toggle("some", isTroubled && value > 0 && group.dataset.key === "faults");
    }
  };

  const groups = (keys, terms) => keys.map(key => {
    const [group, term, value] = ["div", "dt", "dd"].map(name => document.createElement(name));
    term.textContent = terms[key].at(-1);
    group.dataset.key = key;
    group.append(term, value);
    return group;
  });

  // What is known of the gyroscope, after the counters.
  const countFused = f => {
    const list = $("counters");
    if (!list.classList.contains("fused")) {
      list.classList.add("fused");
      list.append(...groups(Object.keys(FUSED), FUSED));
      list.lastChild.classList.add("long");
    }
    const [clipped, die, bias] = [...list.children].slice(-3);
    set(clipped.lastChild, f.clipped_samples.toLocaleString("en-GB"));
    set(die.lastChild, f.temperature_c === null ? "–" : f.temperature_c.toFixed(1) + " °C");
    set(bias.lastChild, f.bias_dps === null ? "–" : f.bias_dps.map(value => sign(value, 2).trim()).join("  ") + " °/s");
  };

  // Writes the time of an event: by the viewer's clock, or of the run.
  const clock = time => {
    if (time.dataset.t === undefined) return;
    if (!hasClock) return set(time, `${Number(time.dataset.t).toFixed(2)} s`);
    if (began === null) return;
    const date = new Date(began + time.dataset.t * 1000);
    set(time, date.toLocaleTimeString("en-GB"));
    time.dateTime = date.toISOString();
  };

  // Adds an event: its time in s, its weight and its words.
  const note = event => {
    const [item, time, mark, text] = ["li", "time", "b", "span"].map(name => document.createElement(name));
    const [sign, word] = MARKS[event.weight] || MARKS.remark;
    if (event.t !== undefined) [time.dataset.t, time.title] = [event.t, `${event.t.toFixed(1)} s after the start`];
    clock(time);
    [mark.textContent, text.textContent, item.className] = [sign, event.text, event.weight];
    if (word) mark.setAttribute("aria-label", word); else mark.setAttribute("aria-hidden", "true");
    item.append(time, mark, text);
    const list = $("notes");
    list.querySelector(".none")?.remove();
    list.prepend(item);
    while (list.children.length > 60) list.lastChild.remove();
    if (event.weight === "trouble") set($("spoken"), "Trouble: " + event.text);
  };

  // Shows a word for the state of the connection, and if the picture is old, why and how old.
  const show = (word, trouble = null, age = "") => {
    $("banner").hidden = trouble === null;
    set($("banner-text"), trouble || "");
    set($("banner-age"), age);
    document.body.classList.toggle("old", trouble !== null);
    document.body.classList.toggle("paused", isPaused);
    set($("status-text"), trouble !== null ? "old" : isPaused ? "paused" : word);
  };

  const duration = seconds => {
    const whole = Math.round(seconds);
    return whole < 120 ? `${whole} s` : whole < 7200 ? `${Math.round(whole / 60)} min` : `${Math.round(whole / 3600)} h`;
  };

  const pause = pauses => {
    isPaused = pauses;
    $("pause").setAttribute("aria-pressed", String(isPaused));
    set($("pause"), isPaused ? "Resume" : "Pause");
    if (!isPaused) request();
  };

  const restyle = () => { Chart.forget(); nameLamps(); if (drawn) Chart.draw($("chart")); };
  window.matchMedia("(prefers-color-scheme:dark)").addEventListener("change", restyle);
  window.addEventListener("resize", restyle);
  Board.build($("board"));
  Board.update([[1, 0, 0], [0, 1, 0], [0, 0, 1]]);
  return { $, set, forget, begin, take, note, show, duration, pause, count, COUNTERS, FUSED, get isPaused() { return isPaused; } };
})();
