//! The published schema is that of the types.

use std::{env, fs};

use load::{Report, Target};
use serde_json::Value;

use crate::server::{RIGHT, Server};
use crate::{config, run};

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/schema.json");

#[test]
fn schema_is_current() {
    let schema = serde_json::to_string_pretty(&schemars::schema_for!(Report)).unwrap() + "\n";
    if env::var_os("UPDATE_SCHEMA").is_some() {
        fs::write(PATH, &schema).unwrap();
    }
    let published = fs::read_to_string(PATH).unwrap();
    assert!(
        published == schema,
        "scripts/load/schema.json is old: UPDATE_SCHEMA=1 cargo test -p load"
    );
}

/// The names that others read.
#[test]
fn top_level_names() {
    let server = Server::always(RIGHT);
    let value = serde_json::to_value(run(&config(&server))).unwrap();
    assert_eq!(
        (&value["requests"], &value["responses"]),
        (&Value::from(40), &Value::from(40))
    );
    let mut names: Vec<_> = value["errors"]
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    names.sort_unstable();
    let all = "connect extra non_2xx reset short timeout unexpected_close wrong_bytes";
    assert_eq!(names.join(" "), all);
    let again: Report = serde_json::from_value(value).unwrap();
    assert_eq!(again.settings.url, Target::new(server.address).url());
}
