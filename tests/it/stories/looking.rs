//! Searching: in the conversation, in all data, in the palette, and by a command.

use crate::desk::Desk;

/// Two customers; one has written much.
fn desk(columns: u16, rows: u16) -> Desk {
    let mut desk = Desk::new(columns, rows);
    desk.customer("telegram", "48211", "Oksana", "The bicycle has a broken wheel");
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Hello, my wheel squeaks");
    desk.settle();
    for number in 0..150 {
        desk.wait(1_000_000);
        desk.customer(
            "whatsapp",
            "+34600111222",
            "Maria Lopez",
            &format!("And another thing, number {number}"),
        );
    }
    desk.wait(60_000_000);
    desk.customer("whatsapp", "+351910000111", "João Pereira", "Is the wheel in stock?");
    desk.settle();
    desk.keys("gg<Enter>").settle().keys("<Esc>j<Enter>").settle();
    for _ in 0..3 {
        desk.keys("gg").settle();
    }
    desk.keys("G");
    desk
}

#[test]
fn words_are_found_in_the_conversation_however_far_back() {
    let mut desk = desk(120, 40);
    desk.shows("Maria Lopez · +34600111222").shows("number 149");
    desk.keys("n").shows("older hit: no search yet; f search this conversation");
    desk.keys("fwheel").shows("find wheel").shows("1 of 1").shows("Hello, my wheel squeaks");
    photographs!(desk, "found", History, Status);
    desk.keys("<Esc>").shows("number 149").hides("squeaks");
    desk.keys("fnumber 12<Enter>").shows("1 of 11 · n older, N newer");
    desk.shows("number 129").keys("n").shows("number 12 · 2 of 11").keys("NN").shows("11 of 11");
    desk.shows("thing, number 12 ").keys("n").shows("1 of 11");
    desk.keys("fzebra").shows("no match in the messages read here");
    desk.keys("<Ctrl-U><Backspace>").hides("find zebra");
}

#[test]
fn everything_seen_is_searched_as_it_is_typed() {
    let mut desk = desk(80, 24);
    desk.keys("<Esc><Esc>/").shows("Search · all channels").shows("Type two letters or more");
    desk.keys("w").shows("Type two letters or more").keys("h").shows("search wh");
    desk.keys("eel").shows("broken wheel").shows("wheel squeaks").shows("wheel in stock");
    desk.shows("since Fri 20 Nov");
    photographs!(desk, "searched");
    desk.keys("<Tab>").shows("Search · Harbor chat").hides("broken wheel").keys("<Tab>");
    desk.keys(" squ").shows("squeaks").hides("in stock");
    // Opens the hit with its words marked, and returns to the results.
    desk.keys("<Enter>").shows("Maria Lopez · +34600111222").shows("Hello, my wheel squeaks");
    desk.shows("/ back to the matches");
    photographs!(desk, "jumped", History, Status);
    // Typing replaces the previous search.
    desk.keys("<Esc>/").shows("search wheel squ").keys("mar").shows("search mar ").shows("+34600111222 ");
    desk.keys("<Ctrl-U>oks<Enter>").shows("Oksana · 48211");
    desk.keys("<Esc>/<Ctrl-U>zebra")
        .shows("No match in the messages on this desk.")
        .keys("<Esc>")
        .shows("Oksana");
}

#[test]
fn the_palette_finds_by_letters_and_sends_nothing() {
    let mut desk = desk(80, 24);
    desk.keys("<Esc><Ctrl-P>").shows("Find a command or place").shows("Enter run");
    desk.keys("nurg").shows("next-urgent");
    photographs!(desk, "palette");
    desk.keys("<Ctrl-U>closed<Enter>").shows("Inbox · closed");
    desk.keys("<Ctrl-K>all open<Enter>").shows("Inbox · open");
    desk.keys("<Ctrl-P>oksa<Enter>").shows("Oksana · 48211");
    // People come before commands of another place.
    desk.keys("<Ctrl-P>mar")
        .shows("person ")
        .shows("mark-all")
        .keys("<Enter>")
        .shows("Maria Lopez · +34600111222");
    desk.keys("<Esc><Ctrl-P>harbor chat<Enter>").shows("João Pereira");
    // An unavailable command is listed with its reason, and does not run.
    desk.keys("<Ctrl-P>undo").shows("(off: nothing to undo").keys("<Enter>").shows("nothing to undo");
    desk.keys("r").types("half a text").keys("<Ctrl-P>").shows("Find a command or place");
    desk.keys("zzzz").shows("No match").keys("<Enter>").shows("No match").keys("<Esc>");
    desk.shows("half a text");
    assert!(desk.outbound().is_empty());
}

