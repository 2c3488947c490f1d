//! What a question says of an address outside: where it leads, so that it
//! cannot look like another.

use crate::Inbox;
use crate::components::confirm::Confirm;
use crate::components::dialog::DialogLine;
use crate::context::Context;
use crate::event::TerminalOrder;
use model::text::SafeText;

/// The host in words, a warning where it may only look like one that is
/// known, and the whole address.
pub(crate) fn destination(words: &str, url: &str, host: &str) -> Vec<DialogLine> {
    let mut lines = vec![DialogLine::strong(format!("{words} {}", SafeText::line(host)))];
    if !host.is_ascii() {
        lines.push(DialogLine::error(
            "Letters of other alphabets are in this name: it may only look like one you know.",
        ));
    }
    lines.push(DialogLine::dim(SafeText::line(url).to_string()));
    lines
}

pub(crate) fn ask_open_outside(context: &mut Context, url: String, host: &str) {
    let mut lines = destination("It leads to", &url, host);
    lines.push(DialogLine::plain("Whoever runs it learns that it was opened, and from where."));
    let open = move |inbox: &mut Inbox| inbox.context.push(TerminalOrder::OpenOutside(url));
    context.open(Confirm::new("Open outside?", lines).answer('y', "OPEN outside", open).no("stay"));
}
