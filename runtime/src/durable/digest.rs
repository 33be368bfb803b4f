//! Fingerprints of texts, for approvals and for recognising components and contracts.

use sha2::{Digest as _, Sha256};

/// SHA-256 of the parts, in lower-case hexadecimal.
///
/// Each part is hashed with its length in front, so `["ab", "c"]` and `["a", "bc"]` differ.
pub fn digest(parts: &[&str]) -> String {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().iter().flat_map(|byte| [byte >> 4, byte & 15]).map(|n| char::from(HEX[usize::from(n)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_has_the_well_known_digest() {
        assert_eq!(digest(&[]), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }

    #[test]
    fn boundaries_between_parts_count() {
        assert_eq!(digest(&["ab", "c"]), digest(&["ab", "c"]));
        let all = [digest(&["ab", "c"]), digest(&["a", "bc"]), digest(&["abc"]), digest(&["abc", ""])];
        for (at, one) in all.iter().enumerate() {
            assert!(all.iter().skip(at + 1).all(|other| other != one));
        }
    }
}
