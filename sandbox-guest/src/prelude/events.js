// EventTarget, AbortController and AbortSignal: enough for code that passes a signal along.
() => {
  "use strict";
  const define = (name, value) =>
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });

  class Event {
    #type;
    #prevented = false;
    constructor(type, options = {}) {
      this.#type = String(type);
      this.cancelable = Boolean(options.cancelable);
      this.bubbles = Boolean(options.bubbles);
      this.target = null;
      this.currentTarget = null;
    }
    get type() { return this.#type; }
    get defaultPrevented() { return this.#prevented; }
    preventDefault() { if (this.cancelable) this.#prevented = true; }
    stopPropagation() {}
    stopImmediatePropagation() { this.stopped = true; }
  }

  class EventTarget {
    #listeners = new Map();
    addEventListener(type, listener, options) {
      if (listener === null || listener === undefined) return;
      const list = this.#listeners.get(String(type)) ?? [];
      if (list.some((known) => known.listener === listener)) return;
      const once = typeof options === "object" && options !== null && Boolean(options.once);
      this.#listeners.set(String(type), [...list, { listener, once }]);
    }
    removeEventListener(type, listener) {
      const list = this.#listeners.get(String(type)) ?? [];
      this.#listeners.set(String(type), list.filter((known) => known.listener !== listener));
    }
    dispatchEvent(event) {
      event.target = event.currentTarget = this;
      for (const { listener, once } of this.#listeners.get(event.type) ?? []) {
        if (once) this.removeEventListener(event.type, listener);
        if (typeof listener === "function") listener.call(this, event);
        else listener.handleEvent(event);
        if (event.stopped) break;
      }
      return !event.defaultPrevented;
    }
  }

  let abort;
  const construct = Symbol();
  class AbortSignal extends EventTarget {
    #aborted = false;
    #reason = undefined;
    onabort = null;
    static {
      abort = (signal, reason) => {
        if (signal.#aborted) return;
        signal.#aborted = true;
        signal.#reason = reason === undefined ? new DOMException("This operation was aborted", "AbortError") : reason;
        const event = new Event("abort");
        event.target = event.currentTarget = signal;
        if (typeof signal.onabort === "function") signal.onabort(event);
        signal.dispatchEvent(event);
      };
    }
    constructor(key) {
      if (key !== construct) throw new TypeError("Illegal constructor");
      super();
    }
    get aborted() { return this.#aborted; }
    get reason() { return this.#reason; }
    throwIfAborted() { if (this.#aborted) throw this.#reason; }
    static abort(reason) {
      const signal = new AbortSignal(construct);
      abort(signal, reason);
      return signal;
    }
    static timeout(ms) {
      const signal = new AbortSignal(construct);
      setTimeout(() => abort(signal, new DOMException("The operation timed out", "TimeoutError")), ms);
      return signal;
    }
    static any(signals) {
      const signal = new AbortSignal(construct);
      for (const source of signals) {
        if (source.aborted) {
          abort(signal, source.reason);
          break;
        }
        source.addEventListener("abort", () => abort(signal, source.reason));
      }
      return signal;
    }
  }

  class AbortController {
    #signal = new AbortSignal(construct);
    get signal() { return this.#signal; }
    abort(reason) { abort(this.#signal, reason); }
  }

  define("Event", Event);
  define("EventTarget", EventTarget);
  define("AbortSignal", AbortSignal);
  define("AbortController", AbortController);
}
