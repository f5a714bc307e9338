import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { root } from "./support.mjs";

const examples = `${root}docs/examples/javascript/`;

/** What the types of Node and WebSerial have, for the programs of the documentation, and the names that those leave open. */
const others = `
declare module "node:fs" { export function readFileSync(path: string, encoding: string): string; }
declare const process: { readonly argv: readonly string[] };
interface Navigator { readonly serial: { requestPort(): Promise<{
  open(options: { baudRate: number }): Promise<void>;
  readonly readable: AsyncIterable<Uint8Array>; readonly writable: WritableStream<Uint8Array> }> }; }
declare const isIOS: boolean;
declare function show(message: import("./plumb.js").PlumbEvent | import("./plumb.js").StreamMessage): void;
`;

/** Programs in TypeScript: right ones, and wrong ones, each of which the compiler must refuse. */
const uses = `
import { attitudeOf, load, type BusFault, type EventName, type PoseName, type Quaternion, type Reading, type Vector } from "./plumb.js";

const plumb = await load(new URL("plumb.wasm.gz", import.meta.url));
const monitor = await plumb.monitor({ forceUnit: "m/s^2", rotationUnit: "rad/s", gravity: "adaptive", taps: true, recorded: true });
const force: Vector = [0, 0, 1];
for (const event of monitor.sample(0, force, [0, 0, 0])) {
  const name: EventName = event.event;
  const text: string = event.words + name;
  const detail: string | undefined = event.detail;
}
const pose: PoseName | "unknown" | undefined = monitor.reading?.pose;
const count: number | undefined = monitor.snapshot.counters.fault_kinds.frozen;
const attitude: Quaternion | null = attitudeOf(monitor.reading as Reading);
const fault: BusFault = "noAcknowledge";
monitor.fault(1, fault);
const board = await plumb.emulatedBoard({ mounting: "+x +y +z" });
board.push = [0.5, 0, 0];
board.turnTo("faceDown", 0.5);
const reader = await plumb.streamReader();
for (const message of reader.push(new Uint8Array(4))) if (message.event === "refused") console.log(message["detail"]);

// @ts-expect-error: not a filter
await plumb.monitor({ gravity: "kalman" });
// @ts-expect-error: not an option
await plumb.monitor({ dwel: 1 });
// @ts-expect-error: text
monitor.sample("0", [0, 0, 1]);
// @ts-expect-error: no bus reports it
monitor.fault(1, "frozen");
// @ts-expect-error: computed, not set
monitor.snapshot.pose = "faceUp";
// @ts-expect-error: not a pose
board.turnTo("sideways");
// @ts-expect-error: there may be none
monitor.reading.x;
// @ts-expect-error: text
reader.push("{}");
// @ts-expect-error: not an event
if (monitor.pass(2)[0]?.event === "flip") board.advance(1);
`;

/** The blocks of code in a page, in order. */
const blocks = (page) => [...readFileSync(root + page, "utf8").matchAll(/^```js\n([^]*?)^```$/gm)].map(([, text]) => text);

/** Has the compiler check `files`, texts by name, beside plumb.d.ts. */
function check(files, options) {
  const folder = mkdtempSync(`${tmpdir()}/plumb-types-`);
  try {
    for (const name of ["plumb.d.ts", "package.json"]) copyFileSync(`${root}build/web/${name}`, `${folder}/${name}`);
    for (const [name, text] of Object.entries(files)) writeFileSync(`${folder}/${name}`, text);
    const compilerOptions = {
      noEmit: true, types: [], target: "es2022", module: "node16", moduleResolution: "node16", lib: ["es2022", "dom", "dom.iterable"],
      skipDefaultLibCheck: true, ...options,
    };
    writeFileSync(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions, include: ["*"] }));
    execFileSync("tsc", ["--pretty", "false", "-p", folder], { encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    assert.fail(error.stdout || String(error));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("the compiler of TypeScript refuses wrong uses, and no right ones", () => {
  check({ "uses.mts": uses }, { strict: true, exactOptionalPropertyTypes: true, noPropertyAccessFromIndexSignature: true });
});

test("the examples and the blocks of the documentation have the types of plumb.d.ts", () => {
  const parts = blocks("docs/using-from-javascript.md").filter((text) => /isIOS|navigator/.test(text));
  assert.equal(parts.length, 2);
  const begin = 'import { load } from "./plumb.js";\nconst plumb = await load();\nconst reader = await plumb.streamReader();\n';
  const names = readdirSync(examples).filter((file) => file.endsWith(".mjs"));
  const files = {
    "others.d.ts": others,
    ...Object.fromEntries(names.map((name) => [name, readFileSync(examples + name, "utf8")])),
    ...Object.fromEntries(parts.map((text, index) => [`part-${index}.mjs`, begin + text])),
  };
  files["wrong.mjs"] = `${begin}// @ts-expect-error: there is no such function\nreader.pushes([]);\n`;
  // As an editor checks programs in JavaScript: what is not declared may be anything, and null.
  check(files, { allowJs: true, checkJs: true });
});
