// TextEncoder and TextDecoder over native conversion. UTF-8 only, as the standard's encoder.
(natives) => {
  "use strict";
  const { encodeText, decodeText, pendingBytes } = natives;
  const define = (name, value) =>
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });

  const visible = (input) => {
    if (input === undefined) return new Uint8Array(0);
    if (input instanceof ArrayBuffer) return new Uint8Array(input);
    if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
    throw new TypeError("decode needs an ArrayBuffer or a view of one");
  };

  class TextEncoder {
    get encoding() { return "utf-8"; }
    encode(text = "") { return encodeText(text); }
    encodeInto(text, target) {
      let read = 0;
      let written = 0;
      for (const character of String(text)) {
        const bytes = encodeText(character);
        if (written + bytes.length > target.length) break;
        target.set(bytes, written);
        written += bytes.length;
        read += character.length;
      }
      return { read, written };
    }
  }

  const LABELS = new Set(["utf-8", "utf8", "unicode-1-1-utf-8", "unicode11utf8", "unicode20utf8", "x-unicode20utf8"]);
  class TextDecoder {
    #fatal;
    #ignoreBOM;
    #rest = new Uint8Array(0);
    #started = false;
    constructor(label = "utf-8", options = {}) {
      if (!LABELS.has(String(label).trim().toLowerCase())) {
        throw new RangeError(`The "${label}" encoding is not supported`);
      }
      this.#fatal = Boolean(options?.fatal);
      this.#ignoreBOM = Boolean(options?.ignoreBOM);
    }
    get encoding() { return "utf-8"; }
    get fatal() { return this.#fatal; }
    get ignoreBOM() { return this.#ignoreBOM; }
    decode(input, options) {
      let bytes = visible(input);
      if (this.#rest.length > 0) {
        const joined = new Uint8Array(this.#rest.length + bytes.length);
        joined.set(this.#rest);
        joined.set(bytes, this.#rest.length);
        bytes = joined;
      }
      const stream = Boolean(options?.stream);
      const end = bytes.length - (stream ? pendingBytes(bytes) : 0);
      this.#rest = bytes.slice(end);
      let text = decodeText(bytes.subarray(0, end), this.#fatal);
      if (!this.#started && !this.#ignoreBOM && text.charCodeAt(0) === 0xfeff) text = text.slice(1);
      this.#started = stream && (this.#started || end > 0);
      return text;
    }
  }

  define("TextEncoder", TextEncoder);
  define("TextDecoder", TextDecoder);
}
