//! A table, for the terminal or as Markdown.

use comfy_table::{CellAlignment, ContentArrangement, presets};

/// Width where there is no terminal that has one.
const NARROW: u16 = 160;

/// Rows under a title.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// What it shows.
    pub title: String,
    /// Heads of the columns.
    pub header: Vec<String>,
    /// Rows, as wide as the header.
    pub rows: Vec<Vec<String>>,
    /// Sentences beneath.
    pub notes: Vec<String>,
}

impl Table {
    /// An empty one.
    #[must_use]
    pub fn new(title: impl Into<String>, header: &[&str]) -> Self {
        Self {
            title: title.into(),
            header: header.iter().map(|head| (*head).to_owned()).collect(),
            ..Self::default()
        }
    }

    /// For a terminal of any width.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut table = comfy_table::Table::new();
        table
            .load_style(presets::UTF8_BORDERS_ONLY)
            .set_content_arrangement(ContentArrangement::Dynamic);
        if !table.is_tty() {
            table.set_width(NARROW);
        }
        table.set_header(&self.header).add_rows(&self.rows);
        for index in 0..self.header.len() {
            if let Some(column) = table.column_mut(index)
                && self.is_numeric(index)
            {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        format!(
            "{}\n{table}\n{}",
            self.title,
            self.notes
                .iter()
                .map(|note| format!("{note}\n"))
                .collect::<String>()
        )
    }

    /// As Markdown.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let line = |cells: &[String]| {
            format!(
                "| {} |\n",
                cells
                    .iter()
                    .map(|cell| escape(cell))
                    .collect::<Vec<_>>()
                    .join(" | ")
            )
        };
        let rule: Vec<&str> = (0..self.header.len())
            .map(|index| if self.is_numeric(index) { "--:" } else { "---" })
            .collect();
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        let notes: String = self
            .notes
            .iter()
            .map(|note| format!("\n{note}\n"))
            .collect();
        format!(
            "### {}\n\n{}| {} |\n{rows}{notes}\n",
            self.title,
            line(&self.header),
            rule.join(" | ")
        )
    }

    /// Columns whose cells begin with digits are aligned to the right.
    fn is_numeric(&self, index: usize) -> bool {
        let cells: Vec<&String> = self
            .rows
            .iter()
            .filter_map(|row| row.get(index))
            .filter(|cell| !cell.is_empty())
            .collect();
        !cells.is_empty()
            && cells
                .iter()
                .all(|cell| cell.starts_with(|c: char| c.is_ascii_digit() || c == '–'))
    }
}

fn escape(cell: &str) -> String {
    cell.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_keeps_its_columns_whatever_a_cell_holds() {
        let mut table = Table::new("t", &["name", "n"]);
        table.rows.push(vec!["a|b".into(), "1".into()]);
        assert_eq!(
            table.to_markdown(),
            "### t\n\n| name | n |\n| --- | --: |\n| a\\|b | 1 |\n\n"
        );
    }
}
