// Intl.DateTimeFormat and toLocaleString of dates, for English and UTC.
() => {
  "use strict";
  const MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December"];
  const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
  const DATE_STYLES = {
    full: { weekday: "long", month: "long", day: "numeric", year: "numeric" },
    long: { month: "long", day: "numeric", year: "numeric" },
    medium: { month: "short", day: "numeric", year: "numeric" },
    short: { month: "numeric", day: "numeric", year: "2-digit" },
  };
  const TIME_STYLES = {
    full: { hour: "numeric", minute: "2-digit", second: "2-digit", timeZoneName: "long" },
    long: { hour: "numeric", minute: "2-digit", second: "2-digit", timeZoneName: "short" },
    medium: { hour: "numeric", minute: "2-digit", second: "2-digit" },
    short: { hour: "numeric", minute: "2-digit" },
  };
  const DATE_PARTS = ["weekday", "year", "month", "day"];
  const TIME_PARTS = ["hour", "minute", "second", "dayPeriod", "fractionalSecondDigits"];
  const ZONES = ["utc", "etc/utc", "gmt", "etc/gmt", "etc/uct", "z", "+00:00"];

  const two = (number) => String(number).padStart(2, "0");
  const shown = (number, how) => (how === "2-digit" ? two(number % 100) : String(number));

  class DateTimeFormat {
    #options;
    constructor(locales, options, needed = "date") {
      const given = { ...options };
      if (given.timeZone !== undefined && !ZONES.includes(String(given.timeZone).toLowerCase())) {
        throw new RangeError(`Invalid time zone specified: ${given.timeZone} (only UTC is available)`);
      }
      if (given.dateStyle !== undefined || given.timeStyle !== undefined) {
        if (given.dateStyle !== undefined && DATE_STYLES[given.dateStyle] === undefined) {
          throw new RangeError(`Value ${given.dateStyle} out of range for Intl.DateTimeFormat options property dateStyle`);
        }
        if (given.timeStyle !== undefined && TIME_STYLES[given.timeStyle] === undefined) {
          throw new RangeError(`Value ${given.timeStyle} out of range for Intl.DateTimeFormat options property timeStyle`);
        }
        Object.assign(given, DATE_STYLES[given.dateStyle], TIME_STYLES[given.timeStyle]);
      } else {
        const hasDate = DATE_PARTS.some((part) => given[part] !== undefined);
        const hasTime = TIME_PARTS.some((part) => given[part] !== undefined);
        const missing = (needed === "date" && !hasDate && !hasTime) || (needed === "onlyDate" && !hasDate)
          || (needed === "both" && !hasDate && !hasTime);
        if (missing) Object.assign(given, { year: "numeric", month: "numeric", day: "numeric" });
        if ((needed === "both" && !hasDate && !hasTime) || (needed === "onlyTime" && !hasTime)) {
          Object.assign(given, { hour: "numeric", minute: "2-digit", second: "2-digit" });
        }
      }
      const cycle = given.hourCycle;
      given.twelve = given.hour12 ?? (cycle === undefined ? true : cycle === "h12" || cycle === "h11");
      this.#options = given;
      this.format = (date) => this.#text(date).map((part) => part.value).join("");
    }

    #date(d) {
      const o = this.#options;
      const parts = {};
      if (o.weekday !== undefined) parts.weekday = DAYS[d.getUTCDay()].slice(0, o.weekday === "long" ? 9 : o.weekday === "short" ? 3 : 1);
      if (o.year !== undefined) parts.year = shown(d.getUTCFullYear(), o.year);
      if (o.day !== undefined) parts.day = shown(d.getUTCDate(), o.day);
      const named = o.month !== undefined && o.month !== "numeric" && o.month !== "2-digit";
      if (named) parts.month = MONTHS[d.getUTCMonth()].slice(0, o.month === "long" ? 9 : o.month === "short" ? 3 : 1);
      else if (o.month !== undefined) parts.month = shown(d.getUTCMonth() + 1, o.month);
      const out = [];
      const add = (type, glue) => {
        if (parts[type] === undefined) return;
        if (out.length > 0) out.push({ type: "literal", value: glue });
        out.push({ type, value: parts[type] });
      };
      add("weekday", "");
      add("month", ", ");
      add("day", parts.month === undefined ? (parts.weekday === undefined ? "" : " ") : named ? " " : "/");
      add("year", named ? (parts.day === undefined ? " " : ", ") : parts.month === undefined && parts.day === undefined ? ", " : "/");
      return out;
    }

    #time(d) {
      const o = this.#options;
      const out = [];
      const add = (type, value, glue) => {
        if (out.length > 0) out.push({ type: "literal", value: glue });
        out.push({ type, value });
      };
      if (o.hour !== undefined) {
        const hour = d.getUTCHours();
        const clock = o.twelve ? hour % 12 || 12 : hour;
        add("hour", o.hour === "2-digit" || !o.twelve ? two(clock) : String(clock), "");
      }
      const many = [o.hour, o.minute, o.second].filter((part) => part !== undefined).length > 1;
      if (o.minute !== undefined) add("minute", many || o.minute === "2-digit" ? two(d.getUTCMinutes()) : String(d.getUTCMinutes()), ":");
      if (o.second !== undefined) add("second", many || o.second === "2-digit" ? two(d.getUTCSeconds()) : String(d.getUTCSeconds()), ":");
      if (o.fractionalSecondDigits !== undefined) {
        add("fractionalSecond", String(d.getUTCMilliseconds()).padStart(3, "0").slice(0, o.fractionalSecondDigits), ".");
      }
      if (o.hour !== undefined && o.twelve) add("dayPeriod", d.getUTCHours() < 12 ? "AM" : "PM", " ");
      return out;
    }

    #text(input) {
      const o = this.#options;
      const d = new Date(input === undefined ? Date.now() : input);
      if (Number.isNaN(d.getTime())) throw new RangeError("Invalid time value");
      const date = this.#date(d);
      const time = this.#time(d);
      const worded = o.dateStyle === "full" || o.dateStyle === "long" || (o.dateStyle === undefined && o.month === "long");
      const glue = date.length > 0 && time.length > 0 ? [{ type: "literal", value: worded ? " at " : ", " }] : [];
      const zone = o.timeZoneName === undefined ? [] : [
        { type: "literal", value: date.length + time.length === 0 ? "" : " " },
        { type: "timeZoneName", value: o.timeZoneName === "long" ? "Coordinated Universal Time" : "UTC" },
      ];
      return [...date, ...glue, ...time, ...zone];
    }

    formatToParts(date) { return this.#text(date); }
    formatRange(from, to) {
      const [a, b] = [this.format(from), this.format(to)];
      return a === b ? a : `${a} – ${b}`;
    }
    resolvedOptions() {
      const o = this.#options;
      const kept = {};
      for (const part of [...DATE_PARTS, ...TIME_PARTS, "timeZoneName"]) if (o[part] !== undefined) kept[part] = o[part];
      return { locale: "en-US", calendar: "gregory", numberingSystem: "latn", timeZone: "UTC", ...kept };
    }
    static supportedLocalesOf(locales) { return [].concat(locales ?? []); }
  }

  const hide = (object, name, value) =>
    Object.defineProperty(object, name, { value, writable: true, configurable: true });
  // Callable without `new`, as the standard has it.
  hide(Intl, "DateTimeFormat", new Proxy(DateTimeFormat, { apply: (target, self, args) => new target(...args) }));
  const methods = { toLocaleString: "both", toLocaleDateString: "onlyDate", toLocaleTimeString: "onlyTime" };
  for (const [name, needed] of Object.entries(methods)) {
    hide(Date.prototype, name, function (locales, options) {
      if (Number.isNaN(this.getTime())) return "Invalid Date";
      return new DateTimeFormat(locales, options, needed).format(this);
    });
  }
}
