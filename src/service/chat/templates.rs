//! Filling of message templates: checks the number and names of variables and returns the text.

use serde_json::Value;

use crate::errors::ApiError;
use api::errors::ErrorCode;

/// Fills a template with the components of a send and returns the body's text.
///
/// # Errors
/// `TEMPLATE_ERROR` if the variables differ or a component does not exist.
pub fn fill(template: &[Value], given: &[Value]) -> Result<String, ApiError> {
    let mut text = String::new();
    for (place, part) in template.iter().enumerate() {
        let kind = text_field(part, "type");
        if kind == "BUTTONS" {
            check_buttons(part, given)?;
            continue;
        }
        let pattern = part.get("text").and_then(Value::as_str).unwrap_or("");
        // A media header takes one file.
        let file = matches!(text_field(part, "format").as_str(), "IMAGE" | "VIDEO" | "DOCUMENT");
        let mine = given.iter().find(|value| text_field(value, "type") == kind);
        let (values, place) = (parameter_texts(mine), format!("component {place} ({})", kind.to_lowercase()));
        if let Some(names) = variable_names(pattern) {
            let named = named_parameters(mine, &names, &place)?;
            if kind == "BODY" {
                text = fill_pattern(pattern, |name| {
                    named.iter().find(|pair| pair.0 == name).map(|pair| pair.1.as_str())
                });
            }
            continue;
        }
        let wanted = if kind == "HEADER" && file { 1 } else { count_variables(pattern) };
        if values.len() != wanted {
            return Err(wrong_count_error(&place, wanted, values.len()));
        }
        if kind == "BODY" {
            text = fill_pattern(pattern, |name| {
                values.get(name.parse::<usize>().ok()?.checked_sub(1)?).map(String::as_str)
            });
        }
    }
    check_known_parts(template, given)?;
    check_unique_parts(given)?;
    Ok(text)
}

/// Checks the parameters of buttons: one for each URL with a variable.
fn check_buttons(part: &Value, given: &[Value]) -> Result<(), ApiError> {
    let Some(buttons) = part.get("buttons").and_then(Value::as_array) else { return Ok(()) };
    for (index, button) in buttons.iter().enumerate() {
        let wanted = count_variables(button.get("url").and_then(Value::as_str).unwrap_or(""));
        let mine = given.iter().find(|value| {
            text_field(value, "type") == "BUTTON" && number_field(value, "index") == Some(index)
        });
        let count = parameter_texts(mine).len();
        // A quick reply may carry a payload.
        let payload = button.get("url").is_none() && count <= 1;
        if count != wanted && !payload {
            return Err(wrong_count_error(&format!("button {index}"), wanted, count));
        }
    }
    Ok(())
}

fn check_known_parts(template: &[Value], given: &[Value]) -> Result<(), ApiError> {
    for part in given {
        let kind = text_field(part, "type");
        let wanted = if kind == "BUTTON" { "BUTTONS" } else { kind.as_str() };
        if !template.iter().any(|value| text_field(value, "type") == wanted)
            && !parameter_texts(Some(part)).is_empty()
        {
            let message = format!("the template has no {} to fill", kind.to_lowercase());
            return Err(ApiError::new(ErrorCode::TemplateError, message));
        }
    }
    Ok(())
}

fn check_unique_parts(given: &[Value]) -> Result<(), ApiError> {
    let name = |part: &Value| (text_field(part, "type"), number_field(part, "index"));
    for (place, part) in given.iter().enumerate() {
        if given[..place].iter().any(|earlier| name(earlier) == name(part)) {
            let message = format!("the component {} appears twice", text_field(part, "type").to_lowercase());
            return Err(ApiError::new(ErrorCode::TemplateError, message));
        }
    }
    Ok(())
}

fn wrong_count_error(place: &str, wanted: usize, given: usize) -> ApiError {
    ApiError::new(ErrorCode::TemplateError, format!("{place} takes {wanted} variables; {given} were given"))
}

fn text_field(part: &Value, name: &str) -> String {
    part.get(name).and_then(Value::as_str).unwrap_or("").to_ascii_uppercase()
}

fn number_field(part: &Value, name: &str) -> Option<usize> {
    let value = part.get(name)?;
    let number = value.as_u64().or_else(|| value.as_str()?.parse().ok())?;
    usize::try_from(number).ok()
}

fn parameter_texts(part: Option<&Value>) -> Vec<String> {
    let list = part.and_then(|part| part.get("parameters")).and_then(Value::as_array);
    let text = |value: &Value| match value.get("text") {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => value.get("payload").and_then(Value::as_str).unwrap_or("").to_owned(),
    };
    list.map(|list| list.iter().map(text).collect()).unwrap_or_default()
}

fn between_braces(pattern: &str) -> impl Iterator<Item = &str> {
    let inside = pattern.split("{{").skip(1).filter_map(|rest| rest.split_once("}}"));
    inside.map(|(inside, _)| inside.trim())
}

/// Returns the highest number in `{{n}}`.
pub fn count_variables(pattern: &str) -> usize {
    between_braces(pattern).filter_map(|between_brace| between_brace.parse::<usize>().ok()).max().unwrap_or(0)
}

