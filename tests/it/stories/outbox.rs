//! The outbox and the drafts as pages: unsent rows, stopped rows, and the keys that decide.

use serde_json::json;

use crate::desk::Desk;

const MARIA: &str = "+34600111222";

fn desk() -> Desk {
    let mut desk = Desk::new(80, 24);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.customer("whatsapp", "+351910000111", "João Pereira", "Olá");
    desk.settle();
    desk
}

#[test]
fn empty_pages_say_what_they_are_for() {
    let mut desk = desk();
    desk.keys("g").shows("o outbox").shows("n needs you");
    desk.keys("o").shows("Nothing is waiting to send");
    desk.keys("a")
        .shows("decide: the outbox is empty")
        .run_command("go-to-drafts")
        .shows("No drafts")
        .keys("gi")
        .shows("Inbox");
}

#[test]
fn everything_that_has_not_left_stands_there_with_its_keys() {
    let mut desk = desk();
    // João's is refused, Maria's has no answer, the last one is held.
    desk.keys("<Enter>p").settle();
    desk.dev(
        "fault",
        json!({"path_prefix": "/messages/send", "count": 1, "status": 400, "code": "INVALID_RECIPIENT"}),
    );
    desk.keys("i").types("Bom dia João").keys("<Enter><Ctrl-X>").settle();
    desk.keys("<Esc>Jp").settle();
    desk.dev("fault", json!({"path_prefix": "/messages/send", "count": 1, "drop": "after"}));
    desk.keys("i")
        .types("Your order left today")
        .keys("<Enter><Ctrl-X>")
        .settle()
        .types("It is blue")
        .keys("<Enter>");
    desk.keys("<Esc>go")
        .shows("needs you")
        .shows("unclear")
        .shows("held")
        .has_queued(3)
        .shows("Outbox: 1 needs you");
    photographs!(desk, "everything");
    // The refused one comes first.
    desk.keys("a").shows("The server refused it").shows("sent again; the refused one did nothing");
    photographs!(desk, "refused", Overlay);
    desk.keys("x").shows("dropped; no more is sent").hides("Bom dia");
    desk.keys("a").shows("decide: no decision needed: it is retried automatically");
    desk.keys("s").shows("send now: it may be partly sent");
    desk.keys("js").settle();
    desk.wait(60_000_000);
    desk.settle().shows("Nothing is waiting to send");
    assert_eq!(desk.outbound().len(), 2);
}

#[test]
fn what_is_held_can_be_taken_back_and_enter_goes_to_its_conversation() {
    let mut desk = desk();
    desk.keys("<Enter>p").settle().keys("i").types("Wrong words").keys("<Enter><Esc>go").shows("Wrong words");
    desk.keys("<Enter>").shows("Sending in").shows("João Pereira").keys("goe");
    desk.shows("undone: back in the composer").shows("Wrong words").hides("Outbox");
    desk.keys("<Enter><Ctrl-X>").settle();
    assert_eq!(desk.outbound().len(), 1);
}

#[test]
fn the_page_shows_one_tab_or_all() {
    let mut desk = desk();
    desk.customer("telegram", "48211", "Maria", "hi bot");
    desk.settle()
        .keys("2")
        .settle()
        .keys("<Enter>p")
        .settle()
        .keys("i")
        .types("From the bot")
        .keys("<Enter><Esc>1go");
    desk.shows("Outbox · Harbor chat").shows("Nothing is waiting").keys("\\");
    desk.shows("Outbox · all channels").shows("Harbor bot").shows("From the bot");
    desk.keys("\\2").shows("Outbox · Harbor bot").shows("From the bot").keys("<Enter>").shows("Sending in");
}

#[test]
fn drafts_open_where_they_were_left() {
    let mut desk = desk();
    desk.keys("<Enter>i").types("Bom dia João,").keys("<Esc>Ji").types("Dear Maria,").keys("<Esc>");
    desk.wait(150_000);
    desk.run_command("go-to-drafts").shows("Bom dia João").shows("Dear Maria");
    photographs!(desk, "drafts");
    desk.keys("j<Enter>").types(" hello").shows(", hello");
}

#[test]
fn texts_that_waited_for_a_connection_ask_and_go_together() {
    let mut desk = desk();
    desk.keys("<Enter>p").settle().keys("Jp").settle();
    desk.dev("fault", json!({"path_prefix": "/", "count": 1000, "drop": "before"}));
    desk.keys("i")
        .types("To Maria")
        .keys("<Enter><Ctrl-X><Esc>Ki")
        .types("To João")
        .keys("<Enter><Ctrl-X><Esc>");
    for _ in 0..5 {
        desk.settle();
        desk.wait(40_000_000);
    }
    desk.shows("Offline since").keys("go").shows("queued").shows("To Maria").shows("To João").keys("<Esc>");
    desk.dev("fault", json!({"path_prefix": "/", "count": 0}));
    desk.colleague("whatsapp", MARIA, "I answered by phone");
    desk.settle().settle();
    desk.keys("go").shows("NOT SENT");
    photographs!(desk, "late", Page);
    // The notice is shown in full; the count of stopped rows only if it fits.
    desk.keys("gi<Esc><Esc>:").types("open Nobody of This Name Here").keys("<Enter>").settle();
    desk.shows("no conversation has the id or the name \"Nobody of This Name Here\"");
    desk.hides("Outbox: 2 need you").wait(8_000_000);
    desk.shows("Outbox: 2 need you · g o").keys("go");
    desk.keys("A").shows("1 of 2 can be sent unchanged; 1 conversation has new messages");
    photographs!(desk, "plan", Overlay);
    desk.keys("y").settle();
    assert_eq!(desk.outbound().len(), 2, "the colleague's and the one that could go");
    desk.shows("Outbox: 1 needs you")
        .keys("A")
        .shows("check each one first")
        .keys("a")
        .shows("I answered by phone");
    photographs!(desk, "crossed", Overlay);
    desk.keys("y").settle().shows("Nothing is waiting");
    assert_eq!(desk.outbound().len(), 3);
}
