//! Filling templates: how many variables each part has, whether as many are
//! given, and the text that results. Interface: Errors, TEMPLATE_ERROR.

use serde_json::Value;

use crate::errors::ApiError;
use wire::errors::ErrorCode;

/// Fills an approved template's components with those of a send; the body's
/// text.
///
/// # Errors
/// `TEMPLATE_ERROR` when the counts differ or a part does not exist.
pub fn fill(template: &[Value], given: &[Value]) -> Result<String, ApiError> {
    let mut text = String::new();
    for (place, part) in template.iter().enumerate() {
        let kind = word(part, "type");
        if kind == "BUTTONS" {
            buttons(part, given)?;
            continue;
        }
        let pattern = part.get("text").and_then(Value::as_str).unwrap_or("");
        // A header that is a file takes that file.
        let file = matches!(word(part, "format").as_str(), "IMAGE" | "VIDEO" | "DOCUMENT");
        let wanted = if kind == "HEADER" && file { 1 } else { variables(pattern) };
        let values = parameters(given.iter().find(|it| word(it, "type") == kind));
        if values.len() != wanted {
            return Err(wrong_count(
                &format!("component {place} ({})", kind.to_lowercase()),
                wanted,
                values.len(),
            ));
        }
        if kind == "BODY" {
            text = filled(pattern, &values);
        }
    }
    known_parts(template, given)?;
    no_part_twice(given)?;
    Ok(text)
}

/// Buttons with a variable address take one parameter each.
fn buttons(part: &Value, given: &[Value]) -> Result<(), ApiError> {
    let Some(buttons) = part.get("buttons").and_then(Value::as_array) else { return Ok(()) };
    for (index, button) in buttons.iter().enumerate() {
        let wanted = variables(button.get("url").and_then(Value::as_str).unwrap_or(""));
        let mine = given.iter().find(|it| word(it, "type") == "BUTTON" && number(it, "index") == Some(index));
        let count = parameters(mine).len();
        // Quick replies may carry a payload.
        let payload = button.get("url").is_none() && count <= 1;
        if count != wanted && !payload {
            return Err(wrong_count(&format!("button {index}"), wanted, count));
        }
    }
    Ok(())
}

/// Refuses parts the template does not have.
fn known_parts(template: &[Value], given: &[Value]) -> Result<(), ApiError> {
    for part in given {
        let kind = word(part, "type");
        let wanted = if kind == "BUTTON" { "BUTTONS" } else { kind.as_str() };
        if !template.iter().any(|it| word(it, "type") == wanted) && !parameters(Some(part)).is_empty() {
            let message = format!("the template has no {} to fill", kind.to_lowercase());
            return Err(ApiError::new(ErrorCode::TemplateError, message));
        }
    }
    Ok(())
}

/// Refuses parts that are given twice: which of them would count?
fn no_part_twice(given: &[Value]) -> Result<(), ApiError> {
    let name = |part: &Value| (word(part, "type"), number(part, "index"));
    for (place, part) in given.iter().enumerate() {
        if given[..place].iter().any(|earlier| name(earlier) == name(part)) {
            let message = format!("the component {} is given twice", word(part, "type").to_lowercase());
            return Err(ApiError::new(ErrorCode::TemplateError, message));
        }
    }
    Ok(())
}

fn wrong_count(place: &str, wanted: usize, given: usize) -> ApiError {
    ApiError::new(ErrorCode::TemplateError, format!("{place} takes {wanted} variables; {given} were given"))
}

fn word(part: &Value, name: &str) -> String {
    part.get(name).and_then(Value::as_str).unwrap_or("").to_ascii_uppercase()
}

fn number(part: &Value, name: &str) -> Option<usize> {
    let value = part.get(name)?;
    let number = value.as_u64().or_else(|| value.as_str()?.parse().ok())?;
    usize::try_from(number).ok()
}

/// The texts given for a part.
fn parameters(part: Option<&Value>) -> Vec<String> {
    let list = part.and_then(|it| it.get("parameters")).and_then(Value::as_array);
    let text = |it: &Value| match it.get("text") {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => it.get("payload").and_then(Value::as_str).unwrap_or("").to_owned(),
    };
    list.map(|list| list.iter().map(text).collect()).unwrap_or_default()
}

/// How many variables a pattern has: the highest number in `{{n}}`.
pub fn variables(pattern: &str) -> usize {
    let numbers = pattern.split("{{").skip(1).filter_map(|rest| rest.split_once("}}"));
    numbers.filter_map(|(inside, _)| inside.trim().parse::<usize>().ok()).max().unwrap_or(0)
}

fn filled(pattern: &str, values: &[String]) -> String {
    let mut text = String::new();
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once("{{") {
        text.push_str(before);
        let Some((inside, behind)) = after.split_once("}}") else {
            text.push_str("{{");
            rest = after;
            continue;
        };
        let value = inside.trim().parse::<usize>().ok().and_then(|it| values.get(it.checked_sub(1)?));
        text.push_str(value.map_or("", String::as_str));
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
    fn counts_are_enforced_and_texts_filled() {
        let template = [
            json!({"type": "HEADER", "format": "TEXT", "text": "Order"}),
            json!({"type": "BODY", "text": "Hi {{1}}, order {{2}} is ready, {{1}}."}),
            json!({"type": "BUTTONS", "buttons": [{"type": "QUICK_REPLY", "text": "Yes"}]}),
        ];
        let body = |values: &[&str]| {
            let list: Vec<Value> = values.iter().map(|it| json!({"type": "text", "text": it})).collect();
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
