import { readFileSync } from "node:fs";
import { load } from "./plumb.js";

const plumb = await load();
const monitor = await plumb.monitor({ recorded: true });

const [, ...lines] = readFileSync(process.argv[2], "utf8").trim().split("\n");
for (const line of lines) {
  const [time, x, y, z, ...rotation] = line.split(",").map(Number);
  for (const event of monitor.sample(time, [x, y, z], rotation.length === 3 ? rotation : null)) {
    console.log(JSON.stringify(event));
  }
}
