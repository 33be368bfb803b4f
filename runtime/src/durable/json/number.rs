//! Numbers as JavaScript prints them, because the canonical form must not depend on who wrote a number.

use std::fmt::Write as _;

/// Prints a finite number as `String(x)` does in JavaScript; both zeros are `0`.
pub(crate) fn js_number(x: f64) -> String {
    if x == 0.0 {
        return "0".to_owned();
    }
    let (digits, point) = decimal(x);
    let count = digits.len() as i32;
    let mut out = String::with_capacity(25);
    if x.is_sign_negative() {
        out.push('-');
    }
    if count <= point && point <= 21 {
        out.push_str(&digits);
        zeros(&mut out, point - count);
    } else if 0 < point && point <= 21 {
        let (whole, fraction) = digits.split_at(point as usize);
        out.extend([whole, ".", fraction]);
    } else if -6 < point && point <= 0 {
        out.push_str("0.");
        zeros(&mut out, -point);
        out.push_str(&digits);
    } else {
        let (first, rest) = digits.split_at(1);
        out.push_str(first);
        if !rest.is_empty() {
            out.extend([".", rest]);
        }
        // Writing to a `String` cannot fail.
        let _ = write!(out, "e{:+}", point - 1);
    }
    out
}

/// Whether a JSON integer (no fraction, no exponent) survives as a JavaScript number: the number prints the same
/// digits, apart from the exponent form that JavaScript uses from 1e21.
pub(crate) fn integer_is_exact(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.len() <= 15 {
        return true;
    }
    let Ok(x) = digits.parse::<f64>() else { return false };
    if !x.is_finite() {
        return false;
    }
    let (shortest, point) = decimal(x);
    let Some(tail) = digits.strip_prefix(shortest.as_str()) else { return false };
    digits.len() as i32 == point && tail.bytes().all(|b| b == b'0')
}

/// The shortest digits that read back as `x`, and where the decimal point stands relative to their start.
fn decimal(x: f64) -> (String, i32) {
    let text = format!("{:e}", x.abs());
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let digits = mantissa.replace('.', "");
    (digits, exponent.parse::<i32>().unwrap_or(0) + 1)
}

fn zeros(out: &mut String, count: i32) {
    out.extend(std::iter::repeat_n('0', usize::try_from(count).unwrap_or(0)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_print_as_in_javascript() {
        for (x, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (1.0, "1"),
            (-1.5, "-1.5"),
            (4.35, "4.35"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e20, "100000000000000000000"),
            (123456789012345680000.0, "123456789012345680000"),
            (1e21, "1e+21"),
            (-1.25e21, "-1.25e+21"),
            (0.000001, "0.000001"),
            (0.00000123, "0.00000123"),
            (1e-7, "1e-7"),
            (1.5e-9, "1.5e-9"),
            (5e-324, "5e-324"),
            (f64::MAX, "1.7976931348623157e+308"),
            (9007199254740993.0, "9007199254740992"),
            (2f64.powi(70), "1.1805916207174113e+21"),
        ] {
            assert_eq!(js_number(x), text);
        }
    }

    #[test]
    fn integers_are_exact_while_the_digits_are_the_same() {
        for text in ["0", "-7", "9007199254740991", "9007199254740992", "9007199254740994", "-9007199254740992"] {
            assert!(integer_is_exact(text), "{text}");
        }
        for text in ["123456789012345680000", "1000000000000000000000", "1000000000000000000000000"] {
            assert!(integer_is_exact(text), "{text}");
        }
        for text in ["9007199254740993", "-9007199254740993", "9223372036854775807", "1180591620717411303424"] {
            assert!(!integer_is_exact(text), "{text}");
        }
    }
}
