//! Adds the descriptions of fields from `prose.json`.
//!
//! The file has an object for each schema, or for several whose names are separated by commas. A
//! key is the path of a field, such as `text.body` or `attachments[].url`; the empty one means the
//! schema itself. An entry is the description, or an object of keywords.

use std::collections::BTreeMap;

use schemars::Schema;
use serde_json::{Map, Value};

use super::Schemas;

/// Keywords that the types say.
const OF_THE_TYPES: [&str; 10] = [
    "type",
    "required",
    "enum",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
    "properties",
];

/// Entries by schema that are not used yet.
pub struct Prose(BTreeMap<String, Map<String, Value>>);

impl Prose {
    /// # Errors
    /// If the text does not have the form of the file.
    pub fn parse(text: &str) -> Result<Self, String> {
        let file: BTreeMap<String, Map<String, Value>> =
            serde_json::from_str(text).map_err(|error| format!("could not read prose.json: {error}"))?;
        let mut entries: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
        for (names, fields) in file {
            for name in names.split(", ") {
                entries.entry(name.to_owned()).or_default().extend(fields.clone());
            }
        }
        Ok(Self(entries))
    }

    /// Describes the schemas that there are, each once.
    ///
    /// # Errors
    /// If an entry names a field that does not exist, or a keyword that the types say.
    pub fn describe(&mut self, schemas: &mut Schemas) -> Result<(), String> {
        for (name, schema) in schemas {
            for (path, entry) in self.0.remove(name).unwrap_or_default() {
                describe(schema, &path, entry)
                    .map_err(|problem| format!("prose.json: {name}, \"{path}\": {problem}"))?;
            }
        }
        Ok(())
    }

    /// # Errors
    /// If a schema does not exist.
    pub fn finish(self) -> Result<(), String> {
        match self.0.into_keys().next() {
            Some(name) => Err(format!("prose.json: there is no schema {name}; correct or remove the entry")),
            None => Ok(()),
        }
    }
}

fn describe(schema: &mut Schema, path: &str, entry: Value) -> Result<(), String> {
    let mut place = schema.ensure_object();
    for part in path.split('.').filter(|part| !part.is_empty()) {
        let (name, is_item) = part.strip_suffix("[]").map_or((part, false), |name| (name, true));
        let field = place.get_mut("properties").and_then(|properties| properties.get_mut(name));
        let field = if is_item { field.and_then(|field| field.get_mut("items")) } else { field };
        place = field
            .and_then(Value::as_object_mut)
            .ok_or("there is no such field; correct or remove the entry")?;
    }
    let keywords = match entry {
        Value::Object(keywords) => keywords,
        description => Map::from_iter([("description".to_owned(), description)]),
    };
    if let Some(keyword) = OF_THE_TYPES.iter().find(|keyword| keywords.contains_key(**keyword)) {
        return Err(format!("the types say {keyword}; change it there"));
    }
    place.extend(keywords);
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn entries_describe_fields_and_say_nothing_that_the_types_say() {
        let described = |prose: &str| {
            let schema = schemars::json_schema!({"type": "object", "properties": {
                "a": {"type": "array", "items": {"type": "object", "properties": {"b": {"type": "string"}}}}
            }});
            let mut schemas = Schemas::from([("One".to_owned(), schema)]);
            let mut prose = Prose::parse(prose)?;
            prose.describe(&mut schemas)?;
            prose.finish()?;
            Ok::<_, String>(schemas["One"].pointer("/properties/a/items/properties/b").cloned())
        };
        let found = described(r#"{"One": {"": "Whole", "a[].b": {"examples": ["x"], "description": "B"}}}"#);
        let wanted = json!({"type": "string", "examples": ["x"], "description": "B"});
        assert_eq!(found, Ok(Some(wanted)));
        for (prose, problem) in [
            (r#"{"One": {"a.b": "B"}}"#, "no such field"),
            (r#"{"One, Two": {"": "B"}}"#, "no schema Two"),
            (r#"{"One": {"a": {"maxItems": 5}}}"#, "the types say maxItems"),
            ("[]", "could not read prose.json"),
        ] {
            let error = described(prose).expect_err(prose);
            assert!(error.contains(problem), "{error}");
        }
    }
}
