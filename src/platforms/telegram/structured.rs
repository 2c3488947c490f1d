//! Describes structured messages as text: places, people, polls, checklists, payments and the like;
//! and the links in a text.

use serde_json::Value;

use crate::telegram::chat::display_name;
use crate::telegram::vcard::read_card;
use crate::words::{
    describe_fields, describe_unknown, in_brackets, join_parts, minor_amount, read_text, scalar,
};

const MAX_ENTRIES: usize = 60;

pub(super) struct BotStructure<'a> {
    /// Field of the message that holds the object.
    pub field: &'static str,
    pub object: &'a Value,
    pub words: String,
}

type DescribeFn = fn(&Value) -> String;

/// Known kinds. `venue` precedes `location`, and a game comes with an animation.
const STRUCTURED_KINDS: [(&str, DescribeFn); 17] = [
    ("venue", venue),
    ("location", location),
    ("contact", contact),
    ("poll", poll),
    ("dice", dice),
    ("checklist", checklist),
    ("checklist_tasks_done", tasks_done),
    ("checklist_tasks_added", |object| list("checklist tasks added", &object["tasks"], task)),
    ("invoice", invoice),
    ("successful_payment", |object| payment("payment", object)),
    ("refunded_payment", |object| payment("refund", object)),
    ("web_app_data", web_app_data),
    ("users_shared", |object| list("people", &object["users"], person)),
    ("chat_shared", |object| in_brackets("chat", &person(object))),
    ("story", |object| in_brackets("story", &person(&object["chat"]))),
    ("giveaway", giveaway),
    ("giveaway_winners", giveaway_winners),
];

/// Reads the structured object of a message, `None` if there is no known one.
pub(super) fn read_structure(message: &Value) -> Option<BotStructure<'_>> {
    STRUCTURED_KINDS.into_iter().find_map(|(field, describe)| {
        let object = &message[field];
        let words = || describe(object);
        object.is_object().then(|| BotStructure { field, object, words: words() })
    })
}

fn place(location: &Value) -> String {
    format!("{}, {}", location["latitude"], location["longitude"])
}

fn venue(object: &Value) -> String {
    join_parts([read_text(&object["title"]), read_text(&object["address"]), Some(place(&object["location"]))])
}

fn location(object: &Value) -> String {
    let words = place(object);
    if object["live_period"].is_number() { in_brackets("live location", &words) } else { words }
}

fn contact(object: &Value) -> String {
    let number = read_text(&object["phone_number"]);
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let known = number.as_deref().map(digits);
    let card = read_text(&object["vcard"]).unwrap_or_default();
    let more = read_card(&card)
        .into_iter()
        .filter(|value| value.contains('@') || known.as_ref() != Some(&digits(value)));
    let all = [display_name(object), number.clone()].into_iter().chain(more.map(Some));
    join_parts(all)
}

fn list(name: &str, entries: &Value, one: fn(&Value) -> String) -> String {
    let entries = entries.as_array().into_iter().flatten().take(MAX_ENTRIES);
    in_brackets(name, &join_parts(entries.map(|entry| Some(one(entry)))))
}

fn poll(object: &Value) -> String {
    let options = object["options"].as_array().into_iter().flatten().take(MAX_ENTRIES);
    let option = |option: &Value| {
        let votes = option["voter_count"].as_i64().filter(|votes| *votes > 0);
        let name = read_text(&option["text"])?;
        Some(votes.map_or_else(|| name.clone(), |votes| format!("{name} ({votes})")))
    };
    let parts = [read_text(&object["question"]), read_text(&object["description"])];
    in_brackets("poll", &join_parts(parts.into_iter().chain(options.map(option))))
}

fn dice(object: &Value) -> String {
    format!("{} {}", read_text(&object["emoji"]).unwrap_or_default(), object["value"])
}

fn checklist(object: &Value) -> String {
    let tasks = object["tasks"].as_array().into_iter().flatten().take(MAX_ENTRIES);
    in_brackets(
        "checklist",
        &join_parts([read_text(&object["title"])].into_iter().chain(tasks.map(|entry| Some(task(entry))))),
    )
}

