//! The acts that once misled people, each at four sizes: the highlighted row is the open conversation, the
//! buttons of a dialog are visible, and no word of the program is cut.

use std::collections::BTreeSet;

use frontdesk::inbox::color_depth::ColorDepth;
use frontdesk::inbox::layout::{CARD_MIN_WIDTH, SIDE_BY_SIDE_MIN_WIDTH};
use frontdesk::inbox::pages::PageKind;
use frontdesk::inbox::tab::Focus;
use frontdesk::inbox::theme_table_view::{Role, ThemeName};
use frontdesk::inbox::theme_view::Theme;
use frontdesk::model::proposals::ProposedChange;
use ratatui::style::Modifier;
use serde_json::json;

use crate::desk::{Desk, direct};
use crate::regions::Region;
use crate::stories::broadcasts::go_on;
use crate::stories::loop_alignment::check_aligned;
use crate::stories::mail::{calm, letter};

pub(crate) const SIZES: [(u16, u16); 4] = [(60, 20), (80, 24), (120, 40), (200, 50)];
/// Regions with words of the program; the others show what customers wrote.
const OWN_REGIONS: [Region; 5] =
    [Region::Tabs, Region::Header, Region::Composer, Region::Overlay, Region::Status];
const MARIA: &str = "+34600111222";
const JOAO: &str = "+351910000111";

/// Largest size with the same panes side by side.
fn roomy((columns, _): (u16, u16)) -> (u16, u16) {
    let next = [SIDE_BY_SIDE_MIN_WIDTH, CARD_MIN_WIDTH].into_iter().find(|width| columns < *width);
    (next.map_or(300, |width| width - 1), 80)
}

/// Maximum bytes of a button's key with its brackets, as `[Enter]`.
const MAX_BUTTON_KEY: usize = 7;

