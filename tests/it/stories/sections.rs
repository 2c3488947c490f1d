//! The inbox in three sections: mine, those who need a person, and the rest.

use frontdesk::inbox::screens::conversations::saved_views::SavedView;
use frontdesk::model::queue::Section;

use crate::desk::Desk;

const DANA: (&str, &str) = ("+12025550117", "Dana Whitlock");
const JURGEN: (&str, &str) = ("+4915550101", "Jürgen Vogt");
const TOM: (&str, &str) = ("+447700900123", "Tom Whitfield");
const MARCO: (&str, &str) = ("+390655500", "Marco Bellini");
const MINUTE: i64 = 60_000_000;
const HOUR_SECONDS: i64 = 3_600;

/// A desk whose first view is the default one.
fn desk(columns: u16, rows: u16) -> Desk {
    Desk::with(columns, rows, |settings| settings.first_view = SavedView::inbox())
}

fn writes(desk: &mut Desk, who: (&str, &str), text: &str) {
    desk.wait(MINUTE);
    desk.customer("whatsapp", who.0, who.1, text);
    desk.settle();
}

/// Dana is claimed, Jürgen wants a person, Tom and Marco are with the AI.
fn three_sections(columns: u16, rows: u16) -> Desk {
    let mut desk = desk(columns, rows);
    writes(&mut desk, DANA, "I was charged twice for the tune-up");
    desk.keys(":claim<Enter>").settle().shows("MINE 1");
    writes(&mut desk, JURGEN, "I want to talk to a human");
    writes(&mut desk, TOM, "One more thing: do you fix brakes?");
    writes(&mut desk, MARCO, "Is the shop open?");
    desk
}

fn titles(desk: &Desk) -> Vec<String> {
    desk.app.desk.list().page.rows.iter().map(|row| row.conversation.title().to_string()).collect()
}

fn selected(desk: &Desk) -> Option<String> {
    desk.app.desk.list().selected_row().map(|row| row.conversation.title().to_string())
}

fn section(desk: &Desk, name: &str) -> Option<Section> {
    let rows = &desk.app.desk.list().page.rows;
    rows.iter().find(|row| row.conversation.title().as_str() == name).and_then(|row| row.section())
}

#[test]
fn each_section_has_a_header_with_its_count() {
    for (columns, rows) in [(80, 24), (120, 40), (60, 20)] {
        let mut desk = three_sections(columns, rows);
        desk.shows("MINE 1").shows("NEEDS A PERSON 1").shows("WITH THE AI 2").shows("asked for a person");
        photograph!(desk, "three_sections", List);
        assert_eq!(titles(&desk), ["Dana Whitlock", "Jürgen Vogt", "Marco Bellini", "Tom Whitfield"]);
    }
}

#[test]
fn an_empty_section_is_not_drawn() {
    let mut desk = desk(80, 24);
    desk.settle().shows("No open conversations.");
    writes(&mut desk, TOM, "Do you fix brakes?");
    desk.shows("WITH THE AI 1").hides("MINE").hides("NEEDS A PERSON");
}

#[test]
fn a_claim_moves_the_row_to_mine_and_the_selection_with_it() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut desk = desk(columns, rows);
        writes(&mut desk, JURGEN, "I want to talk to a human");
        writes(&mut desk, TOM, "Do you fix brakes?");
        desk.keys("gg").keys("j").shows("NEEDS A PERSON 1").shows("WITH THE AI 1");
        assert_eq!(selected(&desk).as_deref(), Some("Tom Whitfield"));
        desk.keys(":claim<Enter>").settle().shows("MINE 1").hides("WITH THE AI");
        assert_eq!(selected(&desk).as_deref(), Some("Tom Whitfield"));
        assert_eq!(titles(&desk), ["Tom Whitfield", "Jürgen Vogt"]);
        desk.keys(":claim<Enter>").settle().hides("MINE");
        assert_eq!(section(&desk, "Tom Whitfield"), Some(Section::WithAi));
    }
}

