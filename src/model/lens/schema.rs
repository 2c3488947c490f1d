//! What was seen, as a JSON Schema.

use crate::json;
use crate::lens::{LensField, LensReport, LensShape, LensWord};

impl LensReport {
    /// What was seen as a JSON Schema: names, kinds and counts, and no value
    /// of anybody's.
    pub fn schema(&self) -> String {
        let mut shapes = Vec::new();
        for (shape, name) in LensShape::ALL {
            let fields: Vec<&LensField> = self.fields.iter().filter(|field| field.shape == shape).collect();
            let words: Vec<&LensWord> = self.words.iter().filter(|word| word.shape == shape).collect();
            if fields.is_empty() && words.is_empty() {
                continue;
            }
            let mut members = properties(&fields, "", 3);
            let mut named: Vec<&str> = words.iter().map(|word| word.field.as_str()).collect();
            named.dedup();
            members.extend(named.into_iter().map(|field| words_schema(field, &words)));
            shapes.push(format!(
                "    {}: {{\n      \"type\": \"object\",\n      \"properties\": {{\n{}\n      }}\n    }}",
                json::quoted(name),
                members.join(",\n")
            ));
        }
        format!(
            "{{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n  \"title\": \"Fields and words \
             that the interface does not name, as one desk saw them\",\n  \"$defs\": {{\n{}\n  }}\n}}",
            shapes.join(",\n")
        )
    }
}

/// The members of `properties` of the fields right below a path.
fn properties(fields: &[&LensField], above: &str, depth: usize) -> Vec<String> {
    let here = |lens_field: &&&LensField| {
        let rest = match above {
            "" => Some(lens_field.path.as_str()),
            above => lens_field.path.strip_prefix(above).and_then(|rest| rest.strip_prefix('.')),
        };
        rest.is_some_and(|rest| !rest.contains('.'))
    };
    let indent = "  ".repeat(depth + 1);
    let one = |lens_field: &&LensField| {
        let name = lens_field.path.rsplit('.').next().unwrap_or_default();
        let kinds: Vec<String> = lens_field.kinds.iter().map(|kind| json::quoted(kind.0.schema())).collect();
        let kinds = match kinds.as_slice() {
            [one] => one.clone(),
            all => format!("[{}]", all.join(", ")),
        };
        let inner = properties(fields, &lens_field.path, depth + 1);
        let inner = match inner.is_empty() {
            true => String::new(),
            false => format!(", \"properties\": {{\n{}\n{indent}}}", inner.join(",\n")),
        };
        let seen = format!("\"description\": \"seen {} times\"", lens_field.count());
        format!("{indent}{}: {{\"type\": {kinds}, {seen}{inner}}}", json::quoted(name))
    };
    fields.iter().filter(here).map(one).collect()
}

fn words_schema(field: &str, words: &[&LensWord]) -> String {
    let of_field: Vec<&&LensWord> = words.iter().filter(|word| word.field == field).collect();
    let all: Vec<String> = of_field.iter().map(|lens_word| json::quoted(lens_word.word.as_str())).collect();
    let seen: Vec<String> = of_field.iter().map(|lens_word| lens_word.count.to_string()).collect();
    format!(
        "        {}: {{\"enum\": [{}], \"description\": \"words not named; seen {} times\"}}",
        json::quoted(field),
        all.join(", "),
        seen.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lens::JsonKind;
    use crate::text::SafeText;
    use crate::time::Timestamp;

    #[test]
    fn what_was_seen_as_a_schema() {
        let field = |path: &str, kinds: &[(JsonKind, u64)]| LensField {
            shape: LensShape::Conversation,
            path: path.to_owned(),
            kinds: kinds.to_vec(),
            example: SafeText::line("Maria's secret"),
            first_at: Timestamp::default(),
        };
        let word = LensWord {
            shape: LensShape::Message,
            field: "status".into(),
            word: SafeText::line("queued"),
            count: 2,
        };
        let report = LensReport {
            fields: vec![
                field("loyalty", &[(JsonKind::Object, 4)]),
                field("loyalty.tier", &[(JsonKind::Text, 3), (JsonKind::Number, 1)]),
            ],
            words: vec![word],
        };
        let schema = report.schema();
        assert!(json::check(&schema, '{').is_ok(), "{schema}");
        for part in [
            "\"tier\": {\"type\": [\"string\", \"number\"], \"description\": \"seen 4 times\"}",
            "\"enum\": [\"queued\"]",
        ] {
            assert!(schema.contains(part), "{part} in {schema}");
        }
        assert!(!schema.contains("Maria"), "no value of anybody's");
        assert!(report.fields[1].is_mixed() && !report.fields[0].is_mixed());
        assert_eq!(report.fields[1].kinds_words(), "text 3, number 1");
    }
}
