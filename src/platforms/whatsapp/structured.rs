//! Describes structured messages as text: orders, forms, contacts, places.

use serde_json::Value;

use crate::words::{describe_fields, describe_unknown, in_brackets, join_parts, read_text, scalar};

const MAX_ENTRIES: usize = 60;

/// Describes an order: items with prices, total, and the customer's note.
pub(super) fn describe_order(object: &Value) -> String {
    let items = object["product_items"].as_array().map_or(&[][..], Vec::as_slice);
    let shown = items.iter().take(MAX_ENTRIES).map(describe_item);
    let more = items.len().checked_sub(MAX_ENTRIES).filter(|more| *more > 0);
    let more = more.map(|more| format!("and {more} more"));
    let note = read_text(&object["text"]);
    in_brackets("order", &join_parts(shown.chain([more, order_total(items), note])))
}

fn describe_item(object: &Value) -> Option<String> {
    let name = scalar(&object["product_retailer_id"]).or_else(|| scalar(&object["name"]))?;
    let count = scalar(&object["quantity"]).unwrap_or_else(|| "1".to_owned());
    let price = scalar(&object["item_price"]).map(|price| {
        let currency = read_text(&object["currency"]).map(|currency| format!(" {currency}"));
        format!(" at {price}{}", currency.unwrap_or_default())
    });
    Some(format!("{count} × {name}{}", price.unwrap_or_default()))
}

/// Returns the total of an order in one currency, `None` if a price or quantity is unreadable.
fn order_total(items: &[Value]) -> Option<String> {
    let currency = read_text(&items.first()?["currency"])?;
    let number = |value: &Value| value.as_f64().or_else(|| value.as_str()?.trim().parse().ok());
    let mut sum = 0.0;
    for item in items {
        if read_text(&item["currency"]).as_ref() != Some(&currency) {
            return None;
        }
        sum += number(&item["item_price"])? * number(&item["quantity"])?;
    }
    (sum.is_finite() && sum.abs() < 1e12).then(|| format!("total {sum:.2} {currency}"))
}

/// Describes a completed form: its answers, or else the platform's description.
pub(super) fn describe_form(object: &Value) -> String {
    let answers: Value = match &object["response_json"] {
        Value::String(text) => serde_json::from_str(text).unwrap_or_default(),
        told => told.clone(),
    };
    match describe_fields(&answers) {
        told if told.is_empty() => in_brackets("form", &describe_unknown(object)),
        told => {
            let name =
                read_text(&object["name"]).filter(|name| name != "flow").map(|name| name.replace('_', " "));
            in_brackets("form", &join_parts([name].into_iter().chain(told.into_iter().map(Some))))
        }
    }
}

/// Returns the label of a template's button, else what the template attached to it.
pub(super) fn describe_button(object: &Value) -> String {
    let attached = || read_text(&object["payload"]).unwrap_or_else(|| describe_unknown(object));
    read_text(&object["text"]).unwrap_or_else(|| in_brackets("button", &attached()))
}

pub(super) fn describe_interactive(object: &Value) -> String {
    for (kind, name) in [("button_reply", "button"), ("list_reply", "list")] {
        let reply = &object[kind];
        if let Some(title) = read_text(&reply["title"]) {
            return join_parts([Some(title), read_text(&reply["description"])]);
        }
        if let Some(id) = read_text(&reply["id"]) {
            return in_brackets(name, &id);
        }
    }
    if object["nfm_reply"].is_object() {
        return describe_form(&object["nfm_reply"]);
    }
    match read_text(&object["type"]).filter(|kind| !matches!(kind.as_str(), "button_reply" | "list_reply")) {
        Some(kind) => {
            let reply = &object[kind.as_str()];
            let words = describe_unknown(reply);
            let told = || join_parts(describe_fields(reply).into_iter().map(Some));
            in_brackets(&kind, &if words.is_empty() { told() } else { words })
        }
        None => in_brackets("form", &describe_unknown(&object["nfm_reply"])),
    }
}

pub(super) fn describe_location(object: &Value) -> String {
    let place = format!("{}, {}", object["latitude"], object["longitude"]);
    join_parts([
        read_text(&object["name"]),
        read_text(&object["address"]),
        Some(place),
        read_text(&object["url"]),
    ])
}

pub(super) fn describe_contacts(list: &Value) -> String {
    let all: Vec<String> =
        list.as_array().into_iter().flatten().take(MAX_ENTRIES).map(describe_contact).collect();
    let words = all.join("; ");
    if words.is_empty() { "[contact]".to_owned() } else { words }
}

fn describe_contact(object: &Value) -> String {
    let all = |list: &'static str, field: &'static str| {
        let entries = object[list].as_array().into_iter().flatten().take(MAX_ENTRIES);
        entries.map(move |entry| {
            let kind = read_text(&entry["type"]).map(|kind| format!(" ({})", kind.to_lowercase()));
            read_text(&entry[field]).map(|value| format!("{value}{}", kind.unwrap_or_default()))
        })
    };
    let places = object["addresses"].as_array().into_iter().flatten().take(MAX_ENTRIES).map(|entry| {
        let parts =
            ["street", "zip", "city", "state", "country"].iter().filter_map(|part| read_text(&entry[*part]));
        Some(parts.collect::<Vec<_>>().join(", "))
    });
    let name =
        read_text(&object["name"]["formatted_name"]).or_else(|| read_text(&object["name"]["first_name"]));
    let head = [name, read_text(&object["org"]["company"])].into_iter();
    let reached = head.chain(all("phones", "phone")).chain(all("emails", "email")).chain(all("urls", "url"));
    join_parts(reached.chain(places).chain([read_text(&object["birthday"])]))
}

pub(super) fn describe_product_question(message: &Value, words: &str) -> Option<String> {
    let product = &message["context"]["referred_product"];
    let id = scalar(&product["product_retailer_id"])?;
    Some(in_brackets(&format!("about the product {id}"), words))
}

pub(super) fn structure(kind: &str, message: &Value) -> Value {
    let product = &message["context"]["referred_product"];
    let is_plain = matches!(
        kind,
        "text"
            | "image"
            | "video"
            | "audio"
            | "voice"
            | "document"
            | "sticker"
            | "reaction"
            | "unsupported"
            | "unknown"
    );
    let mut held = serde_json::Map::new();
    if !is_plain && !message[kind].is_null() {
        held.insert(kind.to_owned(), message[kind].clone());
    }
    if product.is_object() {
        held.insert("referred_product".to_owned(), product.clone());
    }
    if held.is_empty() { Value::Null } else { Value::Object(held) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_order_says_what_was_ordered() {
        let item = |id: &str, count: Value, price: Value| json!({"product_retailer_id": id, "quantity": count, "item_price": price, "currency": "EUR"});
        let items = [item("rope", json!("2"), json!(4.5)), item("buoy", json!(1), json!("20"))];
        let words = describe_order(&json!({"text": "by noon", "product_items": items}));
        assert_eq!(words, "[order] 2 × rope at 4.5 EUR · 1 × buoy at 20 EUR · total 29.00 EUR · by noon");
        let many: Vec<Value> = (0..70).map(|number| item(&number.to_string(), json!(1), json!(1))).collect();
        assert!(describe_order(&json!({ "product_items": many })).contains("and 10 more · total 70.00 EUR"));
        assert_eq!(describe_order(&json!({})), "[order]");
        let odd = describe_order(
            &json!({"product_items": [{"product_retailer_id": 7, "quantity": {}, "currency": "EUR"}]}),
        );
        assert_eq!(odd, "[order] 1 × 7");
    }
}
