//! Histories: older pages while scrolling up, the divider, and new messages meanwhile.

use crate::desk::Desk;

fn long(columns: u16, rows: u16) -> Desk {
    let mut desk = Desk::new(columns, rows);
    for number in 1..=230 {
        desk.customer("whatsapp", "+34600111222", "Maria Lopez", &format!("line {number}."));
    }
    desk.settle();
    desk
}

#[test]
fn older_pages_load_on_the_way_up() {
    let mut desk = long(80, 24);
    desk.keys("<Enter>").shows("line 230.").hides("line 200.");
    for _ in 0..40 {
        desk.keys("<PgUp>");
    }
    desk.shows("line 1.").shows("start of the conversation");
    photographs!(desk, "older_pages_load_on_the_way_up", History);
    desk.keys("G").shows("line 230.");
}

#[test]
fn reading_back_is_not_disturbed_by_what_comes() {
    let mut desk = long(80, 23);
    desk.keys("<Enter><PgUp><PgUp>");
    let before: Vec<String> = desk.picture().lines().skip(2).take(14).map(str::to_owned).collect();
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "and one more");
    desk.settle().shows("1 new below · G");
    let after: Vec<String> = desk.picture().lines().skip(2).take(14).map(str::to_owned).collect();
    assert_eq!(before, after);
    desk.keys("G").shows("and one more").hides("new below");
}

#[test]
fn the_divider_stands_before_what_is_new() {
    let mut desk = Desk::new(80, 24);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "first");
    desk.customer("whatsapp", "+351910000111", "João Pereira", "olá");
    desk.settle();
    desk.keys("j<Enter>").shows("first").hides("new since you looked").keys("<Esc>k<Enter>");
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "second");
    desk.settle().keys("<Esc>").shows("•Maria Lopez");
    desk.keys("gg").keys("<Enter>").shows("new since you looked").shows("second");
    photographs!(desk, "the_divider_stands_before_what_is_new", History);
    desk.keys("kk").run_command("first-unseen").keys("<Esc>").hides("•Maria Lopez");
}

#[test]
fn the_raw_view_shows_the_item_as_it_came() {
    let mut desk = Desk::new(80, 24);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "look inside");
    desk.settle().keys("<Enter>=").shows("\"senderType\": \"customer\"").keys("<Esc>").hides("senderType");
}
