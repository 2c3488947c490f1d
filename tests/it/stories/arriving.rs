//! New conversations: an untouched list follows its first row, a touched one counts arrivals.

use frontdesk::inbox::screens::conversations::saved_views::SavedView;

use crate::desk::Desk;

/// A desk with the default first view.
fn as_it_comes(columns: u16, rows: u16) -> Desk {
    Desk::with(columns, rows, |settings| settings.first_view = SavedView::inbox())
}

const NAMES: [(&str, &str); 4] =
    [("+34600111222", "Maria"), ("+34600111333", "Ben"), ("+34600111444", "Carla"), ("+34600111555", "Dora")];

fn writes(desk: &mut Desk, who: usize) {
    let (number, name) = NAMES[who];
    desk.wait(60_000_000);
    desk.customer("whatsapp", number, name, "HELP");
    desk.settle();
}

#[test]
fn a_cursor_that_rests_on_the_first_row_stays_there() {
    let mut desk = Desk::new(120, 40);
    writes(&mut desk, 0);
    assert_eq!(
        desk.app
            .desk
            .current_conversation()
            .map(|current_conversation| current_conversation.conversation.title().to_string())
            .as_deref(),
        Some("Maria")
    );
    writes(&mut desk, 1);
    assert_eq!(
        desk.app
            .desk
            .current_conversation()
            .map(|current_conversation| current_conversation.conversation.title().to_string())
            .as_deref(),
        Some("Ben")
    );
    // A simultaneous key acts on nothing.
    desk.types("p").shows("the list has just changed");
}

#[test]
fn a_row_that_was_touched_stays_and_the_others_are_told_of() {
    for columns in [80, 120] {
        let mut desk = Desk::new(columns, 24);
        writes(&mut desk, 0);
        desk.keys("u");
        for who in 1..4 {
            writes(&mut desk, who);
        }
        let current_conversation = |desk: &Desk| {
            desk.app
                .desk
                .current_conversation()
                .map(|current_conversation| current_conversation.conversation.title().to_string())
        };
        assert_eq!(current_conversation(&desk).as_deref(), Some("Maria"), "{columns}");
        desk.shows("\u{2191} 3 new").shows("g g");
        desk.keys("gg").hides("3 new");
        assert_eq!(current_conversation(&desk).as_deref(), Some("Dora"), "{columns}");
    }
}

#[test]
fn the_first_view_is_the_inbox_with_those_who_need_a_person_first() {
    let mut desk = as_it_comes(120, 40);
    desk.settle().shows("No open conversations.");
    for who in 0..3 {
        writes(&mut desk, who);
    }
    let row = |desk: &Desk, name: &str| desk.place_of(name).1;
    desk.shows("WITH THE AI 3").hides("NEEDS A PERSON");
    assert!(row(&desk, "Carla") < row(&desk, "Maria"), "by newest activity");
    // The wish for a person goes before newer activity.
    desk.wait(60_000_000);
    desk.customer("whatsapp", NAMES[0].0, NAMES[0].1, "let me talk to a human, I am furious");
    desk.settle().shows("NEEDS A PERSON 1").shows("WITH THE AI 2").shows("asked for a person");
    writes(&mut desk, 3);
    assert!(row(&desk, "Maria") < row(&desk, "Dora"), "{}", desk.picture());
    desk.keys("v").shows("Inbox").shows("Later");
    let menu = desk.picture();
    let line = menu.lines().find(|line| line.contains("All open")).expect("the view");
    assert!(line.contains(" 4 "), "{menu}");
}

#[test]
fn a_reply_outside_the_window_says_why_a_template_is_asked_for() {
    let mut desk = Desk::new(120, 40);
    writes(&mut desk, 0);
    desk.pass(25 * 3_600);
    desk.settle().keys("<Enter>").settle().keys("r").shows("only a template can be sent");
}

#[test]
fn ascii_draws_ascii_everywhere() {
    let places = [
        "",
        "<Enter>",
        "<Enter>i",
        "<Enter>;",
        "go",
        ":go-to-drafts<Enter>",
        "gp",
        "gt",
        ":go-to-events<Enter>",
        "gw",
        "ga",
        "gb",
        ":go-to-wall<Enter>",
        "gh",
        ":show-done<Enter>",
        ":show-calls<Enter>",
        "$",
        "?",
        "x",
        "v",
        "/",
        ":",
        "s",
        "#",
        "m",
        "Q",
        "d",
        "q",
        "<Enter>t",
        "<Enter>c",
        "<Enter>I",
        "C",
        "<Ctrl-P>",
        "<Enter>ihello<Enter>",
        "<Enter>ihello<Ctrl-L>",
        "<Enter>i<Ctrl-O>",
        "Vv",
        " ",
    ];
    for (columns, rows) in [(80, 24), (160, 40)] {
        for place in places {
            let mut desk = Desk::new(columns, rows);
            desk.theme.ascii = true;
            desk.customer("whatsapp", "+34600111222", "Maria", "where is my order?");
            desk.settle().keys(place).settle();
            let picture = desk.picture();
            // The sample templates contain other languages.
            let drawn: String = picture
                .chars()
                .filter(|character| !character.is_ascii() && !character.is_alphabetic())
                .collect();
            assert_eq!(drawn, "", "{columns} {place:?}:\n{picture}");
        }
    }
}
