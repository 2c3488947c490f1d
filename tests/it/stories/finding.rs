//! Finding a conversation: filter line, saved views, orders, all tabs in one list.

use crate::desk::Desk;

/// Four customers on two tabs; two of them want a person.
fn desk(columns: u16, rows: u16) -> Desk {
    let mut desk = Desk::new(columns, rows);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Where is order 1041? A human, please");
    desk.settle();
    desk.wait(60_000_000);
    desk.customer("whatsapp", "+351910000111", "João Pereira", "Can I have a refund? I want a human");
    desk.settle();
    desk.wait(60_000_000);
    desk.customer("whatsapp", "+447700900123", "Tom Baker", "Is the shop open?");
    desk.customer("telegram", "48211", "Oksana", "Добрий день! A refund, please");
    desk.settle();
    desk.wait(60_000_000);
    desk.settle();
    desk
}

#[test]
fn the_filter_line_narrows_as_it_is_typed() {
    let mut desk = desk(120, 40);
    desk.keys("ggj").keys("fref").shows("João Pereira").hides("Tom Baker").shows("Inbox · open /ref");
    desk.keys("<Ctrl-U>from:+34").shows("Maria Lopez").hides("João Pereira");
    photographs!(desk, "typing", List, Status);
    // Esc removes the filter and returns to the earlier row.
    desk.keys("<Esc>").shows("Tom Baker").shows("Inbox · open ─");
    assert!(desk.app.desk.current_conversation().is_some_and(|current_conversation| {
        current_conversation.conversation.title().as_str() == "João Pereira"
    }));
    // Enter keeps the filter; keys act on the filtered list.
    desk.keys("ftom<Enter>").hides("Maria").shows("Inbox · open /tom");
    desk.keys("r").types("We are, until six.").keys("<Enter>").shows("pause the AI");
    // Typing replaces the earlier text, other keys keep it.
    desk.keys("<Esc><Esc><Esc>f")
        .shows("filter / tom")
        .keys("jo")
        .shows("filter / jo")
        .hides("tomjo")
        .keys("<Ctrl-U>tom<Enter>");
    desk.keys("f").shows("filter / tom").keys("<Backspace><Backspace><Backspace><Backspace>");
    desk.shows("Maria Lopez");
}

#[test]
fn a_wrong_word_says_what_is_known() {
    let mut desk = desk(80, 24);
    desk.keys("fmaria statsu:open").shows("statsu: is not known; did you mean status:?").shows("Maria Lopez");
    desk.hides("Tom Baker");
    desk.keys("<Ctrl-W>ai:maybe").shows("ai:maybe is not known; use ai: with on, off, unknown");
    desk.keys("<Enter>").shows("ai:maybe is not known").shows("/maria !ai:maybe is not");
    // An invalid term stays marked until the filter is cleared.
    desk.keys("j").shows("/maria !ai:maybe").hides("Tom Baker");
    desk.keys("<Esc>").shows("filter cleared: maria ai:maybe").shows("Inbox · open ─").shows("Tom Baker");
    desk.keys("fmaria ai:maybe<Enter>");
    desk.keys("f<Ctrl-U>sta<Tab>").shows("filter / status:").shows("status: open  closed  active  any");
    desk.keys("cl<Tab>").shows("filter / status:closed").shows("matches this filter");
    desk.pastes("maria\n").shows("status:closed maria");
}

#[test]
fn views_are_chosen_from_a_menu() {
    let mut desk = desk(80, 24);
    desk.keys("v").shows("Later").shows("status:open is:unread -is:snoozed");
    photographs!(desk, "views", Overlay);
    desk.keys("4").shows("Inbox · closed").shows("No conversations in \"closed\"");
    desk.keys("vjj<Esc>").shows("Inbox · closed");
    desk.keys("vkk<Enter>").shows("Inbox · open");
    desk.keys("r").types("half").keys("<Esc><Esc>");
    desk.wait(1_000_000);
    desk.keys("v9").shows("Inbox · drafts").shows("draft: half").shows("─ 1 ┐");
    // Each tab keeps its own view.
    desk.keys("2").shows("Inbox · open").keys("1").shows("Inbox · drafts");
}

