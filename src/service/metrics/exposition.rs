//! Writer of the Prometheus text format, version 0.0.4.

use std::fmt::{Display, Write};

pub const MEDIA_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

#[derive(Debug, Default)]
pub struct Exposition(String);

impl Exposition {
    /// Starts a metric family; `kind` is counter, gauge or histogram.
    pub fn begin_family(&mut self, name: &str, kind: &str, help: &str) {
        let help = help.replace('\\', "\\\\").replace('\n', "\\n");
        self.write_line(&format!("# HELP {name} {help}"));
        self.write_line(&format!("# TYPE {name} {kind}"));
    }

    pub fn write_sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        let told: Vec<_> =
            labels.iter().map(|(label, text)| format!("{label}=\"{}\"", escape(text))).collect();
        let told = if told.is_empty() { String::new() } else { format!("{{{}}}", told.join(",")) };
        self.write_line(&format!("{name}{told} {value}"));
    }

    pub fn into_text(self) -> String {
        self.0
    }

    fn write_line(&mut self, text: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "{text}");
    }
}

pub fn format_seconds(micros: u128) -> String {
    format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)
}

fn escape(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_cannot_end_its_label() {
        let mut page = Exposition::default();
        page.begin_family("a_total", "counter", "What\nis counted.");
        page.write_sample("a_total", &[("x", "a\"} 1\n\\"), ("y", "é")], 7);
        page.write_sample("a_total", &[], format_seconds(1_500_000));
        let wanted = "# HELP a_total What\\nis counted.\n# TYPE a_total counter\n\
                      a_total{x=\"a\\\"} 1\\n\\\\\",y=\"é\"} 7\na_total 1.500000\n";
        assert_eq!(page.into_text(), wanted);
    }
}
