// What the tests share.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { load } from "../../build/web/plumb.js";

export const root = fileURLToPath(new URL("../../", import.meta.url));
export const plumb = await load();

const folder = `${root}Tests/Programs/EndToEnd/Recordings/`;
const others = `${root}Tests/Proofs/Microcontroller/Recordings/`;

/** The recordings of the tests. */
export const recordings = [folder, others].flatMap((place) =>
  readdirSync(place).filter((name) => name.endsWith(".csv")).map((name) => place + name));

/** The samples in the CSV file `path`: time, force, and rotation or null. */
export function samplesOf(path) {
  const [, ...lines] = readFileSync(path, "utf8").trim().split("\n");
  return lines.map((line) => {
    const [time, x, y, z, ...rotation] = line.split(",").map(Number);
    return [time, [x, y, z], rotation.length === 3 ? rotation : null];
  });
}

/** The objects that `plumb replay` prints for a recording. */
export function replayed(path, ...options) {
  const text = execFileSync(process.env.PLUMB ?? `${root}build/plumb`, ["replay", path, "--format", "json", ...options], {
    encoding: "utf8", maxBuffer: 1 << 28,
  });
  return text.trim().split("\n").map((line) => JSON.parse(line));
}

/** `event` as `plumb` prints it: without the words. */
export function wordless({ words, ...fields }) {
  return fields;
}

/** Random numbers that are the same in every run (mulberry32). */
export function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let bits = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}
