//! `results/schema.json` is made from the types; `UPDATE_SCHEMA=1 cargo test -p bench --test schema` writes it anew.

use bench::model::Document;
use std::path::Path;

#[test]
fn the_published_schema_is_that_of_the_types() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results/schema.json");
    let schema = serde_json::to_string_pretty(&schemars::schema_for!(Document)).unwrap() + "\n";
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(&file, &schema).unwrap();
    }
    let published = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        published == schema,
        "results/schema.json is out of date: UPDATE_SCHEMA=1 cargo test -p bench --test schema"
    );
}
