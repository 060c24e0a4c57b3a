//! Tables as the templates see them: HTML and Markdown are made from the same ones.

use serde::Serialize;

/// A table.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Grid {
    /// What it shows.
    pub title: String,
    /// What its rows are in the document: `cell`, `target`, or empty for figures that are computed.
    pub of: &'static str,
    /// Id of the group whose cells they are; empty for a table within its group.
    pub group: String,
    /// Its columns, without the first: that one is the row's target.
    pub columns: Vec<Column>,
    /// Its rows, those that compete apart from those that do not.
    pub parts: Vec<Part>,
    /// Sentences beneath.
    pub notes: Vec<String>,
}

/// A column.
#[derive(Clone, Debug, Serialize)]
pub struct Column {
    /// Its head.
    pub title: String,
    /// Where its figures are in the document, seen from the row's cell or target; empty: computed.
    pub field: &'static str,
    /// Whether it holds figures.
    pub numeric: bool,
    /// The number of connections of its figures, where that differs from column to column.
    pub connections: Option<u32>,
}

/// Rows that belong together.
#[derive(Clone, Debug, Serialize)]
pub struct Part {
    /// What sets them apart; empty for those that compete.
    pub title: &'static str,
    /// The rows.
    pub rows: Vec<Row>,
}

/// A row.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The target.
    pub target: String,
    /// Its source; `None` for the user's own.
    pub link: Option<String>,
    /// The cells, as many as there are columns.
    pub cells: Vec<Entry>,
}

/// A cell.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Entry {
    /// What is read.
    pub text: String,
    /// The figure as the document has it; `None` for text.
    pub value: Option<String>,
    /// More about it.
    pub hint: String,
    /// How it looks: a class of the style sheet, or nothing.
    pub tone: &'static str,
    /// A small picture in its place, where there is room for one.
    pub spark: Option<super::sweep::Spark>,
}

impl Column {
    /// Of words.
    #[must_use]
    pub fn text(title: &str) -> Self {
        Self {
            title: title.into(),
            field: "",
            numeric: false,
            connections: None,
        }
    }

    /// Of figures.
    #[must_use]
    pub fn figure(title: &str, field: &'static str) -> Self {
        Self {
            title: title.into(),
            field,
            numeric: true,
            connections: None,
        }
    }
}

impl Entry {
    /// Words.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// A figure; `None` is shown as a dash.
    #[must_use]
    pub fn figure(value: Option<f64>, format: impl FnOnce(f64) -> String) -> Self {
        Self {
            text: value.map_or_else(|| "–".into(), format),
            value: Some(value.map(exact).unwrap_or_default()),
            ..Self::default()
        }
    }

    /// The same, with another text.
    #[must_use]
    pub fn saying(self, text: Option<String>) -> Self {
        Self {
            text: text.unwrap_or(self.text),
            ..self
        }
    }
}

/// A figure with all its digits, as JSON has it.
#[must_use]
pub fn exact(value: f64) -> String {
    if value == value.trunc() && value.abs() < 1e15 {
        format!("{value:.0}")
    } else {
        format!("{value}")
    }
}

impl Grid {
    /// Whether there is nothing in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.iter().all(|part| part.rows.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_keep_all_their_digits() {
        for value in [43_651.239_969_203_65, 443.0, 0.0, 5e-7] {
            assert_eq!(exact(value).parse::<f64>().unwrap(), value);
        }
        assert_eq!(exact(443.0), "443");
    }
}
