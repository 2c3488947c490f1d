//! Target of an external link in a question, shown so that it cannot pass for another.

use crate::Inbox;
use crate::components::confirm::Confirm;
use crate::components::dialog::DialogLine;
use crate::context::Context;
use crate::event::TerminalOrder;
use model::text::SafeText;

/// The host, a warning if it resembles a known one, and the whole URL.
pub(crate) fn destination_lines(words: &str, url: &str, host: &str) -> Vec<DialogLine> {
    let mut lines = vec![DialogLine::strong(format!("{words} {}", SafeText::line(host)))];
    if !host.is_ascii() {
        lines.push(DialogLine::error(
            "This name has letters of other alphabets: it may imitate a name you know.",
        ));
    }
    lines.push(DialogLine::dim(SafeText::line(url).to_string()));
    lines
}

pub(crate) fn ask_to_open_link(context: &mut Context, url: String, host: &str) {
    let mut lines = destination_lines("Link to", &url, host);
    lines.push(DialogLine::plain("Its owner sees that it was opened, and your network address."));
    let open = move |inbox: &mut Inbox| inbox.context.push(TerminalOrder::OpenLink(url));
    context.open(Confirm::new("Open outside?", lines).answer('y', "OPEN outside", open).no("stay"));
}
