//! Addresses in messages become terminal links with exactly the target shown.

use frontdesk::inbox::screens::history::links_view::links;
use serde_json::json;

use super::media::{desk_of, file};
use crate::desk::Desk;

/// Text and target of each link on screen, row by row.
fn linked(desk: &Desk) -> Vec<(String, String)> {
    let buffer = desk.buffer();
    let said = |(x, y): (u16, u16), cells: u16| (x..x + cells).map(|x| buffer[(x, y)].symbol()).collect();
    links(&desk.app, &buffer).into_iter().map(|link| (said(link.at, link.cells), link.target)).collect()
}

fn pair(said: &str, target: &str) -> (String, String) {
    (said.to_owned(), target.to_owned())
}

#[test]
fn an_address_leads_where_it_says() {
    let mut desk = Desk::new(120, 40);
    let text = "See https://a.example/orders?id=1041, or write to shop@mail.example.";
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", text);
    // The list shows it, too, but cut.
    desk.settle().keys("<Enter>");
    let both = [
        pair("https://a.example/orders?id=1041", "https://a.example/orders?id=1041"),
        pair("shop@mail.example", "mailto:shop@mail.example"),
    ];
    assert_eq!(linked(&desk), both);
    // An overlay above it is not linked.
    desk.resize((80, 24));
    desk.keys("?").hides("a.example");
    assert_eq!(linked(&desk), []);
    desk.keys("<Esc>gp");
    assert_eq!(linked(&desk), []);
}

#[test]
fn an_address_over_several_rows_is_one_link() {
    let mut desk = Desk::new(80, 24);
    let long = format!("https://a.example/{}", "orders/".repeat(20));
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", &format!("Look: {long} ok"));
    desk.settle().keys("<Enter>");
    let found = linked(&desk);
    assert!(found.len() > 1 && found.iter().all(|pair| pair.1 == long), "{found:?}");
    assert_eq!(found.iter().map(|pair| pair.0.as_str()).collect::<String>(), long);
    let ids: std::collections::HashSet<u32> =
        links(&desk.app, &desk.buffer()).into_iter().map(|link| link.id).collect();
    assert_eq!(ids.len(), 1);
    // A half-visible address is not linked: the other half may continue it.
    for _ in 0..12 {
        desk.customer("whatsapp", "+34600111222", "Maria Lopez", "And?\nAnd?");
    }
    desk.settle().keys("g").keys("g");
    for _ in 0..40 {
        let found = linked(&desk);
        let said: String = found.iter().map(|pair| pair.0.as_str()).collect();
        assert!(said.is_empty() || said == long, "{said}");
        desk.keys("<Ctrl-D>");
    }
}

#[test]
fn what_only_looks_like_an_address_leads_nowhere() {
    let mut desk = Desk::new(120, 40);
    let hostile = [
        "https://bank.example@evil.example/login",
        "https://b\u{430}nk.example/login",
        "https://a.example/\u{202e}gnp.exe",
        "\u{1b}]8;;https://evil.example\u{1b}\\https://bank.example\u{1b}]8;;\u{1b}\\",
        "javascript://a.example/%0aalert(1)",
        "file:///etc/passwd",
        "shop@mail.example?bcc=evil@evil.example",
    ];
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", &hostile.join("\n"));
    desk.settle().keys("<Enter>");
    let found = linked(&desk);
    assert!(found.iter().all(|(said, target)| said == target && !target.contains("evil")), "{found:?}");
    assert!(found.len() <= 1, "{found:?}");
}

#[test]
fn a_file_is_linked_by_the_host_it_lies_on() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let messages = vec![
        file(1, "document", "https://files.example/a/bill.pdf", json!({})),
        file(
            2,
            "document",
            "https://evil.example/x",
            json!({"media": {"filename": "https://bank.example/login"}}),
        ),
        file(3, "image", "ftp://files.example/photo.jpg", json!({})),
    ];
    let (_server, mut desk) = desk_of(&runtime, messages);
    desk.shows("https://bank.example/login · evil.example");
    let expected = [
        pair("files.example", "https://files.example/a/bill.pdf"),
        pair("evil.example", "https://evil.example/x"),
    ];
    assert_eq!(linked(&desk), expected);
}

#[test]
fn the_mail_address_on_the_card_is_a_link() {
    let mut desk = Desk::new(160, 50);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Hello?");
    let contact = json!({"phone": "+34600111222", "email": "maria@mail.example"});
    desk.elsewhere("whatsapp", "POST", "/contacts", contact);
    desk.settle().keys("<Enter>").settle().shows("maria@mail.example");
    assert!(
        linked(&desk).contains(&pair("maria@mail.example", "mailto:maria@mail.example")),
        "{:?}",
        linked(&desk)
    );
}