#[test]
fn orders_are_kept_with_the_tab() {
    let mut desk = desk(80, 24);
    let first = |desk: &Desk| desk.app.desk.list().page.rows[0].conversation.title().to_string();
    assert_eq!(first(&desk), "Tom Baker");
    desk.keys(",").shows("w waiting").keys("w").shows("longest wait first");
    assert_eq!(first(&desk), "Maria Lopez");
    desk.keys(",n").shows("by name");
    assert_eq!(first(&desk), "João Pereira");
    desk.keys("2").shows("Inbox · open ─").keys("1").shows("Inbox · open by name");
    desk.keys(",x").shows("by window");
    photographs!(desk, "sorted", List);
    desk.keys(",c").shows("category: no mail threads in this list");
    desk.keys(",a").shows("Inbox · open ─");
    assert_eq!(first(&desk), "Tom Baker");
}

#[test]
fn who_waits_is_walked_across_tabs() {
    let mut desk = desk(120, 40);
    let current_conversation = |desk: &Desk| {
        desk.app
            .desk
            .current_conversation()
            .map(|current_conversation| current_conversation.conversation.title().to_string())
    };
    desk.keys("gg");
    assert_eq!(current_conversation(&desk).as_deref(), Some("Tom Baker"));
    desk.keys("2w").shows("Maria Lopez: ").shows("waits 3m");
    assert_eq!(current_conversation(&desk).as_deref(), Some("Maria Lopez"));
    // The next most urgent, once that one is loaded.
    desk.keys("w").shows("João Pereira: ").shows("waits 2m");
    // Also if no row on screen waits.
    desk.keys("v4w").shows("waits 3m");
}

#[test]
fn all_tabs_make_one_list() {
    let mut desk = desk(120, 40);
    desk.keys("0").shows("All channels · open").shows("Harbor bot · ").shows("Harbor chat · ");
    photographs!(desk, "all");
    desk.keys("foksana<Enter>").shows("Oksana").hides("Tom Baker");
    // The conversation's own tab decides about commands and answers.
    desk.keys("p").settle().shows("AI paused");
    desk.keys("r").types("Так, звичайно").keys("<Enter><Ctrl-X>").settle().shows("Так, звичайно");
    assert_eq!(desk.outbound()[0]["to"], "48211");
    desk.keys("<Esc><Esc>f<Esc>").shows("Maria Lopez");
    desk.keys("G").shows("Maria Lopez · +34600111222").keys("p").shows("AI: pausing");
    // While reading, the neighbours may be of another tab.
    desk.keys("gg<Enter>J").shows("All channels · open").keys("1").shows("Inbox · open");
    desk.keys("0").shows("All channels · open").keys("2").shows("Inbox · open").shows("Oksana");
}

#[test]
fn contacts_without_a_conversation_are_asked_of_the_server() {
    let mut desk = desk(120, 40);
    let contact = |phone: &str, name: &str| serde_json::json!({"phone": phone, "name": name});
    desk.elsewhere("whatsapp", "POST", "/contacts", contact("+420777123456", "Marie Nováková"));
    desk.elsewhere("whatsapp", "POST", "/contacts", contact("+34600111222", "Maria Lopez"));
    // No requests while typing.
    desk.keys("/").types("mari").shows("Maria Lopez").hides("Marie Nov");
    desk.wait(200_000);
    desk.hides("Marie Nov").wait(100_000);
    desk.shows("Marie Nováková · +420777123456").shows("contact, no conversation yet");
    photographs!(desk, "contacts", Overlay);
    // A person with a conversation is listed once.
    assert_eq!(desk.picture().matches("Maria Lopez").count(), 1);
    desk.keys("<Down><Enter>").shows("copied +420777123456; Marie Nováková has no conversation here yet");
    assert_eq!(desk.copied, ["+420777123456"]);
    desk.types("x").hides("contact, no conversation yet");
}

#[test]
fn search_shows_the_rows_of_the_view_first() {
    let mut desk = desk(120, 40);
    desk.customer("telegram", "48213", "Maria Bot", "Hello");
    desk.settle().keys("1/").types("maria").shows("This view · All open").shows("Everywhere");
    let picture = desk.picture();
    let place = |text: &str| picture.find(text).unwrap_or_else(|| panic!("no {text:?}"));
    assert!(place("Maria Lopez") < place("Everywhere") && place("Everywhere") < place("Maria Bot"));
    photographs!(desk, "view_first", Overlay);
    desk.keys("<Enter>").shows("Maria Lopez · +34600111222");
    desk.keys("<Esc>/").keys("<Down><Enter>").settle().shows("Maria Bot · 48213");
}
