import { load } from "./plumb.js";

const plumb = await load();
const monitor = await plumb.monitor();

// Upright for a second, then on its back: what a sensor would measure, in g, 100 times a second.
for (let index = 0; index < 200; index++) {
  const force = index < 100 ? [0, 1, 0] : [0, 0, 1];
  for (const { t, event, words } of monitor.sample(index / 100, force)) console.log(t, event, words);
}

const { pose, counters } = monitor.snapshot;
console.log(pose, counters.samples, monitor.reading.pitch_deg, monitor.lines);