/// Words of a region, without frames.
fn read_words(desk: &Desk, region: Region) -> BTreeSet<String> {
    // A dialog lies over the header and the composer.
    let is_seen = match region {
        Region::Overlay => desk.has_overlay(),
        Region::Header | Region::Composer => !desk.has_overlay(),
        _ => true,
    };
    let picture = if is_seen { desk.photograph(&[region]) } else { String::new() };
    let picture: String =
        picture.lines().filter(|line| !line.ends_with(" more of it)")).collect::<Vec<_>>().join("\n");
    let is_frame = |letter: char| matches!(letter, '─'..='╿' | '▌');
    let words = picture.split(|letter: char| letter.is_whitespace() || is_frame(letter));
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Buttons of the topmost dialog, as `[y] yes`.
fn buttons(desk: &Desk) -> Vec<String> {
    let overlay = desk.photograph(&[Region::Overlay]);
    let text: String =
        overlay.chars().map(|letter| if matches!(letter, '─'..='╿') { ' ' } else { letter }).collect();
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_key = |word: &str| word.starts_with('[') && word.ends_with(']') && word.len() <= MAX_BUTTON_KEY;
    let starts = (0..words.len()).filter(|at| is_key(words[*at]));
    starts.map(|at| words[at..(at + 2).min(words.len())].join(" ")).collect()
}

/// Checks what holds on every screen.
#[track_caller]
fn check_screen(desk: &mut Desk) {
    let size = desk.app.context.size;
    let picture = desk.picture();
    check_aligned(desk, &[format!("{size:?}\n{picture}")]);
    let has_list = desk.app.desk.page == PageKind::Inbox && desk.app.desk.tab().focus == Focus::List;
    if let Some(row) = desk.app.desk.list().selected_row().filter(|_| has_list && !desk.has_overlay()) {
        let name: String = row.conversation.title().as_str().chars().take(10).collect();
        let list = desk.photograph(&[Region::List]);
        assert!(list.contains(&name), "the selected row is not on screen at {size:?}:\n{picture}");
    }
    let shown = OWN_REGIONS.map(|region| read_words(desk, region));
    let asked = if desk.has_overlay() { buttons(desk) } else { Vec::new() };
    desk.resize(roomy(size));
    let whole = OWN_REGIONS.map(|region| read_words(desk, region));
    let whole_picture = desk.picture();
    let all_buttons = if desk.has_overlay() { buttons(desk) } else { Vec::new() };
    desk.resize(size);
    for ((region, shown), whole) in OWN_REGIONS.iter().zip(&shown).zip(&whole) {
        // A name may be cut with a sign, the words of the program only as a whole.
        let is_name = |word: &str| matches!(region, Region::Overlay | Region::Header) && word.ends_with('…');
        let cut: Vec<_> = shown.difference(whole).filter(|word| *word != "…" && !is_name(word)).collect();
        assert!(cut.is_empty(), "{region:?} cuts {cut:?} at {size:?}:\n{picture}\nwhole:\n{whole_picture}");
    }
    assert_eq!(asked, all_buttons, "buttons at {size:?}:\n{picture}");
}

/// Checks the screen at each size.
#[track_caller]
fn check_sizes(desk: &mut Desk) {
    let size = desk.app.context.size;
    for other in SIZES {
        desk.resize(other);
        check_screen(desk);
    }
    desk.resize(size);
}

/// Two customers of whom Maria has waited longer; her messages are answered by the AI.
pub(crate) fn desk((columns, rows): (u16, u16)) -> Desk {
    let mut desk = Desk::new(columns, rows);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Never mind, found it.");
    desk.settle();
    desk.wait(60_000_000);
    desk.customer("whatsapp", JOAO, "João Pereira", "I want to talk to a human");
    desk.settle();
    desk
}

/// Three people of whom two wrote, and a broadcast to all of them that is held.
pub(crate) fn held_broadcast((columns, rows): (u16, u16)) -> Desk {
    let mut desk = Desk::with(columns, rows, direct);
    for (phone, name) in
        [("+34600112222", "Maria Lopez"), ("+351910002222", "João Pereira"), ("+447700902222", "Ann Brown")]
    {
        desk.elsewhere("whatsapp", "POST", "/contacts", json!({"phone": phone, "name": name}));
    }
    desk.customer("whatsapp", "+34600112222", "Maria Lopez", "Hello?");
    desk.customer("whatsapp", "+351910002222", "João Pereira", "Olá");
    desk.settle().keys("gp").shows("Ann Brown").keys("ggVa").shows("all marked").keys("b");
    desk.types("We open at 9.").keys("<Ctrl-X>").shows("Review broadcast");
    check_screen(&mut desk);
    desk.keys("y").shows("HELD");
    desk
}

fn current(desk: &Desk) -> String {
    let row = desk.app.desk.current_conversation().expect("a conversation");
    row.conversation.title().to_string()
}

/// Checks that the highlighted row and the open pane are of one customer.
#[track_caller]
fn is_at(desk: &mut Desk, name: &str) {
    check_screen(desk);
    assert_eq!(current(desk), name, "{}", desk.picture());
}

/// 1. The dialog of a stop said what had not been sent while it was being sent.
#[test]
fn stop_freezes_the_hold_and_says_what_is_true() {
    for size in SIZES {
        let mut desk = held_broadcast(size);
        check_screen(&mut desk);
        desk.keys("S").shows("Not sent yet: 3 people").shows("[s] Stop").shows("Keep sending");
        check_screen(&mut desk);
        go_on(&mut desk, 60);
        assert!(desk.outbound().is_empty(), "the hold is frozen");
        desk.shows("Not sent yet: 3 people").keys("s").shows("stopped");
        go_on(&mut desk, 60);
        assert!(desk.outbound().is_empty(), "nobody is sent to");
        desk.shows("0 accepted");
        check_screen(&mut desk);
    }
}

/// 2. A pause and a close went to the neighbour of where the row went.
#[test]
fn pause_and_done_go_to_the_most_urgent() {
    for size in SIZES {
        let mut desk = desk(size);
        desk.customer("telegram", "48211", "Oksana", "Hello?");
        desk.settle().keys(":open maria<Enter>").settle();
        is_at(&mut desk, "Maria Lopez");
        desk.keys("p").settle();
        is_at(&mut desk, "Maria Lopez");
        desk.keys("d").shows("No answer to Maria Lopez");
        is_at(&mut desk, "Maria Lopez");
        desk.keys("d").settle();
        is_at(&mut desk, "João Pereira");
    }
}

/// 3. After an answer or a close the bar was on another person than the pane.
#[test]
fn bar_and_pane_stay_together_after_an_answer_and_a_close() {
    for size in SIZES {
        let mut desk = desk(size);
        desk.keys("v6").settle().keys(":open maria<Enter>").settle().keys("t").settle();
        is_at(&mut desk, "Maria Lopez");
        desk.types("All right!").keys("<Enter><Ctrl-X>").settle().settle();
        is_at(&mut desk, "Maria Lopez");
        desk.keys("<Esc>");
        is_at(&mut desk, "Maria Lopez");
        desk.keys("d").shows("Maria Lopez closes in").settle();
        is_at(&mut desk, "João Pereira");
        desk.pass(6).settle();
        is_at(&mut desk, "João Pereira");
    }
}

/// 4. A thread was archived with its unsent draft.
#[test]
fn a_mail_with_a_draft_asks_before_it_is_archived() {
    let mut desk = Desk::demo(120, 40);
    letter(&desk, "ana@ruiz.example", "Ana Ruiz", "Order 2001", Some("Where is it?"), None);
    calm(&mut desk);
    desk.keys("3").settle().keys(":open ana@ruiz.example<Enter>").settle();
    check_sizes(&mut desk);
    desk.keys("r").settle().types("Dear Ana");
    check_sizes(&mut desk);
    desk.keys("<Esc>d").settle().shows("Unsent draft to Ana Ruiz").shows("[d] archive anyway");
    check_sizes(&mut desk);
    desk.keys("<Esc>").settle();
    let archived = desk.get("email", "/email/threads?folder=archive")["data"].to_string();
    assert!(!archived.contains("Order 2001"), "{archived}");
}

/// 5. An answer and a close left the AI off without a question; later four customers waited.
#[test]
fn done_hands_back_to_the_ai() {
    for size in SIZES {
        let mut desk = desk(size);
        desk.keys(":open maria<Enter>").settle().keys("t").settle().types("All right!");
        desk.keys("<Enter><Ctrl-X><Esc>").settle().has_paused(1).keys("d");
        desk.pass(6).settle().settle().has_paused(0);
        let closed = &desk.get("whatsapp", "/conversations?status=closed")["data"];
        assert_eq!(closed.as_array().map(Vec::len), Some(1));
        desk.keys("gn");
        check_screen(&mut desk);
        desk.hides("AI paused by you");
    }
}

/// 6. The history of a phone number was empty.
#[test]
fn what_is_answered_on_the_phone_can_be_read() {
    let mut desk = Desk::demo(120, 40);
    desk.settle().keys("4").settle().keys("gg<Enter>").settle();
    let row = desk.app.desk.current_conversation().expect("a row").conversation.preview.clone();
    let said = row.as_str().split_once(" · ").map_or(row.as_str(), |(_, text)| text);
    let said: String = said.chars().take(15).collect();
    for size in SIZES {
        desk.resize(size);
        let history = desk.photograph(&[Region::History]);
        assert!(!said.is_empty() && history.contains(&said), "{said:?} at {size:?}:\n{history}");
    }
    check_sizes(&mut desk);
}

/// 7. On a bot `d` named an undo of which there was none, and went nowhere.
#[test]
fn done_on_a_bot_can_be_undone_and_goes_on() {
    for size in SIZES {
        let mut desk = desk(size);
        desk.customer("telegram", "48211", "Oksana", "Thanks");
        desk.settle().keys("2<Enter>d").shows("[d] put away anyway");
        is_at(&mut desk, "Oksana");
        desk.keys("d").shows("put away until they write").settle();
        is_at(&mut desk, "João Pereira");
        desk.keys("z").settle().shows("undone: done");
        is_at(&mut desk, "João Pereira");
        assert_eq!(desk.app.desk.tabs[1].list.page.rows.len(), 1);
    }
}

/// 8. The review, the recipients and what happened told three plans.
#[test]
fn one_plan_is_reviewed_shown_and_obeyed() {
    for size in SIZES {
        let mut desk = Desk::with(size.0, size.1, direct);
        for number in 0..42 {
            let ending = if number == 4 { "0009" } else { "2222" };
            let body =
                json!({"phone": format!("+34{number:05}{ending}"), "name": format!("Person {number:03}")});
            desk.elsewhere("whatsapp", "POST", "/contacts", body);
        }
        desk.settle().keys("gp").shows("Person 0");
        desk.keys("ggVa").shows("all marked").keys("b<Shift-Tab>t<Tab>").types("hello en").keys("<Ctrl-X>");
        desk.shows("Review broadcast · 42 people").shows("first 5, then 1 wave of 37");
        check_screen(&mut desk);
        desk.keys("y").shows("HELD").keys("d").shows("plan: first 5, then 1 wave of 37");
        check_screen(&mut desk);
        desk.keys("<Esc>");
        go_on(&mut desk, 200);
        desk.shows("PAUSED").shows("1 of 5 failed");
        assert_eq!(desk.outbound().len(), 5, "the others are not sent to");
        check_screen(&mut desk);
    }
}

/// 9. The chart of failures began as a full red block, and what was pending as a grey one.
#[test]
fn charts_are_calm() {
    for size in SIZES {
        let mut desk = held_broadcast(size);
        desk.theme = Theme::new(ThemeName::Dark, false).in_depth(ColorDepth::Direct);
        desk.wait(16_000_000);
        desk.settle();
        for _ in 0..12 {
            go_on(&mut desk, 10);
            let buffer = desk.buffer();
            let bars = |role: Role| {
                let is_bar = |symbol: &str| symbol.chars().all(|letter| matches!(letter, '▁'..='█'));
                let color = desk.theme.color(role);
                buffer.content.iter().filter(|cell| cell.fg == color && is_bar(cell.symbol())).count()
            };
            let room = buffer.content.len() / 20;
            assert!(bars(Role::Urgent) <= room, "{size:?}\n{}", desk.picture());
            assert_eq!(bars(Role::Dim), 0, "{size:?}\n{}", desk.picture());
        }
        desk.shows("1 failed");
        check_screen(&mut desk);
    }
}

/// 10. An outdated proposal was the loudest thing on screen.
#[test]
fn an_outdated_proposal_is_quiet() {
    for size in SIZES {
        let mut desk = Desk::with(size.0, size.1, direct);
        desk.theme = Theme::new(ThemeName::Dark, false);
        let id = desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
        let change = ProposedChange::Reply { text: "Your order left the shop today.".to_owned() };
        desk.settle().propose("whatsapp", &id, change);
        desk.keys("<Enter>").settle().wait(60_000_000);
        desk.colleague("whatsapp", MARIA, "It is on its way");
        desk.settle();
        check_screen(&mut desk);
        desk.keys("<Esc><Esc>").shows("proposal too old");
        check_screen(&mut desk);
        let (at, buffer) = (desk.place_of("proposal too old"), desk.buffer());
        let cell = &buffer[at];
        let is_loud = desk.theme.is_accent(cell.fg) || cell.modifier.contains(Modifier::BOLD);
        assert!(!is_loud, "{size:?}\n{}", desk.picture());
    }
}

/// 11. The selected row lost its badge.
#[test]
fn a_selected_row_keeps_its_mark() {
    for size in SIZES {
        let mut desk = desk(size);
        desk.theme = Theme::new(ThemeName::Dark, false);
        desk.keys("v1").settle();
        for key in ["gg", "j", "k"] {
            desk.keys(key);
            check_screen(&mut desk);
            let (at, buffer) = (desk.place_of("asked for a person"), desk.buffer());
            assert_eq!(buffer[at].fg, desk.theme.color(Role::Urgent), "{size:?}\n{}", desk.picture());
        }
    }
}

/// 12. A notice of one tab was shown on another.
#[test]
fn a_notice_stays_with_its_tab() {
    for size in SIZES {
        let mut desk = desk(size);
        desk.customer("telegram", "48211", "Oksana", "Hello?");
        desk.settle().keys("1").settle().keys(":claim<Enter>").shows("claimed");
        check_screen(&mut desk);
        desk.keys("2");
        assert!(!desk.status().contains("claimed"), "{}", desk.status());
        check_screen(&mut desk);
    }
}

/// 15. The tutor ended at `?` without close, undo, search and mail.
#[test]
fn every_step_of_the_tutor_is_read_whole() {
    let mut desk = Desk::demo(120, 40);
    desk.settle();
    let steps: [&[&str]; 11] = [
        &[":tutor<Enter>"],
        &["w", "t"],
        &["Hello, a person here.<Enter>"],
        &["<Alt-z>"],
        &["<Enter>"],
        &["<Alt-d>"],
        &["st"],
        &["<Esc><Esc>/order", "<Esc>"],
        &["3<Enter>"],
        &["<Esc>1", "  b", "<Esc>"],
        &["?<Esc>"],
    ];
    for (number, keys) in steps.into_iter().enumerate() {
        for keys in keys {
            desk.keys(keys).settle();
        }
        let shown = match number {
            10 => "Done. Ctrl-P finds any command".to_owned(),
            _ => format!("Tutor {}/10", number + 1),
        };
        for size in SIZES {
            desk.resize(size);
            assert!(desk.status().contains(&shown), "{shown} at {size:?}: {}", desk.status());
        }
        check_sizes(&mut desk);
    }
}
