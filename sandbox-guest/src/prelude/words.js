// Intl.Collator, PluralRules, ListFormat and RelativeTimeFormat, for English.
() => {
  "use strict";
  const hide = (object, name, value) =>
    Object.defineProperty(object, name, { value, writable: true, configurable: true });

  const MARKS = /\p{M}/gu;
  const sign = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  // Blanks and punctuation come before digits, digits before letters.
  const weight = (character) => (/\p{L}/u.test(character) ? 2 : /\p{N}/u.test(character) ? 1 : 0);
  const compareLetters = (a, b, numeric) => {
    if (numeric) {
      const [x, y] = [a, b].map((text) => text.match(/\d+|\D+/g) ?? []);
      for (let at = 0; at < Math.min(x.length, y.length); at += 1) {
        const digits = /^\d/.test(x[at]) && /^\d/.test(y[at]);
        const order = digits ? sign(BigInt(x[at]), BigInt(y[at])) : compareLetters(x[at], y[at], false);
        if (order !== 0) return order;
      }
      return sign(x.length, y.length);
    }
    const [x, y] = [[...a], [...b]];
    for (let at = 0; at < Math.min(x.length, y.length); at += 1) {
      if (x[at] === y[at]) continue;
      return sign(weight(x[at]), weight(y[at])) || sign(x[at], y[at]);
    }
    return sign(x.length, y.length);
  };

  const compare = (left, right, { sensitivity, numeric, upperFirst, ignorePunctuation }) => {
    if (left === right) return 0;
    let [a, b] = [left.normalize("NFD"), right.normalize("NFD")];
    if (ignorePunctuation) [a, b] = [a, b].map((text) => text.replace(/[\p{P}\s]/gu, ""));
    const [baseA, baseB] = [a.replace(MARKS, ""), b.replace(MARKS, "")];
    const letters = compareLetters(baseA.toLowerCase(), baseB.toLowerCase(), numeric);
    if (letters !== 0 || sensitivity === "base") return letters;
    if (sensitivity !== "case") {
      const marks = sign(a.toLowerCase(), b.toLowerCase());
      if (marks !== 0 || sensitivity === "accent") return marks;
    }
    // Small letters first, the other way round than their codes.
    return (upperFirst ? 1 : -1) * sign(baseA, baseB);
  };

  class Collator {
    #options;
    constructor(locales, options = {}) {
      this.#options = {
        sensitivity: options?.sensitivity ?? "variant",
        numeric: Boolean(options?.numeric),
        upperFirst: options?.caseFirst === "upper",
        ignorePunctuation: Boolean(options?.ignorePunctuation),
      };
      this.compare = (a, b) => compare(String(a), String(b), this.#options);
    }
    resolvedOptions() { return { locale: "en-US", usage: "sort", ...this.#options }; }
    static supportedLocalesOf(locales) { return [].concat(locales ?? []); }
  }
  const usual = new Collator();
  hide(String.prototype, "localeCompare", function localeCompare(other, locales, options) {
    const collator = options === undefined ? usual : new Collator(locales, options);
    return collator.compare(this, other);
  });

  class PluralRules {
    #ordinal;
    constructor(locales, options = {}) { this.#ordinal = options?.type === "ordinal"; }
    select(input) {
      const number = Number(input);
      if (!this.#ordinal) return number === 1 ? "one" : "other";
      const [last, lastTwo] = [number % 10, number % 100];
      if (last === 1 && lastTwo !== 11) return "one";
      if (last === 2 && lastTwo !== 12) return "two";
      return last === 3 && lastTwo !== 13 ? "few" : "other";
    }
    resolvedOptions() { return { locale: "en-US", type: this.#ordinal ? "ordinal" : "cardinal" }; }
  }

  class ListFormat {
    #word;
    constructor(locales, options = {}) {
      this.#word = options?.type === "unit" ? "" : options?.type === "disjunction" ? "or " : "and ";
    }
    format(list) {
      const items = [...list].map(String);
      if (items.length < 2) return items.join("");
      if (items.length === 2) return this.#word === "" ? items.join(", ") : `${items[0]} ${this.#word}${items[1]}`;
      return `${items.slice(0, -1).join(", ")}, ${this.#word}${items.at(-1)}`;
    }
  }

  const NEAR = {
    day: ["yesterday", "today", "tomorrow"],
    year: ["last year", "this year", "next year"],
    month: ["last month", "this month", "next month"],
    week: ["last week", "this week", "next week"],
  };
  class RelativeTimeFormat {
    #auto;
    constructor(locales, options = {}) { this.#auto = options?.numeric === "auto"; }
    format(value, unit) {
      const name = String(unit).replace(/s$/, "");
      const number = Number(value);
      const near = this.#auto ? NEAR[name]?.[number + 1] : undefined;
      if (near !== undefined) return near;
      const size = Math.abs(number);
      const amount = `${size.toLocaleString("en-US")} ${name}${size === 1 ? "" : "s"}`;
      return number < 0 || Object.is(number, -0) ? `${amount} ago` : `in ${amount}`;
    }
  }

  hide(Intl, "Collator", new Proxy(Collator, { apply: (target, self, args) => new target(...args) }));
  hide(Intl, "PluralRules", PluralRules);
  hide(Intl, "ListFormat", ListFormat);
  hide(Intl, "RelativeTimeFormat", RelativeTimeFormat);
}
