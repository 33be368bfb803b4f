//! The code's randomness: SplitMix64 over the request's seed, so that each pass draws the same numbers. A step's closure
//! draws from a stream of its own: whether it runs or is answered from the journal, what follows draws the same.

use std::cell::RefCell;

thread_local! {
    static SEED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    /// The stream of the code, and above it those of the steps whose closures run.
    static STREAMS: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// Starts the sequence of a run.
pub(crate) fn start(seed: &[u8]) {
    SEED.set(seed.to_vec());
    STREAMS.set(Vec::new());
    enter(0);
}

/// Switches to a sequence of its own, until [`leave`].
pub(crate) fn enter(salt: u64) {
    let begin = SEED.with_borrow(|seed| {
        seed.chunks(8).fold(mix(salt.wrapping_add(0x9E37_79B9_7F4A_7C15)), |state, chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            mix(state ^ u64::from_le_bytes(word)).wrapping_add(0x9E37_79B9_7F4A_7C15)
        })
    });
    STREAMS.with_borrow_mut(|streams| streams.push(begin));
}

pub(crate) fn leave() {
    STREAMS.with_borrow_mut(|streams| streams.pop());
}

fn next() -> u64 {
    STREAMS.with_borrow_mut(|streams| match streams.last_mut() {
        Some(state) => {
            *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            mix(*state)
        }
        None => 0,
    })
}

/// A number from 0 to below 1.
pub(crate) fn unit() -> f64 {
    (next() >> 11) as f64 / (1u64 << 53) as f64
}

pub(crate) fn fill(bytes: &mut [u8]) {
    for chunk in bytes.chunks_mut(8) {
        chunk.copy_from_slice(&next().to_le_bytes()[..chunk.len()]);
    }
}

/// What the engine's own generator would be seeded with. Nothing reaches it: the prelude replaces `Math.random`.
#[unsafe(no_mangle)]
unsafe extern "Rust" fn __getrandom_v03_custom(_: *mut u8, _: usize) -> Result<(), getrandom::Error> {
    Err(getrandom::Error::UNSUPPORTED)
}
