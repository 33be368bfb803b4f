//! Names by example, and the one rule that no list of names breaks: what is called differently is something else.

use proptest::prelude::*;

use super::*;

/// Covers SANITIZE-01, utils#1, utils#2, utils#3, utils#4, utils#6, utils#7, utils#8, utils#9.
#[test]
fn a_name_becomes_an_identifier() {
    for (name, identifier) in [
        ("get-weather", "get_weather"),
        ("api.v2.search", "api_v2_search"),
        ("my tool", "my_tool"),
        ("a\tb\u{a0}c\u{2003}d", "a_b_c_d"),
        ("3drender", "_3drender"),
        ("3d-render", "_3d_render"),
        ("hello@world!", "helloworld"),
        ("", "_"),
        ("@#$", "$"),
        ("@#!", "_"),
        ("ünï", "n"),
        ("a/b", "ab"),
        ("--", "__"),
    ] {
        assert_eq!(sanitized(name), identifier, "{name:?}");
    }
    for valid in ["getWeather", "_private", "$jquery", "a1"] {
        assert_eq!(sanitized(valid), valid);
    }
}

/// Covers SANITIZE-02, utils#5.
#[test]
fn reserved_words_get_a_low_line_and_look_alikes_do_not() {
    for word in RESERVED {
        assert_eq!(sanitized(word), format!("{word}_"));
    }
    for free in ["async", "of", "NaN", "Object", "Delete", "globalThis", "get", "type"] {
        assert_eq!(sanitized(free), free);
    }
    assert!(RESERVED.is_sorted());
}

/// Covers RESOLVE-06, iframe-executor#31.
#[test]
fn names_that_become_the_same_are_refused_with_both() {
    let names = exact("crm", ["get-x", "list", "delete"]).unwrap();
    let pairs: Vec<_> = names.iter().map(|c| (c.name.as_str(), c.original.as_str())).collect();
    assert_eq!(pairs, [("get_x", "get-x"), ("list", "list"), ("delete_", "delete")]);
    let clash = exact("crm", ["foo-bar", "other", "foo_bar"]).unwrap_err().to_string();
    assert_eq!(clash, "\"foo-bar\" and \"foo_bar\" of `crm` both sanitize to `foo_bar`: rename one of them");
    assert!(matches!(exact("crm", ["same", "same"]), Err(NameClash::Same { .. })));
    let then = exact("crm", ["the/n"]).unwrap_err().to_string();
    assert_eq!(then, "\"the/n\" of `crm` cannot be called as `then`: rename it");
    assert!(matches!(exact("crm", ["x".repeat(129).as_str()]), Err(NameClash::Uncallable { .. })));
}

fn names(originals: &[&str]) -> Vec<String> {
    let adapted = adapted(originals.iter().copied());
    assert_eq!(adapted.left_out, []);
    adapted.names.into_iter().map(|c| c.name).collect()
}

#[test]
fn names_that_would_become_the_same_are_kept_apart() {
    let names = names(&["a-b", "a.b", "a_b", "a b", "a/b", "ab", "a:b"]);
    assert_eq!((names[2].as_str(), names[5].as_str()), ("a_b", "ab"), "who needs no change keeps the name");
    assert!(names[0].starts_with("a_b_") && names[4].starts_with("ab_"), "{names:?}");
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), 7);
    let others = self::names(&["x", "a:b", "a b", "ab", "a_b"]);
    assert_eq!((&others[1], &others[2]), (&names[6], &names[3]), "the order and others do not matter");
}

#[test]
fn names_without_a_latin_letter_have_a_stable_one_of_their_own() {
    let list = ["日本語", "中文", "émoji", "🚀", "café-list", "cafe\u{301}-list", "---"];
    let names = names(&list);
    assert_eq!((names[2].as_str(), names[4].as_str(), names[5].as_str()), ("moji", "caf_list", "cafe_list"));
    for at in [0, 1, 3, 6] {
        assert!(names[at].len() == 9 && names[at].starts_with('_'), "{names:?}");
        assert_eq!(self::names(&[list[at]])[0], names[at], "alone as in the list");
    }
}

#[test]
fn what_has_no_name_or_comes_again_is_left_out_alone() {
    let adapted = adapted(["a", "", "b", "a"]);
    assert_eq!(adapted.names.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    let said: Vec<String> = adapted.left_out.iter().map(ToString::to_string).collect();
    assert_eq!(said, ["a tool without a name is left out", "a second tool \"a\" is left out"]);
}

#[test]
fn a_leading_digit_a_reserved_word_and_a_long_name_are_no_obstacle() {
    assert_eq!(names(&["3d_render", "2fa-enable", "404", "ok"]), ["_3d_render", "_2fa_enable", "_404", "ok"]);
    assert_eq!(names(&["delete", "Delete", "of", "then", "toJSON"]), ["delete_", "Delete", "of", "then_", "toJSON_"]);
    let (fits, long) = ("x".repeat(MAX_NAME), "x".repeat(MAX_NAME + 1));
    let names = names(&[&fits, &long]);
    assert_eq!(names[0], fits);
    assert_eq!((names[1].len(), &names[1][..10]), (MAX_NAME, "xxxxxxxxxx"));
}

proptest! {
    #[test]
    fn every_list_gets_callable_names_that_are_all_different(
        list in prop::collection::vec("[-._ ab/:é日$0-9]{0,4}|then_?|(delete|class)[_-]?|.{0,6}", 0..40)
    ) {
        let adapted = adapted(list.iter().map(String::as_str));
        let different: BTreeSet<&str> = adapted.names.iter().map(|c| c.name.as_str()).collect();
        prop_assert_eq!(different.len(), adapted.names.len());
        prop_assert_eq!(adapted.names.len() + adapted.left_out.len(), list.len());
        for Callable { name, original } in &adapted.names {
            prop_assert!(check_method_name("k", name).is_ok(), "{:?}", name);
            prop_assert!(list.contains(original));
            prop_assert!(sanitized(original) != *original || name == original || original == "then");
        }
    }
}
