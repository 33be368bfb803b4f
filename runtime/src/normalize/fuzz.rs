//! What must hold of every text, as a function for fuzzers and tests.

use super::normalize;

/// Normalizes bytes as text and checks what must hold of every outcome.
///
/// # Panics
///
/// When it does not hold; that is what a fuzzer looks for.
pub fn fuzz_normalize(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let lines: Vec<&str> = text.split('\n').collect();
    match normalize(&text) {
        Ok(normalized) => {
            let function = &normalized.function;
            let again = normalize(function).unwrap_or_else(|error| panic!("{text:?} became {function:?}: {error}"));
            assert_eq!(&again.function, function, "{text:?} is not normal yet");
            for (line, made) in function.lines().zip(1..) {
                let end = u32::try_from(line.encode_utf16().count()).unwrap_or(u32::MAX);
                for column in [1, end / 2 + 1, end + 1] {
                    let (source_line, source_column) = normalized.source_position(made, column);
                    assert_eq!(source_line, made, "{text:?}");
                    assert!((1..=column).contains(&source_column), "{text:?}: {made}:{column} is {source_column}");
                }
            }
        }
        Err(error) => {
            let line = lines.get(error.line as usize - 1).unwrap_or_else(|| panic!("{text:?}: {error}"));
            let units = line.trim_start_matches('\u{feff}').encode_utf16().count();
            assert!((1..=units + 1).contains(&(error.column as usize)), "{text:?}: {error}");
            let shown = error.source_line.trim_end_matches('\r');
            assert!(line.trim_start_matches('\u{feff}').starts_with(shown), "{text:?}: {error}");
        }
    }
}
