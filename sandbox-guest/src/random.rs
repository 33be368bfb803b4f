//! The code's randomness: xoshiro256** over the request's seed, so that each pass draws the same numbers. A step's
//! closure draws from a stream of its own: whether it runs or is answered from the journal, what follows draws the
//! same.

use std::cell::Cell;

thread_local! {
    static SEED: Cell<[u64; 4]> = const { Cell::new([0; 4]) };
    static STREAM: Cell<Stream> = const { Cell::new(Stream([1, 2, 3, 4])) };
}

/// A position in a sequence of numbers.
#[derive(Clone, Copy)]
pub struct Stream([u64; 4]);

impl Stream {
    fn next(&mut self) -> u64 {
        let [a, b, c, d] = &mut self.0;
        let number = b.wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let shifted = *b << 17;
        *c ^= *a;
        *d ^= *b;
        *b ^= *c;
        *a ^= *d;
        *c ^= shifted;
        *d = d.rotate_left(45);
        number
    }
}

/// Spreads the bits of a number; the usual way to fill the generator's state.
fn spread(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut bits = *state;
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

fn stream(salt: u64) -> Stream {
    let mut mixed = salt;
    Stream(SEED.get().map(|word| {
        mixed ^= word;
        spread(&mut mixed)
    }))
}

/// Starts the sequence of a run.
pub fn start(seed: &[u8]) {
    let mut words = [0u64; 4];
    for (at, byte) in seed.iter().enumerate() {
        words[at / 8 % 4] ^= u64::from(*byte) << (at % 8 * 8);
    }
    SEED.set(words);
    STREAM.set(stream(0));
}

/// Switches to the sequence of the step `op`; give the answer to [`resume`] afterwards.
pub fn enter_step(op: u32) -> Stream {
    STREAM.replace(stream(u64::from(op) + 1))
}

pub fn resume(stream: Stream) {
    STREAM.set(stream);
}

fn next() -> u64 {
    let mut stream = STREAM.get();
    let number = stream.next();
    STREAM.set(stream);
    number
}

/// A number from 0 to below 1.
pub fn unit() -> f64 {
    (next() >> 11) as f64 / (1u64 << 53) as f64
}

pub fn fill(bytes: &mut [u8]) {
    for chunk in bytes.chunks_mut(8) {
        chunk.copy_from_slice(&next().to_le_bytes()[..chunk.len()]);
    }
}
