//! Fingerprints of texts, for approvals and for recognising components and contracts.

use sha2::{Digest as _, Sha256};

/// SHA-256 of the parts, in lower-case hexadecimal.
///
/// Each part is hashed with its length in front, so `["ab", "c"]` and `["a", "bc"]` differ.
pub fn digest(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    hexadecimal(&hash.finalize())
}

/// SHA-256 of bytes, in lower-case hexadecimal, as other tools compute it.
pub fn of_bytes(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// Bytes in lower-case hexadecimal.
pub fn hexadecimal(bytes: &[u8]) -> String {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(|n| char::from(HEX[usize::from(n)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_has_the_well_known_digest() {
        assert_eq!(digest(&[]), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(of_bytes(b""), digest(&[]));
    }

    #[test]
    fn bytes_have_the_digest_that_other_tools_give() {
        assert_eq!(of_bytes(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
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
