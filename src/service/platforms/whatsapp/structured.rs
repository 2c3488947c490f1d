//! Messages that hold more than a text or a file, in words: orders, forms,
//! contacts, places.

use serde_json::Value;

use crate::platforms::words::{fields, in_brackets, joined, of_unknown, scalar, text};

/// Entries of a list that are shown at most.
const MAX_ENTRIES: usize = 60;

/// An order: its items with their prices, the total, and the customer's note.
pub(super) fn order(object: &Value) -> String {
    let items = object["product_items"].as_array().map_or(&[][..], Vec::as_slice);
    let shown = items.iter().take(MAX_ENTRIES).map(item);
    let more = items.len().checked_sub(MAX_ENTRIES).filter(|more| *more > 0);
    let more = more.map(|more| format!("and {more} more"));
    let note = text(&object["text"]);
    in_brackets("order", &joined(shown.chain([more, total(items), note])))
}

fn item(object: &Value) -> Option<String> {
    let name = scalar(&object["product_retailer_id"]).or_else(|| scalar(&object["name"]))?;
    let count = scalar(&object["quantity"]).unwrap_or_else(|| "1".to_owned());
    let price = scalar(&object["item_price"]).map(|price| {
        let currency = text(&object["currency"]).map(|currency| format!(" {currency}"));
        format!(" at {price}{}", currency.unwrap_or_default())
    });
    Some(format!("{count} × {name}{}", price.unwrap_or_default()))
}

/// The sum of an order in one currency, `None` where a price or count cannot be read.
fn total(items: &[Value]) -> Option<String> {
    let currency = text(&items.first()?["currency"])?;
    let number = |value: &Value| value.as_f64().or_else(|| value.as_str()?.trim().parse().ok());
    let mut sum = 0.0;
    for item in items {
        if text(&item["currency"]).as_ref() != Some(&currency) {
            return None;
        }
        sum += number(&item["item_price"])? * number(&item["quantity"])?;
    }
    (sum.is_finite() && sum.abs() < 1e12).then(|| format!("total {sum:.2} {currency}"))
}

/// A form that was filled in: its answers, or what the platform says of it.
pub(super) fn form(object: &Value) -> String {
    let answers: Value = match &object["response_json"] {
        Value::String(text) => serde_json::from_str(text).unwrap_or_default(),
        told => told.clone(),
    };
    match fields(&answers) {
        told if told.is_empty() => in_brackets("form", &of_unknown(object)),
        told => {
            let name = text(&object["name"]).filter(|name| name != "flow").map(|name| name.replace('_', " "));
            in_brackets("form", &joined([name].into_iter().chain(told.into_iter().map(Some))))
        }
    }
}

/// The answer to something interactive.
pub(super) fn interactive(object: &Value) -> String {
    for kind in ["button_reply", "list_reply"] {
        let reply = &object[kind];
        if let Some(title) = text(&reply["title"]) {
            return joined([Some(title), text(&reply["description"])]);
        }
    }
    if object["nfm_reply"].is_object() {
        return form(&object["nfm_reply"]);
    }
    match text(&object["type"]).filter(|kind| !matches!(kind.as_str(), "button_reply" | "list_reply")) {
        Some(kind) => {
            let reply = &object[kind.as_str()];
            let words = of_unknown(reply);
            let told = || joined(fields(reply).into_iter().map(Some));
            in_brackets(&kind, &if words.is_empty() { told() } else { words })
        }
        None => in_brackets("form", &of_unknown(&object["nfm_reply"])),
    }
}

pub(super) fn location(object: &Value) -> String {
    let place = format!("{}, {}", object["latitude"], object["longitude"]);
    joined([text(&object["name"]), text(&object["address"]), Some(place), text(&object["url"])])
}

/// Contacts with all their numbers and addresses.
pub(super) fn contacts(list: &Value) -> String {
    let all: Vec<String> = list.as_array().into_iter().flatten().take(MAX_ENTRIES).map(contact).collect();
    let words = all.join("; ");
    if words.is_empty() { "[contact]".to_owned() } else { words }
}

fn contact(object: &Value) -> String {
    let all = |list: &'static str, field: &'static str| {
        let entries = object[list].as_array().into_iter().flatten().take(MAX_ENTRIES);
        entries.map(move |entry| {
            let kind = text(&entry["type"]).map(|kind| format!(" ({})", kind.to_lowercase()));
            text(&entry[field]).map(|value| format!("{value}{}", kind.unwrap_or_default()))
        })
    };
    let places = object["addresses"].as_array().into_iter().flatten().take(MAX_ENTRIES).map(|entry| {
        let parts =
            ["street", "zip", "city", "state", "country"].iter().filter_map(|part| text(&entry[*part]));
        Some(parts.collect::<Vec<_>>().join(", "))
    });
    let name = text(&object["name"]["formatted_name"]).or_else(|| text(&object["name"]["first_name"]));
    let head = [name, text(&object["org"]["company"])].into_iter();
    let reached = head.chain(all("phones", "phone")).chain(all("emails", "email")).chain(all("urls", "url"));
    joined(reached.chain(places).chain([text(&object["birthday"])]))
}

/// The words of a message that was written about a product.
pub(super) fn about_product(message: &Value, words: &str) -> Option<String> {
    let product = &message["context"]["referred_product"];
    let id = scalar(&product["product_retailer_id"])?;
    Some(in_brackets(&format!("about the product {id}"), words))
}

/// Returns the objects of a structured message, as the platform tells them.
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
        let words = order(&json!({"text": "by noon", "product_items": items}));
        assert_eq!(words, "[order] 2 × rope at 4.5 EUR · 1 × buoy at 20 EUR · total 29.00 EUR · by noon");
        let many: Vec<Value> = (0..70).map(|number| item(&number.to_string(), json!(1), json!(1))).collect();
        assert!(order(&json!({ "product_items": many })).contains("and 10 more · total 70.00 EUR"));
        assert_eq!(order(&json!({})), "[order]");
        let odd =
            order(&json!({"product_items": [{"product_retailer_id": 7, "quantity": {}, "currency": "EUR"}]}));
        assert_eq!(odd, "[order] 1 × 7");
    }
}