fn task(object: &Value) -> String {
    let is_done = object["completion_date"].as_i64().is_some_and(|at| at > 0);
    let done_by = display_name(&object["completed_by_user"]).map(|name| format!(" ({name})"));
    let mark = if is_done { "☑" } else { "☐" };
    format!("{mark} {}{}", read_text(&object["text"]).unwrap_or_default(), done_by.unwrap_or_default())
}

fn tasks_done(object: &Value) -> String {
    let tasks = object["checklist_message"]["checklist"]["tasks"].as_array();
    let named = |id: &Value| {
        let task = tasks.into_iter().flatten().find(|task| task["id"] == *id);
        task.and_then(|task| read_text(&task["text"])).unwrap_or_else(|| format!("task {id}"))
    };
    let marked = |field: &str, mark: &str| {
        let ids = object[field].as_array().into_iter().flatten().take(MAX_ENTRIES);
        ids.map(|id| Some(format!("{mark} {}", named(id)))).collect::<Vec<_>>()
    };
    let all = [marked("marked_as_done_task_ids", "☑"), marked("marked_as_not_done_task_ids", "☐")];
    in_brackets("checklist", &join_parts(all.into_iter().flatten()))
}

fn invoice(object: &Value) -> String {
    let amount = minor_amount(&object["total_amount"], &object["currency"]);
    in_brackets(
        "invoice",
        &join_parts([read_text(&object["title"]), read_text(&object["description"]), amount]),
    )
}

fn payment(name: &str, object: &Value) -> String {
    let order = &object["order_info"];
    let known = ["name", "phone_number", "email"].map(|field| read_text(&order[field]));
    let address = order["shipping_address"].as_object();
    let address = address.map(|address| {
        joined_lines(
            ["street_line1", "street_line2", "post_code", "city", "state", "country_code"]
                .map(|field| address.get(field).and_then(read_text)),
        )
    });
    let head = [
        minor_amount(&object["total_amount"], &object["currency"]),
        read_text(&object["invoice_payload"]),
        read_text(&object["shipping_option_id"]),
    ];
    in_brackets(name, &join_parts(head.into_iter().chain(known).chain([address])))
}

