//! Bundles that are kept: those of each format, written by the real product, must replay as they did; damaged ones must be
//! refused for the right reason.
//!
//! `CODEMODE_WRITE_BUNDLES=1` writes the bundle of a story that has none yet. Nothing that is kept is ever replaced: what
//! a released version wrote is read for ever.

use std::fs;
use std::path::{Path, PathBuf};

use codemode_runtime::bundle::{self, Bundle, BundleError, FORMAT, ReadLimits};

use crate::kit::replayed;
use crate::stories::{STORIES, bundle_of};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("bundles").join(name)
}

/// The bundles of a folder, by name.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "jsonl"))
        .map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), fs::read(&path).unwrap()))
        .collect();
    files.sort();
    files
}

fn read(bytes: &[u8]) -> Result<Bundle, BundleError> {
    bundle::read(bytes, &ReadLimits::default())
}

#[tokio::test(flavor = "multi_thread")]
async fn every_story_has_a_bundle_of_this_format() {
    let folder = folder(&FORMAT.to_string());
    for (name, _) in STORIES {
        let path = folder.join(format!("{name}.jsonl"));
        if !path.exists() && std::env::var_os("CODEMODE_WRITE_BUNDLES").is_some() {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&path, bundle::write(&bundle_of(name).await)).unwrap();
        }
        assert!(path.exists(), "{} is missing; CODEMODE_WRITE_BUNDLES=1 writes it", path.display());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bundles_of_every_format_replay_as_they_did() {
    for format in 1..=FORMAT {
        let files = files(&folder(&format.to_string()));
        assert!(files.len() >= STORIES.len(), "bundles of format {format} are missing");
        for (name, bytes) in files {
            let bundle = read(&bytes).unwrap_or_else(|error| panic!("{format}/{name}: {error}"));
            let verdict = STORIES.iter().find(|(story, _)| *story == name).map(|(_, verdict)| *verdict);
            let report = replayed(&bundle).await;
            assert_eq!(Some(report.verdict.as_str()), verdict, "{format}/{name}: {report:#?}");
            if format == FORMAT {
                assert_eq!(bundle::write(&bundle).as_bytes(), bytes, "{name} is written as it was");
            }
        }
    }
}

#[test]
fn damaged_bundles_are_refused_with_their_reasons() {
    let reasons: Vec<String> = files(&folder("damaged"))
        .into_iter()
        .map(|(name, bytes)| match read(&bytes) {
            Ok(_) => format!("{name}: it was taken"),
            Err(error) => format!("{name}: [{}] {error}", error.code()),
        })
        .collect();
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(reasons.join("\n"));
    });
}
