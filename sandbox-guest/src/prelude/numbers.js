// Intl.NumberFormat and toLocaleString of numbers, for English. Other locales are taken as English.
() => {
  "use strict";
  const SYMBOLS = {
    USD: "$", EUR: "€", GBP: "£", JPY: "¥", INR: "₹", CNY: "CN¥", KRW: "₩", BRL: "R$", MXN: "MX$", CAD: "CA$",
    AUD: "A$", NZD: "NZ$", ILS: "₪", VND: "₫", TWD: "NT$", HKD: "HK$", PHP: "₱", XAF: "FCFA",
  };
  const WITHOUT_CENTS = new Set(["JPY", "KRW", "VND", "CLP", "ISK", "XAF"]);
  const COMPACT = [[1e12, "T", "trillion"], [1e9, "B", "billion"], [1e6, "M", "million"], [1e3, "K", "thousand"]];
  const UNITS = {
    byte: "byte", kilobyte: "kB", megabyte: "MB", gigabyte: "GB", terabyte: "TB", percent: "%", celsius: "°C",
    fahrenheit: "°F", kilometer: "km", meter: "m", centimeter: "cm", mile: "mi", kilogram: "kg", gram: "g",
    liter: "L", second: "sec", minute: "min", hour: "hr", day: "day", millisecond: "ms", "kilometer-per-hour": "km/h",
  };

  // Digits and the place of the point, of the shortest text that means this number.
  const decimal = (value) => {
    const [mantissa, exponent = "0"] = String(value).replace("-", "").split("e");
    const [whole, fraction = ""] = mantissa.split(".");
    const digits = (whole + fraction).replace(/^0+(?=.)/, "");
    const point = digits.length - fraction.length + Number(exponent);
    return { digits, point };
  };

  // Rounds half away from zero so that `places` digits follow the point.
  const round = ({ digits, point }, places) => {
    const keep = point + places;
    if (keep >= digits.length) return { digits, point };
    if (keep < 0) return { digits: "0", point: 1 };
    const up = digits[keep] >= "5";
    let kept = digits.slice(0, keep) || "0";
    if (!up) return { digits: kept, point: keep === 0 ? 1 : point };
    kept = String(BigInt(kept) + 1n).padStart(kept.length, "0");
    return { digits: kept, point: (keep === 0 ? point + 1 : point) + (kept.length > Math.max(keep, 1) ? 1 : 0) };
  };

  const written = ({ digits, point }, least, most) => {
    const padded = point <= 0 ? "0".repeat(1 - point) + digits : digits;
    const at = point <= 0 ? 1 : point;
    const whole = padded.slice(0, at).padEnd(at, "0");
    let fraction = padded.slice(at).slice(0, most);
    fraction = fraction.replace(/0+$/, "").padEnd(least, "0");
    return [whole.replace(/^0+(?=\d)/, ""), fraction];
  };

  const digitsOption = (value, from, to, fallback, name) => {
    if (value === undefined) return fallback;
    const number = Number(value);
    if (!(number >= from && number <= to)) throw new RangeError(`${name} value is out of range.`);
    return Math.floor(number);
  };

  class NumberFormat {
    #options;
    constructor(locales, options = {}) {
      if (new.target === undefined) return new NumberFormat(locales, options);
      const given = options ?? {};
      const style = given.style ?? "decimal";
      if (!["decimal", "percent", "currency", "unit"].includes(style)) {
        throw new RangeError(`Value ${style} out of range for Intl.NumberFormat options property style`);
      }
      if (style === "currency" && given.currency === undefined) {
        throw new TypeError("Currency code is required with currency style.");
      }
      const currency = given.currency === undefined ? undefined : String(given.currency).toUpperCase();
      const compact = given.notation === "compact";
      const cents = style === "currency" ? (WITHOUT_CENTS.has(currency) ? 0 : 2) : 0;
      const leastGiven = given.minimumFractionDigits;
      const mostGiven = given.maximumFractionDigits;
      let least = digitsOption(leastGiven, 0, 100, compact ? 0 : cents, "minimumFractionDigits");
      const usual = style === "currency" ? cents : style === "percent" || compact ? 0 : 3;
      let most = digitsOption(mostGiven, 0, 100, Math.max(least, usual), "maximumFractionDigits");
      if (least > most) {
        if (leastGiven !== undefined && mostGiven !== undefined) {
          throw new RangeError("maximumFractionDigits value is out of range.");
        }
        if (mostGiven !== undefined) least = most;
        else most = least;
      }
      this.#options = {
        style, currency, compact, least, most,
        display: given.currencyDisplay ?? "symbol",
        unit: given.unit,
        unitDisplay: given.unitDisplay ?? "short",
        long: given.compactDisplay === "long",
        implied: compact && mostGiven === undefined && leastGiven === undefined,
        integer: digitsOption(given.minimumIntegerDigits, 1, 21, 1, "minimumIntegerDigits"),
        significant: digitsOption(given.maximumSignificantDigits, 1, 21, undefined, "maximumSignificantDigits"),
        leastSignificant: digitsOption(given.minimumSignificantDigits, 1, 21, undefined, "minimumSignificantDigits"),
        grouping: given.useGrouping ?? true,
        sign: given.signDisplay ?? "auto",
        accounting: given.currencySign === "accounting",
      };
      this.format = (value) => this.#format(value);
    }

    #number(value) {
      const o = this.#options;
      let parts = decimal(value);
      if (o.style === "percent" && parts.digits !== "0") parts = { digits: parts.digits, point: parts.point + 2 };
      let suffix = "";
      if (o.compact) {
        for (const [size, short, long] of COMPACT) {
          if (Number(value) >= size) {
            parts = { digits: parts.digits, point: parts.point - Math.round(Math.log10(size)) };
            suffix = o.long ? ` ${long}` : short;
            break;
          }
        }
      }
      let least = o.least;
      let most = o.most;
      if (o.significant !== undefined || o.leastSignificant !== undefined) {
        most = (o.significant ?? 21) - parts.point;
        least = Math.max(0, (o.leastSignificant ?? 1) - parts.point);
      } else if (o.implied) {
        most = Math.max(0, 2 - Math.max(parts.point, 1));
      }
      const [whole, fraction] = written(round(parts, most), least, Math.max(most, 0));
      let text = whole.padStart(o.integer, "0");
      const groups = o.grouping !== false && o.grouping !== "false" && !(o.grouping === "min2" && text.length < 5);
      if (groups) text = text.replace(/\B(?=(\d{3})+$)/g, ",");
      return text + (fraction === "" ? "" : `.${fraction}`) + suffix;
    }

    #format(input) {
      const o = this.#options;
      const value = typeof input === "bigint" ? input : Number(input);
      const negative = typeof value === "bigint" ? value < 0n : value < 0 || Object.is(value, -0);
      const size = negative ? -value : value;
      let text;
      if (typeof value === "number" && !Number.isFinite(value)) text = Number.isNaN(value) ? "NaN" : "∞";
      else text = this.#number(size);
      if (o.style === "percent") text += "%";
      if (o.style === "currency") {
        if (o.display === "code") text = `${o.currency} ${text}`;
        else if (o.display === "name") text = `${text} ${o.currency}`;
        else {
          const symbol = o.display === "narrowSymbol" ? (SYMBOLS[o.currency] ?? o.currency).replace(/^[A-Z]+(?=\W)/, "") : SYMBOLS[o.currency] ?? `${o.currency} `;
          text = symbol + text;
        }
      }
      if (o.style === "unit") {
        const name = UNITS[o.unit] ?? o.unit;
        const glued = name === "%" || name.startsWith("°") || o.unitDisplay === "narrow";
        if (o.unitDisplay === "long") text += ` ${o.unit}${text === "1" ? "" : "s"}`;
        else text += glued ? name : ` ${name}${["day", "byte"].includes(name) && text !== "1" ? "s" : ""}`;
      }
      const zero = !/[1-9∞]/.test(text);
      if (o.sign === "never" || Number.isNaN(value)) return text;
      if (negative && !(zero && (o.sign === "negative" || o.sign === "exceptZero"))) {
        return o.accounting ? `(${text})` : `-${text}`;
      }
      if (o.sign === "always" || (o.sign === "exceptZero" && !zero)) return `+${text}`;
      return text;
    }

    formatToParts(value) {
      const kinds = { ",": "group", ".": "decimal", "-": "minusSign", "+": "plusSign", "%": "percentSign" };
      const parts = [];
      let fraction = false;
      for (const [piece] of this.#format(value).matchAll(/\d+|[^\d]/g)) {
        if (piece === ".") fraction = true;
        const type = kinds[piece] ?? (/\d/.test(piece) ? (fraction ? "fraction" : "integer") : piece.trim() === "" ? "literal" : "currency");
        const last = parts.at(-1);
        if (last?.type === "currency" && type === "currency") last.value += piece;
        else parts.push({ type, value: piece });
      }
      return parts;
    }
    formatRange(from, to) { return `${this.#format(from)}–${this.#format(to)}`; }
    resolvedOptions() {
      const o = this.#options;
      return {
        locale: "en-US", numberingSystem: "latn", style: o.style,
        ...(o.currency === undefined ? {} : { currency: o.currency, currencyDisplay: o.display }),
        minimumIntegerDigits: o.integer, minimumFractionDigits: o.least, maximumFractionDigits: o.most,
        useGrouping: o.grouping === false ? false : "auto", notation: o.compact ? "compact" : "standard",
      };
    }
    static supportedLocalesOf(locales) { return [].concat(locales ?? []); }
  }

  // Callable without `new`, as the standard has it.
  const callable = new Proxy(NumberFormat, { apply: (target, self, args) => new target(...args) });
  const hide = (object, name, value) =>
    Object.defineProperty(object, name, { value, writable: true, configurable: true });
  hide(globalThis, "Intl", {});
  Object.defineProperty(Intl, Symbol.toStringTag, { value: "Intl", configurable: true });
  hide(Intl, "NumberFormat", callable);
  hide(Intl, "getCanonicalLocales", (locales) => [].concat(locales ?? []).map(String));
  hide(Intl, "supportedValuesOf", (key) => (key === "timeZone" ? ["UTC"] : []));
  const plain = new NumberFormat();
  for (const type of [Number, BigInt]) {
    hide(type.prototype, "toLocaleString", function toLocaleString(locales, options) {
      const value = type.prototype.valueOf.call(this);
      return (options === undefined ? plain : new NumberFormat(locales, options)).format(value);
    });
  }
}
