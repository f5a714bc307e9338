import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { recordings, replayed, root, wordless } from "./support.mjs";

const examples = `${root}docs/examples/javascript/`;

/** What the example `name` prints, in a folder with what `make web` has built. */
function run(name, ...options) {
  const folder = mkdtempSync(`${tmpdir()}/plumb-example-`);
  try {
    cpSync(`${root}build/web`, folder, { recursive: true });
    copyFileSync(examples + name, `${folder}/${name}`);
    return execFileSync(process.execPath, [name, ...options], { cwd: folder, encoding: "utf8" });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

for (const name of readdirSync(examples).filter((file) => file.endsWith(".txt"))) {
  const example = name.replace(".txt", ".mjs");
  test(`${example} prints what the documentation shows`, () => {
    assert.equal(run(example), readFileSync(examples + name, "utf8"));
  });
}

test("recording.mjs prints the events of plumb replay", () => {
  const [path] = recordings;
  const expected = replayed(path, "--show", "shake,rotation").filter(({ event }) => event !== "summary");
  const found = run("recording.mjs", path).trim().split("\n").map((line) => wordless(JSON.parse(line)));
  assert.deepEqual(found, expected);
});