#[test]
fn commands_are_typed_with_completion_and_history() {
    let mut desk = desk(80, 24);
    desk.keys("<Esc>:").shows("Tab completes · Up history");
    desk.keys("vi<Tab>").shows(":view").shows("NAME · Show a saved view: Inbox");
    desk.keys("cl<Tab>").shows(":view Closed").keys("<Enter>").shows("Inbox · closed");
    desk.keys(":<Up>").shows(":view Closed").keys("<Ctrl-W>all open<Enter>").shows("Inbox · open");
    desk.keys(":sort name<Enter>").shows("by name").keys(":sort activity<Enter>");
    desk.keys(":filter from:+351<Enter>").shows("João Pereira").hides("Maria");
    desk.keys(":filter statsu:x<Enter>").shows("did you mean status:?").keys("f<Esc>");
    desk.keys(":tab bot<Enter>").shows("no tab \"bot\"; known: Harbor chat, Harbor bot, All");
    desk.keys(":tab harbor b<Enter>").shows("Oksana").keys(":tab all<Enter>").shows("All channels · open");
    desk.keys(":open +34 600-111-222<Enter>").shows("Maria Lopez · +34600111222");
    desk.keys(":open Nobody<Enter>").shows("no conversation has the id or the name \"Nobody\"");
    desk.keys(":open joão<Enter>").settle().shows("João Pereira · +351");
    desk.keys(":open lopez<Enter>").settle().shows("Maria Lopez · +34600111222");
    desk.keys(":open opez<Enter>").shows("no conversation has the id or the name");
    desk.keys(":open --name joão pereira<Enter>").shows("João Pereira · +351");
    desk.keys(":open +34600111222<Enter>").shows("Maria Lopez · +34600111222");
    desk.keys(":find squeaks<Enter>").shows("my wheel squeaks");
    desk.keys(":search stock<Enter>").shows("Search · all channels").shows("wheel in stock").keys("<Esc>");
    desk.keys(":pause<Enter>").shows("pause is not a command; did you mean pause-ai?");
    desk.keys(":pause-ai now<Enter>").shows("pause-ai takes no argument, not \"now\"");
    desk.keys(":pause-ai<Enter>").shows("AI: pausing").keys(":sort<Enter>").shows("sort needs ORDER");
    desk.keys(":help<Enter>").shows("Keys").keys("<Esc>:q<Enter>").shows("quit");
}

#[test]
fn a_conversation_is_exported_once_into_a_file_of_its_own() {
    let mut desk = desk(80, 24);
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    for name in ["it.md", "it.txt", "it.json"] {
        let format = name.trim_start_matches("it.");
        desk.keys(":").types(&format!("export {format} {}", path(name).display())).keys("<Enter>");
        desk.shows("written to");
    }
    let read = |name: &str| std::fs::read_to_string(path(name)).expect("written");
    assert!(read("it.md").starts_with("# Maria Lopez · \\+34600111222 · Harbor chat"), "{}", read("it.md"));
    assert!(read("it.md").contains("> Hello, my wheel squeaks"));
    assert_eq!(read("it.txt").lines().count(), 152);
    let json: serde_json::Value = serde_json::from_str(&read("it.json")).expect("JSON");
    assert_eq!(json["messages"].as_array().map(Vec::len), Some(151));
    desk.keys(":").types(&format!("export md {}", path("it.md").display())).keys("<Enter>");
    desk.shows("was not written");
    desk.keys(":export pdf<Enter>").shows("no format \"pdf\"; known: txt, md, json");
}
