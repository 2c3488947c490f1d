//! Tabs: one per channel key, their capabilities, and bells.

use frontdesk::inbox::keys::Pointer;
use frontdesk::inbox::tabs_view;
use frontdesk::model::news::News;
use frontdesk::model::text::SafeText;
use serde_json::json;

use crate::desk::Desk;

#[test]
fn a_channel_that_is_connected_later_gets_a_tab_after_the_others() {
    let mut desk = Desk::new(120, 24);
    desk.customer("whatsapp", "+34600111222", "Ana", "Hello?");
    desk.settle().keys("<Enter>i").types("Half a text").hides("Sales");
    desk.connects("sales", "Sales").shows("3 Sales").shows("Half a text");
    let count = desk.app.desk.tabs.len();
    desk.connects("sales", "Sales");
    assert_eq!((count, desk.app.desk.tabs.len()), (3, 3));
    desk.keys("<Esc><Esc>3").shows("Asking the server…");
    desk.keys("1").shows("Ana");
}

#[test]
fn the_bot_tab_answers_and_says_what_it_cannot_do() {
    let mut desk = Desk::new(80, 24);
    desk.customer("telegram", "48211", "Oksana", "Добрий день! Чи є <дитячі> велосипеди?");
    desk.settle().shows("2 Harbor bot");
    // Messages before the first poll do not ring.
    assert_eq!(desk.bells, 0);
    desk.wait(1_000_000);
    desk.customer("telegram", "48211", "Oksana", "Ви тут?");
    desk.settle();
    assert_eq!(desk.bells, 1);
    desk.keys("2").shows("Oksana").keys("<Enter>");
    desk.keys(":claim<Enter>").shows("claimed");
    desk.keys("p").settle().keys("r").types("Так, a < b & c").keys("<Enter><Ctrl-X>").settle().shows("sent");
    photographs!(desk, "the_bot_tab_answers_and_says_what_it_cannot_do", Tabs, History);
    assert_eq!(desk.outbound()[0]["to"], "48211");
    desk.shows("Так, a < b & c");
    desk.keys("<Esc>]").shows("Inbox");
    desk.keys("[").shows("Oksana");
}

/// The API has no pause for bots; the service offers one.
#[test]
fn a_bot_conversation_is_paused_and_handed_back() {
    let mut desk = Desk::new(120, 40);
    desk.customer("telegram", "48211", "Oksana", "Чи є дитячі велосипеди?");
    let is_automated = |desk: &Desk| {
        desk.get("telegram", "/telegram/conversations")["data"][0]["automationEnabled"].as_bool()
    };
    desk.settle().keys("2").has_ai_on().keys("p").settle().shows("AI paused");
    assert_eq!(is_automated(&desk), Some(false));
    desk.keys("P").settle().has_ai_on();
    assert_eq!(is_automated(&desk), Some(true));
}

#[test]
fn a_tab_is_gone_to_by_its_number_and_an_old_error_is_over() {
    let mut desk = Desk::new(80, 24);
    desk.settle().keys(":").types("tab 9").keys("<Enter>").shows("no tab \"9\"");
    desk.keys(":").types("tab 2").keys("<Enter>").hides("no tab").settle();
    assert_eq!(desk.app.desk.active, 1);
}

#[test]
fn tabs_count_who_needs_a_person_and_say_only_what_is_not_normal() {
    let mut desk = Desk::with_test_tab(120, 24);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "I want to talk to a human");
    desk.customer("whatsapp", "+351910000111", "João Pereira", "A human please");
    desk.settle().shows("All 4   1 Harbor chat 2   2 Test chat TEST 2").hides("LIVE");
    desk.dev("fault", json!({"path_prefix": "/", "count": 100, "status": 500, "code": "INTERNAL_ERROR"}));
    desk.settle();
    desk.wait(5_000_000);
    desk.settle().shows("Harbor chat 2 err").shows("Server trouble since");
}

#[test]
fn every_entry_of_the_line_of_tabs_is_clicked_where_it_is_drawn() {
    for columns in [60, 80, 120, 200] {
        let mut desk = Desk::with_all_tabs(columns, 24);
        desk.settle();
        let found = |word: &str| {
            let (x, y) = desk.place_of(word);
            assert_eq!(y, 0, "{word}");
            tabs_view::tab_at(&desk.app, x)
        };
        assert_eq!(found("All"), Some(Pointer::AllTabs), "{columns}");
        for (index, name) in ["chat", "bot", "mail", "phone"].iter().enumerate() {
            assert_eq!(found(name), Some(Pointer::Tab(index)), "{columns} {name}");
        }
        assert_eq!(tabs_view::tab_at(&desk.app, columns - 1), None);
    }
}

#[test]
fn a_title_says_who_has_the_conversation_and_nothing_normal() {
    let mut desk = Desk::new(80, 24);
    let maria = desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Where is my order 1041?");
    let title = |desk: &Desk| desk.picture().lines().nth(1).unwrap_or_default().to_owned();
    desk.settle().keys("<Enter>").settle();
    assert_eq!(title(&desk).trim_end_matches(['─', '┐']), "┌ Maria Lopez · +34600111222 ");
    desk.keys("p").settle();
    assert!(title(&desk).ends_with(" AI paused ┐"), "{}", title(&desk));
    photographs!(desk, "title", History, Composer);
    desk.keys("P").settle();
    let path = format!("/conversations/{maria}");
    desk.elsewhere("whatsapp", "PATCH", &path, json!({"automationEnabled": false}));
    desk.wait(60_000_000);
    desk.settle().settle();
    assert!(title(&desk).ends_with(" Paused by a colleague ┐"), "{}", title(&desk));
}

#[test]
fn a_notice_goes_with_its_tab_or_names_it() {
    let mut desk = Desk::new(120, 40);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Hello?");
    desk.customer("telegram", "48211", "Oksana", "Hello?");
    desk.settle().keys("1").settle().keys(":claim<Enter>").shows("claimed");
    desk.keys("2");
    assert!(!desk.status().contains("claimed"), "{}", desk.status());
    let news = |channel: &str| News::Notice(channel.into(), None, SafeText::line("The tag was refused"));
    desk.deliver_news(news("whatsapp")).shows("Harbor chat: The tag was refused");
    desk.deliver_news(news("telegram")).shows("The tag was refused").hides("Harbor bot: The tag");
}
