//! The templates: one set for HTML, SVG and Markdown, compiled into the program.

use anyhow::Context;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, HtmlEscape, UndefinedBehavior, Value};
use serde::Serialize;

const TEMPLATES: [(&str, &str); 11] = [
    ("report.html", include_str!("../../templates/report.html")),
    ("grid.html", include_str!("../../templates/grid.html")),
    ("group.html", include_str!("../../templates/group.html")),
    ("report.css", include_str!("../../templates/report.css")),
    ("palette.css", include_str!("../../templates/palette.css")),
    ("report.js", include_str!("../../templates/report.js")),
    ("picture.svg", include_str!("../../templates/picture.svg")),
    ("strips.svg", include_str!("../../templates/strips.svg")),
    ("report.md", include_str!("../../templates/report.md")),
    ("readme.md", include_str!("../../templates/readme.md")),
    ("grid.md", include_str!("../../templates/grid.md")),
];

/// Renders a template.
///
/// # Errors
/// When it asks for what `view` does not have.
pub fn render(name: &str, view: &impl Serialize) -> anyhow::Result<String> {
    let mut environment = Environment::new();
    environment.set_syntax(
        SyntaxConfig::builder()
            .trim_blocks(true)
            .lstrip_blocks(true)
            .build()?,
    );
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|name| match name.rsplit_once('.') {
        Some((_, "html" | "svg")) => AutoEscape::Html,
        _ => AutoEscape::None,
    });
    environment.add_filter("cell", |text: &str| {
        text.replace('|', "\\|").replace(['\n', '\r'], " ")
    });
    environment.add_filter("code", code);
    for (name, source) in TEMPLATES {
        environment
            .add_template(name, source)
            .with_context(|| format!("template {name}"))?;
    }
    let template = environment.get_template(name)?;
    template
        .render(Serde(view))
        .with_context(|| format!("template {name}"))
}

/// Text for HTML, with what stands between backticks as code.
fn code(text: &str) -> Value {
    let parts = text.split('`').enumerate().map(|(index, part)| {
        let part = HtmlEscape(part);
        if index % 2 == 1 {
            format!("<code>{part}</code>")
        } else {
            part.to_string()
        }
    });
    Value::from_safe_string(parts.collect())
}
