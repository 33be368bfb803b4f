// URL and URLSearchParams. Parsing is native; this file holds the classes.
(natives) => {
  "use strict";
  const { parseUrl, changeUrl, encodeText, decodeText } = natives;
  const define = (name, value) =>
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });

  const SAFE = /[A-Za-z0-9*\-._]/;
  const encodePart = (text) => {
    let out = "";
    for (const byte of encodeText(text)) {
      const character = String.fromCharCode(byte);
      if (byte === 32) out += "+";
      else if (byte < 128 && SAFE.test(character)) out += character;
      else out += "%" + byte.toString(16).toUpperCase().padStart(2, "0");
    }
    return out;
  };
  const decodePart = (text) => {
    const source = encodeText(text.replaceAll("+", " "));
    const bytes = [];
    for (let at = 0; at < source.length; at += 1) {
      const hex = source[at] === 37 ? String.fromCharCode(source[at + 1] ?? 0, source[at + 2] ?? 0) : "";
      if (/^[0-9a-fA-F]{2}$/.test(hex)) {
        bytes.push(parseInt(hex, 16));
        at += 2;
      } else {
        bytes.push(source[at]);
      }
    }
    return decodeText(new Uint8Array(bytes), false);
  };
  const parseQuery = (text) =>
    text.split("&").filter((part) => part !== "").map((part) => {
      const at = part.indexOf("=");
      return at < 0 ? [decodePart(part), ""] : [decodePart(part.slice(0, at)), decodePart(part.slice(at + 1))];
    });

  let follow;
  let replace;
  class URLSearchParams {
    #pairs = [];
    #changed = null;
    static {
      follow = (params, changed) => { params.#changed = changed; };
      replace = (params, query) => { params.#pairs = parseQuery(query); };
    }
    constructor(init = "") {
      if (typeof init === "object" && init !== null) {
        if (typeof init[Symbol.iterator] === "function") {
          for (const pair of init) {
            const [name, value, ...rest] = pair;
            if (value === undefined || rest.length > 0) throw new TypeError("each entry must be a name and a value");
            this.#pairs.push([String(name), String(value)]);
          }
        } else {
          for (const name of Object.keys(init)) this.#pairs.push([name, String(init[name])]);
        }
      } else {
        const text = String(init);
        this.#pairs = parseQuery(text.startsWith("?") ? text.slice(1) : text);
      }
    }
    #update() { this.#changed?.(this.toString()); }
    get size() { return this.#pairs.length; }
    append(name, value) { this.#pairs.push([String(name), String(value)]); this.#update(); }
    delete(name, value) {
      this.#pairs = this.#pairs.filter(([key, known]) =>
        key !== String(name) || (value !== undefined && known !== String(value)));
      this.#update();
    }
    get(name) { return this.#pairs.find(([key]) => key === String(name))?.[1] ?? null; }
    getAll(name) { return this.#pairs.filter(([key]) => key === String(name)).map(([, value]) => value); }
    has(name, value) {
      return this.#pairs.some(([key, known]) => key === String(name) && (value === undefined || known === String(value)));
    }
    set(name, value) {
      const at = this.#pairs.findIndex(([key]) => key === String(name));
      if (at < 0) this.#pairs.push([String(name), String(value)]);
      else {
        this.#pairs[at][1] = String(value);
        this.#pairs = this.#pairs.filter(([key], index) => index <= at || key !== String(name));
      }
      this.#update();
    }
    sort() {
      this.#pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
      this.#update();
    }
    forEach(callback, self) { for (const [name, value] of this) callback.call(self, value, name, this); }
    *entries() { for (const [name, value] of this.#pairs) yield [name, value]; }
    *keys() { for (const [name] of this.#pairs) yield name; }
    *values() { for (const [, value] of this.#pairs) yield value; }
    [Symbol.iterator]() { return this.entries(); }
    get [Symbol.toStringTag]() { return "URLSearchParams"; }
    toString() { return this.#pairs.map(([name, value]) => `${encodePart(name)}=${encodePart(value)}`).join("&"); }
  }

  // Places in what the parser answers.
  const PARTS = ["href", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"];
  const ORIGIN = PARTS.length;

  class URL {
    #parts;
    #params = new URLSearchParams();
    constructor(url, base) {
      const parts = parseUrl(url, base);
      if (parts === undefined) {
        const error = new TypeError("Invalid URL");
        error.code = "ERR_INVALID_URL";
        error.input = String(url);
        throw error;
      }
      this.#take(parts);
      follow(this.#params, (query) => { this.#parts = changeUrl(this.#parts[0], "search", query); });
    }
    #take(parts) {
      this.#parts = parts;
      replace(this.#params, parts[8].slice(1));
    }
    static {
      PARTS.forEach((part, at) => {
        Object.defineProperty(URL.prototype, part, {
          get() { return this.#parts[at]; },
          set(value) {
            if (part !== "href") return this.#take(changeUrl(this.#parts[0], part, value));
            const parts = parseUrl(value, undefined);
            if (parts === undefined) throw new TypeError("Invalid URL");
            this.#take(parts);
          },
          enumerable: true,
          configurable: true,
        });
      });
    }
    get origin() { return this.#parts[ORIGIN]; }
    get searchParams() { return this.#params; }
    get [Symbol.toStringTag]() { return "URL"; }
    toString() { return this.#parts[0]; }
    toJSON() { return this.#parts[0]; }
    static canParse(url, base) { return parseUrl(url, base) !== undefined; }
    static parse(url, base) { return URL.canParse(url, base) ? new URL(url, base) : null; }
  }

  define("URLSearchParams", URLSearchParams);
  define("URL", URL);
}
