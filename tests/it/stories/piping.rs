//! Piping the current item into a command of the person, and returning.

use crate::desk::Desk;

fn desk() -> Desk {
    let mut desk = Desk::new(80, 24);
    desk.customer("whatsapp", "+351910000111", "João Pereira", "Olá");
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Where is 1041?");
    desk.settle();
    desk
}

#[test]
fn a_message_goes_to_a_command_as_json() {
    let mut desk = desk();
    desk.keys("<Enter>").settle().keys("|").shows(":pipe").types("tr , '\\n' | grep 1041").keys("<Enter>");
    desk.shows("Run this command?").shows("[y] RUN it");
    photographs!(desk, "asks", Overlay);
    desk.wait(200_000);
    desk.keys("y").settle().shows("Where is 1041?");
    photographs!(desk, "answer", Overlay);
    desk.keys("<Esc>|").shows(":pipe tr").keys("<Enter>").settle().shows("1041");
    desk.keys("<Esc>|exit 3").shows(":pipe exit 3").hides("exit 3tr").hides("1041exit").keys("<Enter>");
    desk.wait(200_000);
    desk.keys("n").hides("Run this").keys("|<Ctrl-U>pipe echo no such ticket >&2; exit 3<Enter>");
    desk.wait(200_000);
    desk.keys("y").settle().shows("it failed with 3: no such ticket");
    desk.keys("|<Ctrl-U>pipe<Enter>").shows("pipe needs COMMAND");
}
