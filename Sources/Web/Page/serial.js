// A live board on a serial line: a Pico with Plumb's firmware, or a UART (docs/pico.md). Lines are read by the module;
// this carries bytes.
const Serial = (() => {
  /** Why a serial line cannot be used here, in words; null if it can. */
  const obstacle = scope =>
    !scope.isSecureContext ? "WebSerial needs https: open this page by an address that begins with https, or from this computer."
      : !scope.navigator.serial ? "This browser has no WebSerial. Chrome, Edge and Opera have it on a computer; Firefox and Safari do not." : null;

  /**
   * Reads a port that the user has chosen. `take` gets bytes as they come; `tell` gets what to say: a state (`waiting`,
   * `live`, `off`) and words.
   */
  class Line {
    constructor(port, request, take, tell) {
      [this.port, this.request, this.take, this.tell] = [port, request, take, tell];
      [this.waiting, this.written] = [0, Promise.resolve()];
    }

    /** Opens the port, asks for a hello and samples, and reads until `close`, or until the board is unplugged. */
    async run() {
      this.tell("waiting", "Opening the port.");
      try {
        await this.port.open({ baudRate: 115200, bufferSize: 4096 });
      } catch (error) {
        return this.tell("off", `The port cannot be opened: ${error.message} Is another program using it?`);
      }
      let failure = null;
      this.send(this.request);
      this.tell("waiting", "Waiting for the board to say hello.");
      // After bytes that were lost or broken there is another stream; after the plug was pulled there is none.
      while (!failure && this.port.readable && !this.isClosing) {
        this.reader = this.port.readable.getReader();
        try {
          for (let piece = await this.reader.read(); !piece.done; piece = await this.reader.read()) this.take(piece.value);
          break;
        } catch (error) {
          if (!this.port.readable) failure = error;
        } finally {
          this.reader.releaseLock();
        }
      }
      try { await this.port.close(); } catch { /* A port that is gone is closed. */ }
      this.tell("off", this.isClosing || !failure ? "The port is closed."
        : failure.name === "NetworkError" ? "The board was unplugged." : `The serial line failed: ${failure.message}`);
    }

    async #write(text) {
      const writer = this.port.writable.getWriter();
      try { await writer.write(new TextEncoder().encode(text)); } finally { writer.releaseLock(); }
    }

    /** Sends requests to the board, one after the other; some at most wait for a board that does not read. */
    send(text) {
      if (this.waiting > 4) return;
      this.waiting++;
      this.written = this.written.then(() => this.#write(text)).catch(() => { /* The reader reports what is wrong with the port. */ })
        .finally(() => { this.waiting--; });
    }

    async close() {
      this.isClosing = true;
      try { await this.reader?.cancel(); } catch { /* Already gone. */ }
    }
  }
  return { Line, obstacle };
})();