fn joined_lines(parts: impl IntoIterator<Item = Option<String>>) -> String {
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Data of a web app: the fields a person filled in, if it is JSON.
fn web_app_data(object: &Value) -> String {
    let data = read_text(&object["data"]);
    let filled: Value = data.as_deref().and_then(|data| serde_json::from_str(data).ok()).unwrap_or_default();
    let shown = match describe_fields(&filled) {
        told if told.is_empty() => data,
        told => Some(join_parts(told.into_iter().map(Some))),
    };
    in_brackets("form", &join_parts([read_text(&object["button_text"]), shown]))
}

fn person(object: &Value) -> String {
    let username = read_text(&object["username"]).map(|name| format!("@{name}"));
    let id = || scalar(&object["user_id"]).or_else(|| scalar(&object["chat_id"]));
    let words = join_parts([display_name(object), username]);
    if words.is_empty() { id().unwrap_or_default() } else { words }
}

fn giveaway(object: &Value) -> String {
    let winners = object["winner_count"].as_i64().map(|count| format!("{count} winners"));
    let chats = object["chats"].as_array().into_iter().flatten().take(MAX_ENTRIES);
    let head = [prize(object), winners];
    in_brackets("giveaway", &join_parts(head.into_iter().chain(chats.map(|chat| Some(person(chat))))))
}

fn giveaway_winners(object: &Value) -> String {
    let winners = object["winners"].as_array().into_iter().flatten().take(MAX_ENTRIES);
    let head = [prize(object)];
    in_brackets(
        "giveaway winners",
        &join_parts(head.into_iter().chain(winners.map(|winner| Some(person(winner))))),
    )
}

fn prize(object: &Value) -> Option<String> {
    let months = object["premium_subscription_month_count"].as_i64();
    let stars = object["prize_star_count"].as_i64().map(|count| format!("{count} stars"));
    read_text(&object["prize_description"])
        .or(months.map(|count| format!("{count} months of Premium")))
        .or(stars)
}

/// Returns a text with the URL of each link in brackets after it.
pub(super) fn with_links(words: &Value, entities: &Value) -> Option<String> {
    let whole = words.as_str()?;
    let mut links: Vec<(usize, &str)> = Vec::new();
    for entity in entities.as_array().into_iter().flatten().take(MAX_ENTRIES) {
        let (Some(url), Some(offset), Some(length)) =
            (entity["url"].as_str(), entity["offset"].as_u64(), entity["length"].as_u64())
        else {
            continue;
        };
        let end = usize::try_from(offset.saturating_add(length)).unwrap_or(usize::MAX);
        let shown = text_between(whole, usize::try_from(offset).unwrap_or(usize::MAX), end);
        if entity["type"] == "text_link" && shown.is_some_and(|shown| !is_same_address(shown, url)) {
            links.push((end, url));
        }
    }
    links.sort_by_key(|(end, _)| *end);
    let mut shown = String::with_capacity(whole.len());
    let (mut links, mut units) = (links.into_iter().peekable(), 0);
    for letter in whole.chars() {
        while let Some((_, url)) = links.next_if(|(end, _)| *end <= units) {
            shown.push_str(&format!(" ({url})"));
        }
        shown.push(letter);
        units += letter.len_utf16();
    }
    for (_, url) in links {
        shown.push_str(&format!(" ({url})"));
    }
    Some(shown.replace('\0', "")).filter(|shown| !shown.is_empty())
}

/// Returns the text between two UTF-16 positions; `None` beyond its end.
fn text_between(whole: &str, start: usize, end: usize) -> Option<&str> {
    let place = |wanted: usize| {
        let mut units = 0;
        for (place, letter) in whole.char_indices() {
            if units >= wanted {
                return Some(place);
            }
            units += letter.len_utf16();
        }
        (units >= wanted).then_some(whole.len())
    };
    whole.get(place(start)?..place(end)?)
}

fn is_same_address(shown: &str, url: &str) -> bool {
    let plain = |text: &str| {
        let text = text.trim().trim_end_matches('/');
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        rest.unwrap_or(text).to_lowercase()
    };
    plain(shown) == plain(url)
}

pub(super) fn unknown_text(kind: &str, object: &Value, caption: &str) -> String {
    let own = describe_unknown(object);
    let stars = object["star_count"].as_i64().map(|count| format!("{count} stars"));
    in_brackets(kind, &join_parts([Some(caption.to_owned()), Some(own), stars]))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn links_behind_words_are_shown_after_them() {
        let link = |offset: u64, length: u64, url: &str| json!({"type": "text_link", "offset": offset, "length": length, "url": url});
        let cases = [
            (
                "see here now",
                json!([link(4, 4, "https://a.example/1")]),
                "see here (https://a.example/1) now",
            ),
            ("🚢🚢 here", json!([link(5, 4, "https://a.example")]), "🚢🚢 here (https://a.example)"),
            (
                "a b",
                json!([link(2, 1, "https://y.example"), link(0, 1, "https://x.example")]),
                "a (https://x.example) b (https://y.example)",
            ),
            ("a.example", json!([link(0, 9, "https://a.example/")]), "a.example"),
            ("short", json!([link(3, 90, "https://a.example")]), "short"),
            ("bold", json!([{"type": "bold", "offset": 0, "length": 4}]), "bold"),
            ("x", json!([link(u64::MAX, u64::MAX, "https://a")]), "x"),
        ];
        for (words, entities, wanted) in cases {
            assert_eq!(with_links(&json!(words), &entities).as_deref(), Some(wanted), "{words}");
        }
        assert_eq!(with_links(&json!(null), &json!([])), None);
    }

    #[test]
    fn card_of_a_contact_is_read() {
        let card = "BEGIN:VCARD\nFN:Bo\nTEL;TYPE=CELL:+34 600 111 222\nitem1.TEL:+34600999888\nEMAIL;TYPE=work:bo@pier.example\nORG:Pier;Boats\nEND:VCARD";
        let words = contact(&json!({"first_name": "Bo", "phone_number": "34600111222", "vcard": card}));
        assert_eq!(words, "Bo · 34600111222 · +34600999888 · bo@pier.example · Pier, Boats");
    }
}
