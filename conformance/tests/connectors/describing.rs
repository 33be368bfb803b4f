//! What a component says about itself.

use codemode_runtime::connector::component::ComponentConnector;
use codemode_runtime::connector::{Connector, Description, Flag, Values};
use codemode_runtime::durable::failure::{EffectState, Failure};

use crate::kit::{TESTKIT, bytes, engine, options, testkit};

async fn describe(how: &str) -> Result<Description, Failure> {
    let options = options("kit", &[("describe", how)]);
    ComponentConnector::load(engine(), &bytes(TESTKIT), options).unwrap().describe().await
}

#[tokio::test]
async fn a_description_arrives_in_full_and_unknown_extras_are_ignored() {
    let described = describe("").await.unwrap();
    assert_eq!(described.suggested_name, "misc");
    assert_eq!(described.values, Values::Tagged);
    assert_eq!((described.hooks.pass_ended, described.hooks.execution_ended), (Flag::Yes, Flag::Yes));
    assert_eq!(described.config.iter().map(|k| k.name.as_str()).collect::<Vec<_>>(), ["fixture", "describe"]);
    for fixture in ["shelf", "t", "c"] {
        assert_eq!(testkit(fixture).describe().await.unwrap().suggested_name, fixture);
    }
}

#[tokio::test]
async fn a_description_that_breaks_is_a_failure_without_effect() {
    let trapped = describe("trap").await.unwrap_err();
    assert_eq!((trapped.code.as_str(), trapped.effect), ("internal", EffectState::None));
    assert!(trapped.message.starts_with("kit.describe was stopped: "), "{}", trapped.message);
    let failed = describe("fail").await.unwrap_err();
    assert_eq!((failed.code.as_str(), failed.message.as_str()), ("unavailable", "the description is not to be had"));
}

#[tokio::test]
async fn a_description_may_not_use_state() {
    assert_eq!(describe("state").await.unwrap_err().code, "denied");
}

#[tokio::test]
async fn wrong_descriptions_are_refused_by_connector_and_method() {
    let combined = describe("combine").await.unwrap_err().message;
    assert!(combined.contains("cannot combine") && combined.contains("kit.both"), "{combined}");
    let twice = describe("twice").await.unwrap_err().message;
    assert!(twice.contains("Duplicate method `same` of connector `kit`"), "{twice}");
}

#[tokio::test]
async fn a_failed_description_is_asked_again_and_a_good_one_is_kept() {
    let options = options("kit", &[("describe", "fail")]);
    let failing = ComponentConnector::load(engine(), &bytes(TESTKIT), options).unwrap();
    assert!(failing.describe().await.is_err());
    assert!(failing.describe().await.is_err());
    let good = testkit("c");
    assert_eq!(good.describe().await.unwrap(), good.clone().describe().await.unwrap());
}
