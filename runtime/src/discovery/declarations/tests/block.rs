//! Whole connectors.

use super::*;
use crate::names::exact;

const SIZES: Sizes = Sizes { declaration: LIMIT, block: 100_000 };

fn tool<'a>(name: &'a str, input: &'a str) -> Declared<'a> {
    Declared { name, title: name, input: Some(input), ..Declared::default() }
}

/// Covers SCHEMA-26, json-schema-types#7, json-schema-types#9, schema-conversion#11, schema-conversion#27, schema-conversion#29,
/// schema-conversion#59, tool-types#2.
#[test]
fn a_tool_has_its_types_and_its_docs() {
    let tools = [Declared {
        description: Some("Get a user"),
        output: Some(r#"{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}"#),
        ..tool(
            "getUser",
            r#"{"type":"object","properties":{"id":{"type":"string","description":"The\nid"},"n":{"type":"number",
            "description":" "},"o":{"properties":{"x":{"description":"deep"}}}},"required":["id"]}"#,
        )
    }];
    let printed = "type GetUserInput = {\n    /** The id */\n    id: string;\n    n?: number;\n    o?: {\n        \
                   /** deep */\n        x?: unknown;\n    };\n}\ntype GetUserOutput = {\n    name: string;\n}\n\n\
                   declare const codemode: {\n\t/**\n\t * Get a user\n\t * @param input.id - The id\n\t */\n\t\
                   getUser: (input: GetUserInput) => Promise<GetUserOutput>;\n}";
    assert_eq!(declare("codemode", &tools, SIZES), printed);
}

/// Covers SCHEMA-28, SCHEMA-32, json-schema-types#8, json-schema-types#11, schema-conversion#61.
#[test]
fn several_tools_have_a_blank_line_between_and_sanitized_names() {
    let names = exact("t", ["get-user", "list"]).unwrap();
    let tools: Vec<Declared<'_>> =
        names.iter().map(|c| Declared { title: &c.original, ..tool(&c.name, r#"{"type":"object"}"#) }).collect();
    let printed = "type GetUserInput = Record<string, unknown>\ntype GetUserOutput = unknown\n\
                   type ListInput = Record<string, unknown>\ntype ListOutput = unknown\n\ndeclare const t: {\n\t/**\n\t * \
                   get-user\n\t */\n\tget_user: (input: GetUserInput) => Promise<GetUserOutput>;\n\n\t/**\n\t * list\n\t */\n\t\
                   list: (input: ListInput) => Promise<ListOutput>;\n}";
    assert_eq!(declare("t", &tools, SIZES), printed);
    assert_eq!(parsed(printed), ["GetUserInput", "GetUserOutput", "ListInput", "ListOutput", "t"]);
}

/// Covers SCHEMA-26, json-schema-types#10, tool-types#1.
#[test]
fn no_tools_are_an_empty_object() {
    assert_eq!(declare("codemode", &[], SIZES), "declare const codemode: {}");
}

/// Covers SCHEMA-27, schema-conversion#13, schema-conversion#18.
#[test]
fn a_description_is_one_line_and_its_absence_the_name() {
    let said = |description| {
        let tools = [Declared { description, title: "no-desc", ..tool("no_desc", "{}") }];
        let printed = declare("t", &tools, SIZES);
        printed.lines().find_map(|line| line.strip_prefix("\t * ")).unwrap().to_owned()
    };
    assert_eq!(said(None), "no-desc");
    assert_eq!(said(Some(" \n ")), "no-desc");
    assert_eq!(said(Some("  A\r\nB */ c")), "A B *\\/ c");
}

/// Covers SCHEMA-28.
#[test]
fn types_are_named_after_their_tools() {
    for (name, of_type) in [
        ("get_user", "GetUser"),
        ("a__b", "A_B"),
        ("_x", "X"),
        ("list_PRs", "List_PRs"),
        ("3d-render", "_3dRender"),
        ("delete", "Delete_"),
        ("getUser", "GetUser"),
        ("日本", "_"),
    ] {
        assert_eq!(type_name(name), of_type, "{name}");
    }
}

/// Covers SCHEMA-29, tool-types#3, tool-types#4, tool-types#5, tool-types#6.
#[test]
fn a_bad_schema_costs_its_own_types_only() {
    let good = r#"{"type":"object","properties":{"x":{"type":"number"}}}"#;
    for bad in [Some("null"), None, Some("\"text\""), Some("{"), Some("{\"a\":\"\\")] {
        let bad = Declared { input: bad, output: bad, ..tool("bad", "") };
        let printed = declare("t", &[tool("one", good), bad, tool("two", good)], SIZES);
        assert!(printed.contains("type BadInput = unknown\ntype BadOutput = unknown\n"), "{printed}");
        assert_eq!(printed.matches("x?: number;").count(), 2);
        assert_eq!(parsed(&printed).len(), 7);
    }
}

/// Covers SCHEMA-31, WEAK-28.
#[test]
fn no_two_types_have_one_name() {
    assert!(exact("t", ["get-item", "get_item"]).unwrap_err().to_string().contains("both sanitize to"));
    let tools = ["get_item", "getItem", "GetItem", "getItem2", "delete", "delete_"].map(|name| tool(name, "{}"));
    let printed = declare("t", &tools, SIZES);
    assert_eq!(parsed(&printed).len(), 13);
    for name in ["GetItem", "GetItem3", "GetItem4", "GetItem2", "Delete_", "Delete_2"] {
        assert!(printed.contains(&format!("type {name}Input = unknown\n")), "{name}: {printed}");
    }
    assert!(
        printed.contains("\n\tdelete: (input: Delete_Input)")
            && printed.contains("\n\tdelete_: (input: Delete_2Input)")
    );
}

#[test]
fn own_types_of_one_tool_do_not_take_the_names_of_another() {
    let filler: String = (0..60).map(|n| format!(r##""f{n}":{{"$ref":"#/$defs/bar_input"}},"##)).collect();
    let large = format!(
        r##"{{"properties":{{{filler}"z":true}},"$defs":{{"bar_input":{{"properties":{{"x":{{"description":"{}"}}}}}}}}}}"##,
        "long ".repeat(50)
    );
    let tools = [tool("foo", &large), tool("fooInput__bar", "{}"), tool("FOO", &large)];
    let names = parsed(&declare("t", &tools, SIZES));
    assert!(
        names.contains(&"FooInput_BarInput_".to_owned()) && names.contains(&"FooInput_BarInput".to_owned()),
        "{names:?}"
    );
}

#[test]
fn what_has_no_room_is_named_and_a_block_of_the_limit_is_whole() {
    let names: Vec<String> = (0..300).map(|n| format!("method{n}")).collect();
    let tools: Vec<Declared<'_>> = names.iter().map(|name| tool(name, "{}")).collect();
    let whole = declare("t", &tools, Sizes { block: usize::MAX, ..SIZES });
    let sized = |block: usize| declare("t", &tools, Sizes { block, ..SIZES });
    assert_eq!(sized(units(&whole)), whole);
    let cut = sized(units(&whole) - 1);
    assert!(
        units(&cut) < units(&whole) && cut.contains("more methods are left out; describe one to see it:\n\t// method2"),
        "{cut}"
    );
    assert!(cut.ends_with(" method298, method299\n}"), "{cut}");
    for block in [0, 30, 60, 100, 200, 300, 1_000, 5_000, 20_000] {
        let cut = sized(block);
        assert!(units(&cut) <= block.max("declare const t: {}".len()), "{block}: {cut}");
        assert_eq!(parsed(&cut).last().unwrap(), "t");
    }
    assert!(sized(1_000).ends_with(" …\n}"));
}
