//! What must hold of every value, as a function for fuzzers and tests.

use super::{Json, TagKind, ValueError, ValueLimits};
use crate::durable::json::{canonical, first_difference, utf16_len};

/// Takes bytes as the text of a value, plain and tagged, and checks what becomes of it.
///
/// # Panics
/// When a text is not in normal form after it was read, does not come back from the other form, or is over a limit.
pub fn fuzz_values(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for limits in [ValueLimits::default(), ValueLimits { units: 40, depth: 3 }] {
        for read in [Json::from_plain, Json::from_tagged] {
            match read(&text, &limits) {
                Ok(json) => holds(&json, &limits),
                Err(error) => assert!(!error.about("value").is_empty() && !error.code().is_empty()),
            }
        }
        if let Ok(json) = Json::from_plain(&text, &limits) {
            // From plain text come no tags but those of numbers.
            let back = json.to_plain();
            assert!(matches!(back, Ok(_) | Err(ValueError::Tagged { kind: TagKind::BigInt, .. })), "{text}: {back:?}");
        }
    }
}

fn holds(json: &Json, limits: &ValueLimits) {
    let text = json.as_str();
    assert_eq!((json.units(), json.units() <= limits.units), (utf16_len(text), true), "{text}");
    assert_eq!(Json::from_tagged(text, limits).as_ref(), Ok(json), "{text} is not normal");
    let sorted = json.canonical();
    assert_eq!(canonical(&sorted).as_ref(), Ok(&sorted), "{text}");
    assert_eq!(first_difference(text, text), None, "{text}");
    let stored = serde_json::to_string(json).map(|stored| serde_json::from_str::<Json>(&stored).ok());
    assert_eq!(stored.ok().flatten().as_ref(), Some(json), "{text}");
    if let Ok(plain) = json.to_plain() {
        assert_eq!(Json::from_plain(&plain, limits).as_ref(), Ok(json), "{text} is {plain} for connectors");
    }
    let less = ValueLimits { units: json.units() - 1, ..*limits };
    let refused = Json::from_tagged(text, &less);
    assert_eq!(refused.err(), Some(ValueError::TooLarge { units: json.units(), limit: less.units }), "{text}");
}
