
// `btoa` and `atob`: bytes as characters, in both directions.
const fromBytes = method(OwnString, "fromCharCode");

const noBase64 = () => new DOMException("the text is not correctly encoded", "InvalidCharacterError");

const toBase64 = (...args) => {
  const text = toText(args.length > 0 ? args[0] : undefined);
  const bytes = new VIEWS.Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) {
    const unit = unitAt(text, at);
    if (unit > 255) throw new DOMException("the text has characters beyond U+00FF", "InvalidCharacterError");
    bytes[at] = unit;
  }
  return native.base64(bufferOfArray(bytes), 0, text.length);
};

const ofBase64 = (...args) => {
  const given = toText(args.length > 0 ? args[0] : undefined);
  let text = "";
  for (let at = 0; at < given.length; at += 1) {
    const unit = unitAt(given, at);
    if (unit !== 32 && unit !== 9 && unit !== 10 && unit !== 12 && unit !== 13) text += slice(given, at, at + 1);
  }
  const over = text.length % 4;
  const buffer = native.bytes(over === 2 ? `${text}==` : over === 3 ? `${text}=` : text);
  if (buffer === undefined) throw noBase64();
  const bytes = new VIEWS.Uint8Array(buffer);
  let out = "";
  for (let at = 0; at < lengthOfArray(bytes); at += 1) out += fromBytes(OwnString, bytes[at]);
  return out;
};

const installBase64 = () => {
  define(globalThis, "btoa", exposed("btoa", 1, toBase64), HIDDEN);
  define(globalThis, "atob", exposed("atob", 1, ofBase64), HIDDEN);
};
