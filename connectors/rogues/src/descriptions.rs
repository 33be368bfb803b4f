//! What it says of itself, in good and in bad ways.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::codemode::component::types::{
    CallError, ConfigKey, Description, Effect, Hooks, Method, Repeatable, ReplayPolicy,
};
use crate::{failed, is_told, methods};

/// How often this instance described itself.
static TIMES: AtomicU32 = AtomicU32::new(0);

pub(crate) fn description() -> Result<Description, CallError> {
    let times = TIMES.fetch_add(1, Ordering::Relaxed);
    let mut all: Vec<Method> = methods::NAMES.iter().map(|name| method(name)).collect();
    let how = |how: &str| is_told("describe", how);
    if how("fail") {
        return Err(failed("unavailable", "not today"));
    }
    if how("many") {
        all = (0..10_001).map(|number| method(&format!("m{number}"))).collect();
    }
    if how("crowd") {
        all = (0..10_000).map(|number| method(&format!("m{number}"))).collect();
    }
    if how("huge") {
        all[0].description = Some("x".repeat(70 << 20));
    }
    if how("unicode") {
        all.push(method("größe"));
        all.push(method("a\u{202e}b"));
        all.push(method("__proto__"));
        all.push(method(""));
    }
    if how("twice") {
        all.push(method("well"));
    }
    let schema = match () {
        () if how("endless") => Some(r##"{"$ref":"#"}"##.to_owned()),
        () if how("endless parts") => Some(r##"{"allOf":[{"$ref":"#"},{"$ref":"#"}]}"##.to_owned()),
        () if how("deep") => Some(format!("{}true{}", r#"{"items":"#.repeat(10_000), "}".repeat(10_000))),
        () if how("pattern") => Some(r#"{"type":"string","pattern":"^((a{1000}){1000}){1000}$"}"#.to_owned()),
        () if how("elsewhere") => Some(r#"{"$ref":"https://example.com/schema.json"}"#.to_owned()),
        () if how("no json") => Some("{".to_owned()),
        () if how("second schema") && times > 0 => Some(r#"{"type":"object"}"#.to_owned()),
        () => None,
    };
    if let Some(well) = all.iter_mut().find(|method| method.name == "well") {
        well.input_schema = schema;
        well.revertible = is_told("hooks", "none") || crate::config::get("revert").is_some();
        if how("stamp") {
            well.description = Some(format!("Made at {}", now()));
        }
        if how("daily stamp") {
            well.description = Some(format!("Made on day {}", now() / 86_400_000));
        }
    }
    if how("shuffle") || how("stamp") {
        let length = all.len().max(1);
        all.rotate_left((times as usize + 1) % length);
    }
    if crate::config::get("only").is_some() {
        all.retain(|method| is_told("only", &method.name));
    }
    let config = ["describe", "hooks", "revert", "only"].map(|name| ConfigKey {
        name: name.to_owned(),
        description: None,
        required: false,
        secret: false,
    });
    Ok(Description {
        suggested_name: "rogues".to_owned(),
        instructions: None,
        methods: all,
        config: config.into(),
        origins: Vec::new(),
        hooks: Hooks::PASS_ENDED | Hooks::EXECUTION_ENDED,
        extras: Vec::new(),
    })
}

#[expect(clippy::disallowed_methods, reason = "a component has the clock that the host gives it")]
fn now() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis())
}

fn method(name: &str) -> Method {
    Method {
        name: name.to_owned(),
        description: None,
        input_schema: None,
        output_schema: None,
        requires_approval: false,
        replay: ReplayPolicy::Recorded,
        effect: Effect::Write,
        repeatable: Repeatable::No,
        destructive: None,
        revertible: false,
        extras: Vec::new(),
    }
}
