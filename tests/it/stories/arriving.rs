//! Who arrives: a list that is not touched follows its first row, one that is
//! says who came above, and the first view is who needs a person.

use frontdesk::inbox::screens::conversations::saved_views::SavedView;

use crate::desk::Desk;

/// A desk as it comes: the first view is who needs a person.
fn as_it_comes(columns: u16, rows: u16) -> Desk {
    Desk::with(columns, rows, |settings| settings.first_view = SavedView::needs_me())
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
    // A key that comes at the same moment acts on nobody.
    desk.types("p").shows("the list has just changed here");
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
        desk.shows("\u{2191} 3 new, 3 ").shows("g g");
        // That key goes there, and nothing is new any more.
        desk.keys("gg").hides("3 new");
        assert_eq!(current_conversation(&desk).as_deref(), Some("Dora"), "{columns}");
    }
}

#[test]
fn the_first_view_is_who_needs_a_person_most_urgent_first() {
    let mut desk = as_it_comes(120, 40);
    desk.settle().shows("Inbox \u{b7} needs me").shows("No one needs you now");
    for who in 0..3 {
        writes(&mut desk, who);
    }
    let row = |desk: &Desk, name: &str| desk.place_of(name).1;
    assert!(row(&desk, "Maria") < row(&desk, "Ben"), "who has waited longest comes first");
    // Anger goes before a longer wait.
    desk.wait(60_000_000);
    desk.customer(
        "whatsapp",
        NAMES[2].0,
        NAMES[2].1,
        "this is ridiculous, let me talk to a human, I am furious",
    );
    desk.settle();
    assert!(row(&desk, "Carla") < row(&desk, "Maria"), "{}", desk.picture());
    desk.keys("\\").shows("Needs me").shows("3");
    // Each view says how many it has.
    let menu = desk.picture();
    let line = menu.lines().find(|line| line.contains("All open")).expect("the view");
    assert!(line.contains(" 3 "), "{menu}");
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
        "gd",
        "gp",
        "gt",
        "ge",
        "gk",
        "ga",
        "gb",
        "gW",
        "gh",
        "gz",
        "gl",
        "$",
        "?",
        "x",
        "\\",
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
        "v",
        " ",
    ];
    for (columns, rows) in [(80, 24), (160, 40)] {
        for place in places {
            let mut desk = Desk::new(columns, rows);
            desk.theme.ascii = true;
            desk.customer("whatsapp", "+34600111222", "Maria", "where is my order?");
            desk.settle().keys(place).settle();
            let picture = desk.picture();
            // The templates of the samples have words of other languages.
            let drawn: String = picture
                .chars()
                .filter(|character| !character.is_ascii() && !character.is_alphabetic())
                .collect();
            assert_eq!(drawn, "", "{columns} {place:?}:\n{picture}");
        }
    }
}
