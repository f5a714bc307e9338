import { load } from "./plumb.js";

const plumb = await load();
const reader = await plumb.streamReader();
const bytes = (text) => new TextEncoder().encode(text);

// What a board would answer to reader.request, after the end of a line that began before.
const hello = '{"event":"hello","protocol":1,"sensor":"adxl345","address":83,"rate_hz":100,"t":12,"pose":"portrait","since":3}';
for (const message of reader.push(bytes(`"z":1}\n${hello}\n{"t":13,"event":"shake"}\n{"t":`))) console.log(message.event);
console.log(reader.isKnown, reader.snapshot.words);

// The rest of the line makes no sense: from now on nothing is known.
console.log(reader.push(bytes("oops\n")), reader.isKnown, reader.snapshot.words);