/// Returns the distinct names of variables; `None` if they are numbered.
fn variable_names(pattern: &str) -> Option<Vec<&str>> {
    let is_name = |text: &&str| {
        text.starts_with(|character: char| character.is_ascii_lowercase())
            && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    };
    let mut names: Vec<&str> = between_braces(pattern).filter(is_name).collect();
    names.sort_unstable();
    names.dedup();
    (!names.is_empty()).then_some(names)
}

/// Returns the values of named variables, each of which must be given once.
fn named_parameters(
    part: Option<&Value>,
    names: &[&str],
    place: &str,
) -> Result<Vec<(String, String)>, ApiError> {
    let list = part.and_then(|part| part.get("parameters")).and_then(Value::as_array);
    let name = |value: &Value| value.get("parameter_name").and_then(Value::as_str).unwrap_or("").to_owned();
    let given: Vec<String> = list.map(|list| list.iter().map(name).collect()).unwrap_or_default();
    let mut sorted = given.clone();
    sorted.sort_unstable();
    if sorted.iter().map(String::as_str).ne(names.iter().copied()) {
        let given =
            if given.iter().all(String::is_empty) { "none by name".to_owned() } else { given.join(", ") };
        let message = format!(
            "{place} takes the variables {}, each once with its parameter_name; {given} were given",
            names.join(", ")
        );
        return Err(ApiError::new(ErrorCode::TemplateError, message));
    }
    Ok(given.into_iter().zip(parameter_texts(part)).collect())
}

fn fill_pattern<'a>(pattern: &str, value: impl Fn(&str) -> Option<&'a str>) -> String {
    let mut text = String::new();
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once("{{") {
        text.push_str(before);
        let Some((inside, behind)) = after.split_once("}}") else {
            text.push_str("{{");
            rest = after;
            continue;
        };
        text.push_str(value(inside.trim()).unwrap_or(""));
        rest = behind;
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn variables_with_names_are_filled_by_them() {
        let template = [
            json!({"type": "HEADER", "format": "TEXT", "text": "Order {{order_id}}"}),
            json!({"type": "BODY", "text": "Hi {{first_name}}, {{order_id}} is ready, {{first_name}}."}),
        ];
        let part = |kind: &str, values: &[(&str, &str)]| {
            let one = |pair: &(&str, &str)| json!({"type": "text", "parameter_name": pair.0, "text": pair.1});
            json!({"type": kind, "parameters": values.iter().map(one).collect::<Vec<_>>()})
        };
        let header = part("header", &[("order_id", "7")]);
        let body = part("body", &[("order_id", "7"), ("first_name", "{{order_id}}")]);
        let ready = fill(&template, &[header.clone(), body]).expect("filled");
        assert_eq!(ready, "Hi {{order_id}}, 7 is ready, {{order_id}}.", "by their names, and once");
        let unnamed = json!({"type": "body", "parameters": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]});
        for (wrong, words) in [
            (part("body", &[("first_name", "Ana")]), "first_name were given"),
            (part("body", &[("first_name", "Ana"), ("first_name", "Bea")]), "each once"),
            (part("body", &[("first_name", "Ana"), ("number", "7")]), "first_name, order_id"),
            (unnamed, "none by name were given"),
        ] {
            let error = fill(&template, &[header.clone(), wrong]).expect_err("refused");
            assert_eq!(error.code, ErrorCode::TemplateError);
            assert!(error.message.contains(words), "{}", error.message);
        }
        assert!(
            fill(&template, &[part("body", &[("first_name", "A"), ("order_id", "7")])]).is_err(),
            "no header"
        );
    }

    #[test]
    fn counts_are_enforced_and_texts_filled() {
        let template = [
            json!({"type": "HEADER", "format": "TEXT", "text": "Order"}),
            json!({"type": "BODY", "text": "Hi {{1}}, order {{2}} is ready, {{1}}."}),
            json!({"type": "BUTTONS", "buttons": [{"type": "QUICK_REPLY", "text": "Yes"}]}),
        ];
        let body = |values: &[&str]| {
            let list: Vec<Value> =
                values.iter().map(|value| json!({"type": "text", "text": value})).collect();
            json!({"type": "body", "parameters": list})
        };
        let ready = fill(&template, &[body(&["Ann", "7"])]).expect("filled");
        assert_eq!(ready, "Hi Ann, order 7 is ready, Ann.");
        let bad = [
            vec![],
            vec![body(&["Ann"])],
            vec![body(&["Ann", "7", "8"])],
            vec![
                body(&["Ann", "7"]),
                json!({"type": "header", "parameters": [{"type": "text", "text": "x"}]}),
            ],
            vec![
                body(&["Ann", "7"]),
                json!({"type": "footer", "parameters": [{"type": "text", "text": "x"}]}),
            ],
        ];
        for given in bad {
            let error = fill(&template, &given).expect_err("refused");
            assert_eq!(error.code, ErrorCode::TemplateError, "{given:?}");
        }
        // A value that looks like a variable is not filled again.
        assert_eq!(
            fill(&template, &[body(&["{{2}}", "7"])]).expect("filled"),
            "Hi {{2}}, order 7 is ready, {{2}}."
        );
    }
}
