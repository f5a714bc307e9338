import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { plumb, root } from "./support.mjs";

const declarations = readFileSync(`${root}build/web/plumb.d.ts`, "utf8");

/** The strings of the union `name` in plumb.d.ts, with those of the unions that it names. */
function union(name) {
  const [, text] = new RegExp(`export type ${name} =([^;]*);`).exec(declarations);
  const others = [...text.matchAll(/\b[A-Z]\w+\b/g)].filter(({ index }) => text[index - 1] !== '"');
  return [...[...text.matchAll(/"([^"]*)"/g)].map(([, word]) => word), ...others.flatMap(([other]) => union(other))];
}

test("the names in plumb.d.ts are those of the module", async () => {
  const { poses, reasons, events, faults } = plumb.vocabulary;
  const names = (list) => list.map(({ name }) => name);
  assert.deepEqual(union("PoseName"), names(poses));
  assert.deepEqual(union("UnknownReason"), names(reasons));
  assert.deepEqual(union("EventName"), events);
  assert.deepEqual(union("FaultKind").sort(), [...faults].sort());
  const monitor = await plumb.monitor();
  for (const fault of union("BusFault")) monitor.fault(0, fault);
});

test("the counters in plumb.d.ts are there", async () => {
  const { counters } = (await plumb.monitor()).snapshot;
  const [, text] = /export interface Counters \{([^}]*)\}/.exec(declarations);
  for (const [, name] of text.matchAll(/readonly (\w+):/g)) assert.ok(name in counters, name);
});

test("the version is the project's", () => assert.match(plumb.version, /^\d+\.\d+\.\d+/));

test("the vocabulary cannot be changed", () => {
  assert.throws(() => plumb.vocabulary.poses.push(1), TypeError);
  assert.throws(() => (plumb.vocabulary.poses[0].name = "x"), TypeError);
});
