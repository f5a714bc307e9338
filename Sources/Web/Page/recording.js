// Reads a recording as it comes, in Plumb's format or in an export of phyphox or Sensor Logger, with the rules and the
// words of `plumb replay` (Sources/Programs/plumb/Recordings). Memory does not depend on the length of a file.
const Recordings = (() => {
  // The longest accepted line, in bytes; no line of numbers comes near it.
  const LONGEST = 1000;
  // ±1e12 s and ±32767 g are what the core can hold; ±4000 °/s is twice the widest range of the sensors.
  const [TIME, FORCE, ROTATION] = [1e12, 32767, 4000];
  const [METRES, RADIANS] = [9.80665, Math.PI / 180];
  const HEADER = "time_s,x_g,y_g,z_g";

  // The known headers: time and force, rotation, the recorded values of 1 g and of 1 °/s.
  const KNOWN = [
    [["time_s", "x_g", "y_g", "z_g"], ["x_dps", "y_dps", "z_dps"], 1, 1],
    [["time (s)", "acceleration x (m/s^2)", "acceleration y (m/s^2)", "acceleration z (m/s^2)"],
      ["gyroscope x (rad/s)", "gyroscope y (rad/s)", "gyroscope z (rad/s)"], METRES, RADIANS],
    [["seconds_elapsed", "x", "y", "z"], [], METRES, RADIANS],
    [["seconds_elapsed", "totalacceleration_x", "totalacceleration_y", "totalacceleration_z"],
      ["gyroscope_x", "gyroscope_y", "gyroscope_z"], METRES, RADIANS],
  ];

  /** A file that is no recording: what is wrong with it, and in which line. */
  class RecordingError extends Error {}

  /** Bytes, made safe for a message: anything but printable ASCII is escaped; cut at `limit`. */
  const quoted = (bytes, limit = 40) => {
    const shown = Array.from(bytes.subarray(0, limit), byte => byte >= 0x20 && byte <= 0x7e && byte !== 0x22 && byte !== 0x5c
      ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, "0")}`);
    return `"${shown.join("")}${bytes.length > limit ? "…" : ""}"`;
  };
  const quotedName = (name, limit) => quoted(new TextEncoder().encode(name), limit);
  // Of a row, each character is a byte.
  const quotedRow = text => quoted(Uint8Array.from(text, letter => letter.charCodeAt(0)));

  const trimmedName = text => text.replace(/^[ \t\r"]+|[ \t\r"]+$/g, "");
  const trimmed = (text, separator) => separator === "\t" ? text.replace(/^[ \r]+|[ \r]+$/g, "") : text.replace(/^[ \t\r]+|[ \t\r]+$/g, "");

  // The fields of a header; a separator in quotation marks is part of a name.
  const fieldsOf = (line, separator) => {
    const fields = [""];
    let isQuoted = false;
    for (const letter of line) {
      if (letter === '"') isQuoted = !isQuoted;
      if (letter === separator && !isQuoted) fields.push(""); else fields[fields.length - 1] += letter;
    }
    return fields;
  };

  // Only decimal digits, sign, point and exponent: no hexadecimal, no words.
  const NUMBER = /^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?$/i;

  /**
   * A recording called `name`. `push` takes bytes and hands each sample to `take` as time in s, force and rotation (null
   * without one) as recorded; `end` takes the last line. Both throw a RecordingError, after the samples before that line.
   */
  class RecordingReader {
    constructor(name, take) {
      [this.name, this.take] = [name, take];
      [this.line, this.samples, this.columns] = [0, 0, null];
      // The bytes of an unfinished line.
      [this.rest, this.kept] = [new Uint8Array(LONGEST + 1), 0];
    }

    /** Whether samples have rotation rates; known after the header. */
    get hasRotation() { return this.columns !== null && this.columns.places.length > 4; }
    /** The units, as a monitor takes them. */
    get units() {
      const { scale, rotationScale } = this.columns;
      return { forceUnit: scale === 1 ? "g" : "m/s^2", rotationUnit: rotationScale === 1 ? "deg/s" : "rad/s" };
    }

    push(bytes) {
      for (let start = 0; start < bytes.length;) {
        const feed = bytes.indexOf(10, start);
        const end = feed < 0 ? bytes.length : feed;
        if (this.kept + end - start > LONGEST) this.#stop(this.line + 1, `a line of over ${LONGEST} bytes; is this a CSV file?`);
        if (feed < 0 || this.kept > 0) {
          this.rest.set(bytes.subarray(start, end), this.kept);
          this.kept += end - start;
          if (feed < 0) return;
          this.#read(this.rest.subarray(0, this.kept));
          this.kept = 0;
        } else {
          this.#read(bytes.subarray(start, end));
        }
        start = end + 1;
      }
    }

    end() {
      if (this.kept > 0) this.#read(this.rest.subarray(0, this.kept));
      this.kept = 0;
      if (this.line === 0) throw new RecordingError(`${this.name}: the file is empty; a header "${HEADER}" was expected`);
      if (this.samples === 0) throw new RecordingError(`${this.name}: there is no sample after the header`);
    }

    #stop(line, words) { throw new RecordingError(`${this.name}:${line}: ${words}`); }

    #read(bytes) {
      this.line++;
      // After the header there is no text, only numbers: each byte is a character.
      if (this.columns === null) this.columns = this.#header(new TextDecoder().decode(bytes));
      else this.#row(String.fromCharCode(...bytes));
    }

    #header(text) {
      const separator = text.includes("\t") ? "\t" : text.includes(";") ? ";" : ",";
      const found = fieldsOf(text, separator).map(trimmedName);
      const plain = found.map(name => name.toLowerCase().replaceAll("²", "^2"));
      const listed = () => "the columns are " + found.slice(0, 12).map((name, i) => `${i + 1} ${quotedName(name)}`).join(", ")
        + (found.length > 12 ? " and more" : "");
      for (const [names, rotation, scale, rotationScale] of KNOWN) {
        const places = names.map(name => plain.indexOf(name));
        if (places.includes(-1)) continue;
        const about = rotation.map(name => plain.indexOf(name)).filter(place => place >= 0);
        if (about.length !== 0 && about.length !== 3) {
          const missing = rotation.filter(name => !plain.includes(name)).map(name => `"${name}"`).join(" and ");
          this.#stop(this.line, `rotation takes three columns, and ${missing} is not among these; ${listed()}`);
        }
        const all = [...places, ...about];
        const limits = [TIME, ...Array(3).fill(FORCE * scale), ...Array(3).fill(ROTATION * rotationScale)];
        return { separator, places: all, names: all.map(place => found[place]), count: found.length, limits, scale, rotationScale };
      }
      if (plain.some(name => name.startsWith("linear acceleration"))) {
        this.#stop(this.line, "linear acceleration lacks gravity, which Plumb needs; export the acceleration with g");
      }
      return this.#stop(this.line, `the header is ${quotedName(trimmed(text, ","), 120)}; "${HEADER}" was expected, or the header of `
        + `phyphox or Sensor Logger; convert any other file with plumb replay --columns (${listed()})`);
    }

    #row(text) {
      const { separator, places, count } = this.columns;
      const line = trimmed(text, separator);
      if (line === "") return;
      const fields = line.split(separator);
      if (fields.length !== count) this.#stop(this.line, `${fields.length} columns where ${count} were expected, in ${quotedRow(line)}`);
      const values = places.map((place, role) => this.#value(fields[place], role));
      this.samples++;
      this.take(values[0], values.slice(1, 4), places.length > 4 ? values.slice(4) : null);
    }

    #value(field, role) {
      const { separator, names, limits } = this.columns;
      const text = field.replace(/^[ \t\r]+|[ \t\r]+$/g, "");
      const plain = separator === "," ? text : text.replaceAll(",", ".");
      const value = NUMBER.test(plain) ? Number(plain) : NaN;
      if (!Number.isFinite(value)) this.#stop(this.line, `${names[role]} is ${quotedRow(text)}, which is not a number`);
      if (Math.abs(value) > limits[role]) {
        const words = role > 3 ? `${ROTATION} °/s` : Math.trunc(limits[role]);
        this.#stop(this.line, `${names[role]} is ${quotedRow(text)}, beyond ±${words}`);
      }
      return value;
    }
  }
  return { RecordingReader, RecordingError };
})();
