//! A text as the code has it: a row of UTF-16 code units, in which half of a surrogate pair may stand alone. Counting
//! and cutting in these units makes every part of a file the one that the code itself would have cut.

use std::fmt::Write as _;

/// The units of a JSON string; `None` for any other JSON. A Rust string would refuse a lone half of a pair.
pub(crate) fn from_json(literal: &str) -> Option<Vec<u16>> {
    let inner = literal.strip_prefix('"')?.strip_suffix('"')?;
    if !inner.contains('\\') {
        return Some(inner.encode_utf16().collect());
    }
    let mut units = Vec::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            units.extend_from_slice(c.encode_utf16(&mut [0; 2]));
            continue;
        }
        units.push(match chars.next()? {
            'b' => 0x08,
            't' => 0x09,
            'n' => 0x0A,
            'f' => 0x0C,
            'r' => 0x0D,
            'u' => {
                let mut unit = 0;
                for _ in 0..4 {
                    unit = unit << 4 | chars.next()?.to_digit(16)?;
                }
                u16::try_from(unit).ok()?
            }
            quoted @ ('"' | '\\' | '/') => u16::try_from(u32::from(quoted)).ok()?,
            _ => return None,
        });
    }
    Some(units)
}

/// The JSON string of these units.
pub(crate) fn to_json(units: &[u16]) -> String {
    let mut json = String::with_capacity(units.len() + 2);
    json.push('"');
    for decoded in char::decode_utf16(units.iter().copied()) {
        // Writing to a string cannot fail.
        let _ = match decoded {
            Ok('"') => json.write_str("\\\""),
            Ok('\\') => json.write_str("\\\\"),
            Ok('\n') => json.write_str("\\n"),
            Ok(c) if c < ' ' => write!(json, "\\u{:04x}", u32::from(c)),
            Ok(c) => json.write_char(c),
            Err(lone) => write!(json, "\\u{:04x}", lone.unpaired_surrogate()),
        };
    }
    json.push('"');
    json
}

/// One byte for each unit where that is enough, else two.
const NARROW: u8 = 1;
const WIDE: u8 = 2;

/// The units as bytes: a first byte that says how wide a unit is, then the units, the lower byte first.
pub(crate) fn pack(units: &[u16]) -> Vec<u8> {
    let narrow: Option<Vec<u8>> = units.iter().map(|unit| u8::try_from(*unit).ok()).collect();
    let (width, packed) = match narrow {
        Some(bytes) => (NARROW, bytes),
        None => (WIDE, units.iter().flat_map(|unit| unit.to_le_bytes()).collect()),
    };
    let mut bytes = Vec::with_capacity(packed.len() + 1);
    bytes.push(width);
    bytes.extend(packed);
    bytes
}

/// The units of bytes that [`pack`] made; `None` for others.
pub(crate) fn unpack(bytes: &[u8]) -> Option<Vec<u16>> {
    match bytes.split_first()? {
        (&NARROW, packed) => Some(packed.iter().map(|byte| u16::from(*byte)).collect()),
        (&WIDE, packed) if packed.len() % 2 == 0 => {
            Some(packed.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect())
        }
        _ => None,
    }
}
