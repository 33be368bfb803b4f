//! Time and chance: both come from the host, and from nowhere else.

use codemode_runtime::durable::execution::Determinism;

use super::Check;
use super::script::{START, TICK};
use super::story::Came;
use super::subject::{Case, Subject, returned};
use crate::check::trial::Trial;

pub(super) const CHECKS: &[(&str, Check, &str)] = &[
    ("EXEC-CLOCK-01", stands_still, ""),
    ("EXEC-CLOCK-02", looks_at_the_wall, ""),
    ("EXEC-CLOCK-03", is_in_utc, ""),
    ("EXEC-SEED-01", draws_the_same, ""),
    ("EXEC-SEED-02", draws_by_the_seed, ""),
    ("EXEC-SEED-03", has_crypto, "the code has no `crypto`"),
];

fn stands_still(subject: &Subject, trial: &mut Trial) {
    let code = "async () => {
        const seen = [Date.now(), new Date().getTime(), Number(new Date())];
        let n = 0; for (let i = 0; i < 1e4; i++) n += i;
        seen.push(Date.now());
        await t.echo(1); await null;
        seen.push(Date.now(), Date.now());
        await new Promise((ok) => setTimeout(ok, 50));
        seen.push(Date.now());
        return seen;
    }";
    let (after, late) = (START + TICK, START + TICK + 50);
    let wanted = format!("[{START},{START},{START},{START},{after},{after},{late}]");
    subject.judge(trial, Case::new(code), |came| {
        returned(came, &wanted)?;
        if came.looked == 0 { Ok(()) } else { Err("it asked for the wall clock".to_owned()) }
    });
}

/// The numbers of a result.
fn numbers(came: &Came) -> Result<Vec<f64>, String> {
    serde_json::from_str(came.returned()?).map_err(|_| format!("{}, which are no numbers", came.told()))
}

fn looks_at_the_wall(subject: &Subject, trial: &mut Trial) {
    let code =
        "async () => { const a = Date.now(); const b = Date.now(); await t.echo(1); return [a, b, Date.now()]; }";
    let case = Case::new(code).with(|request| (request.determinism, request.clock_ms) = (Determinism::Live, 0));
    subject.judge(trial, case, |came| {
        let seen = numbers(came)?;
        let rises = seen.windows(2).all(|pair| pair[0] < pair[1]) && seen.first().is_some_and(|at| *at > START as f64);
        if rises && came.looked >= 3 {
            Ok(())
        } else {
            Err(format!("it saw {seen:?} and looked {} times", came.looked))
        }
    });
}

fn is_in_utc(subject: &Subject, trial: &mut Trial) {
    let code = "() => [new Date(0).getTimezoneOffset(), new Date(2024, 6, 1).toISOString(), new Date(0).getHours()]";
    subject.returns(trial, Case::new(code), "[0,\"2024-07-01T00:00:00.000Z\",0]");
}

const DRAWS: &str = "() => Array.from({ length: 24 }, () => Math.random())";

fn draws_the_same(subject: &Subject, trial: &mut Trial) {
    let first = subject.run(Case::new(DRAWS)).returned().map(str::to_owned);
    for _ in 0..3 {
        subject.judge(trial, Case::new(DRAWS), |came| returned(came, first.as_ref().map_err(Clone::clone)?));
    }
}

fn draws_by_the_seed(subject: &Subject, trial: &mut Trial) {
    let mut seen: Vec<Vec<f64>> = Vec::new();
    for (at, value) in [(0, 7_u8), (0, 8), (9, 8), (15, 8), (31, 8), (31, 0)] {
        let case = Case::new(DRAWS).with(|request| request.seed[at] = value);
        subject.judge(trial, case, |came| {
            let drawn = numbers(came)?;
            if let Some(odd) = drawn.iter().find(|n| !(0.0..1.0).contains(*n)) {
                return Err(format!("it drew {odd}, which is not from 0 to below 1"));
            }
            // The same number twice is as good as impossible where the draws are even.
            if let Some((at, n)) = drawn.iter().enumerate().find(|(at, n)| drawn[..*at].contains(n)) {
                return Err(format!("draw {at} is {n}, which it drew before"));
            }
            let again = seen.contains(&drawn);
            seen.push(drawn);
            if again { Err(format!("with {value} in byte {at} it draws what another seed draws")) } else { Ok(()) }
        });
    }
}

fn has_crypto(subject: &Subject, trial: &mut Trial) {
    let code = "() => typeof crypto === 'undefined' ? null : [crypto.randomUUID(), crypto.randomUUID(),
        [...crypto.getRandomValues(new Uint8Array(8))].join(), [...crypto.getRandomValues(new Uint8Array(8))].join()]";
    let first = subject.run(Case::new(code));
    if first.returned() == Ok("null") {
        return;
    }
    subject.judge(trial, Case::new(code), |came| {
        let drawn: Vec<String> = serde_json::from_str(came.returned()?).map_err(|error| error.to_string())?;
        let is_uuid = |text: &String| {
            let dashes: Vec<usize> = text.match_indices('-').map(|(at, _)| at).collect();
            text.len() == 36 && dashes == [8, 13, 18, 23] && text.as_bytes()[14] == b'4'
        };
        match drawn.as_slice() {
            [a, b, c, d] if is_uuid(a) && is_uuid(b) && a != b && c != d => {}
            _ => return Err(format!("it drew {drawn:?}")),
        }
        if came.ran == first.ran { Ok(()) } else { Err("the same seed drew something else".to_owned()) }
    });
}
