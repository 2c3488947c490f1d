//! The `[behaviour]` table: undo times and the AI's state after a reply.

use crate::config::reading::Section;
use crate::config::{Config, Mistakes};
use inbox::settings::PauseOnReply;

pub(super) fn read(section: &Section<'_>, config: &mut Config, mistakes: &mut Mistakes) {
    mistakes.all(section.unknown());
    let lease = mistakes.value(section.integer("pause_lease_hours"));
    config.pause_lease_hours = lease.unwrap_or(config.pause_lease_hours);
    let brief = mistakes.value(section.boolean("brief_on_pause"));
    config.brief_on_pause = brief.unwrap_or(config.brief_on_pause);
    config.link_preview = mistakes.value(section.boolean("link_preview"));
    let one_in = mistakes.value(section.integer("review_one_in"));
    config.review_one_in = one_in.and_then(|entry| u32::try_from(entry).ok()).unwrap_or(config.review_one_in);
    let word = mistakes.value(section.word("pause_on_reply"));
    config.pause_on_reply = match word.as_deref() {
        Some("always") => PauseOnReply::Always,
        Some("never") => PauseOnReply::Never,
        _ => PauseOnReply::Ask,
    };
    if let Some(undo) = mistakes.collect(section.table("undo_seconds")).flatten() {
        mistakes.all(undo.unknown());
        let broadcast = mistakes.value(undo.integer("broadcast"));
        config.undo_broadcast_seconds = broadcast.unwrap_or(config.undo_broadcast_seconds);
        let email = mistakes.value(undo.integer("email"));
        config.undo_email_seconds = email.unwrap_or(config.undo_email_seconds);
        let chat = mistakes.value(undo.integer("chat"));
        config.undo_chat_seconds = chat.unwrap_or(config.undo_chat_seconds);
    }
}