#[test]
fn mine_is_never_reordered_by_what_is_written() {
    let mut desk = three_sections(120, 40);
    desk.keys("gg").keys("jj").keys(":claim<Enter>").settle().shows("MINE 2");
    let before = titles(&desk);
    assert_eq!(before[1], "Dana Whitlock");
    writes(&mut desk, DANA, "Hello?");
    assert_eq!(titles(&desk), before);
    desk.shows("Hello?");
}

#[test]
fn arrivals_do_not_move_the_selected_row() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut desk = three_sections(columns, rows);
        desk.keys("gg").keys("jj");
        assert_eq!(selected(&desk).as_deref(), Some("Marco Bellini"));
        let line = desk.place_of("Marco Bellini").1;
        desk.settle();
        for number in 0..3 {
            let (phone, name) = (format!("+3460011100{number}"), format!("Urgent {number}"));
            writes(&mut desk, (&phone, &name), "let me talk to a human");
            assert_eq!(selected(&desk).as_deref(), Some("Marco Bellini"));
        }
        desk.shows("\u{2191} 3 new, 3 ").shows("WITH THE AI 2");
        assert!(desk.place_of("Marco Bellini").1 >= line, "{}", desk.picture());
        photograph!(desk, "arrivals", List);
    }
}

#[test]
fn a_window_that_closes_moves_the_row_at_its_time() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut desk = desk(columns, rows);
        writes(&mut desk, TOM, "Do you fix brakes?");
        desk.pass(22 * HOUR_SECONDS - 60);
        desk.settle().hides("NEEDS A PERSON");
        assert_eq!(section(&desk, "Tom Whitfield"), Some(Section::WithAi));
        desk.pass(60);
        desk.settle().shows("NEEDS A PERSON 1").shows("reply window 2h").hides("WITH THE AI");
        desk.wait(10 * MINUTE);
        desk.shows("reply window 1h 50m");
    }
}

#[test]
fn nothing_normal_is_said_of_a_row() {
    let mut desk = three_sections(120, 40);
    desk.keys("2").keys("1");
    let list = desk.photograph(&[crate::regions::Region::List]);
    for word in ["AI ON", "LIVE", "waits", "AI OFF", "~", "hours"] {
        assert!(!list.contains(word), "{word}:\n{list}");
    }
}

#[test]
fn a_header_is_no_row() {
    let mut desk = three_sections(80, 24);
    desk.keys("gg").clicks("NEEDS A PERSON");
    assert_eq!(selected(&desk).as_deref(), Some("Dana Whitlock"));
    desk.keys("j");
    assert_eq!(selected(&desk).as_deref(), Some("Jürgen Vogt"));
    desk.keys("k").clicks("Tom Whitfield");
    assert_eq!(selected(&desk).as_deref(), Some("Tom Whitfield"));
}

#[test]
fn all_tabs_have_one_inbox() {
    let mut desk = three_sections(120, 40);
    desk.customer("telegram", "48211", "Oksana", "I want to talk to a human");
    desk.settle().keys("0").shows("MINE 1").shows("NEEDS A PERSON 2").shows("Harbor bot · ");
    photograph!(desk, "all_tabs", List);
}

#[test]
fn a_long_inbox_is_scrolled_with_its_headers() {
    let mut desk = desk(80, 24);
    for number in 0..12 {
        let (phone, name) = (format!("+346001120{number:02}"), format!("Person {number:02}"));
        let text = if number % 2 == 0 { "let me talk to a human" } else { "Is the shop open?" };
        writes(&mut desk, (&phone, &name), text);
    }
    desk.keys("gg").shows("NEEDS A PERSON 6");
    for _ in 0..11 {
        desk.keys("j");
        let name = selected(&desk).expect("a row");
        desk.shows(&name);
    }
    desk.shows("WITH THE AI 6");
    photograph!(desk, "scrolled", List);
    desk.keys("gg").shows("NEEDS A PERSON 6");
}
