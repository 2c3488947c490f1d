//! Carries out proposals: as outbox rows under the usual hold, or as the action itself.

use crate::Inbox;
use crate::components::confirm::Confirm;
use crate::components::dialog::{DialogLine, Tone};
use crate::event::{FileWrite, Intent};
use crate::features::undo::UndoTarget;
use crate::keymap::update as keymap;
use crate::overlays::quoted_messages::{MAX_MESSAGE_CELLS, quote_lines};
use crate::screens::composer::returned_texts::{DraftStorage, ReturnedText};
use crate::screens::conversations::bulk_plan::BulkAction;
use crate::screens::mail::writing::update::answer_with_text;
use crate::screens::proposals::view;
use crate::settings::PauseOnReply;
use crate::tab::Tab;
use crate::wrap;
use model::conversations::{ConversationRow, ServiceWindow};
use model::outbox::Operation;
use model::proposals::{DeskProposal, ProposalEntry, ProposalVerdict, ProposedChange};
use model::replies;
use model::secret;
use model::text::SafeText;
use model::time::MINUTE;

/// Longest text the confirmation shows in full, in characters.
const MAX_CONFIRMED_CHARS: usize = 600;

/// Carries out a proposal, or asks first if somebody wrote since it was made.
pub(crate) fn accept(inbox: &mut Inbox, entry: ProposalEntry) {
    if !entry.is_stale() {
        return apply_proposal(inbox, entry);
    }
    let mut lines = quote_lines(inbox, &entry.since);
    lines.push(DialogLine::blank());
    let what = SafeText::line(entry.proposal.change.summary().as_str());
    lines.push(DialogLine::new(
        format!("To {}: {}", entry.title, wrap::cut(what.as_str(), MAX_MESSAGE_CELLS)),
        Tone::Own,
    ));
    let question = Confirm::new("New messages since the proposal", lines)
        .answer('y', "do it anyway", move |inbox| apply_proposal(inbox, entry))
        .esc("cancel");
    inbox.context.open(question);
}

fn apply_proposal(inbox: &mut Inbox, entry: ProposalEntry) {
    let Some(row) = entry.row.clone() else { return };
    let wish = match &entry.proposal.change {
        ProposedChange::Reply { text } => {
            let text = text.clone();
            return send_after_review(inbox, entry, row, text);
        }
        ProposedChange::Pause => BulkAction::Pause,
        ProposedChange::HandBack => BulkAction::HandBack,
        ProposedChange::Close => BulkAction::Close,
        ProposedChange::Snooze { minutes } => {
            let until = inbox.context.now.plus(i64::from(*minutes) * MINUTE);
            BulkAction::Snooze { until: Some(until), stays: false, note: None }
        }
        ProposedChange::Tag { word } => {
            BulkAction::Tag { add: vec![SafeText::line(word)], remove: Vec::new() }
        }
    };
    let before = inbox.context.effects.len();
    inbox.changes.plan_bulk_action(wish, vec![row], &mut inbox.desk, &mut inbox.context);
    // If nothing was pushed, the action was refused and the proposal stays open.
    if inbox.context.effects.len() > before {
        inbox.context.push(FileWrite::SettleProposal(entry.proposal.id, ProposalVerdict::Accepted));
    }
}

/// Sends a proposed text after it was shown in full.
fn send_after_review(inbox: &mut Inbox, entry: ProposalEntry, row: ConversationRow, text: String) {
    let is_mail = inbox.desk.tabs.iter().any(|tab| tab.channel.id == row.channel && tab.is_mail());
    if is_mail || rejection_reason(&text).is_some() || view::is_fully_shown(inbox, &text) {
        return send(inbox, &entry, row, &text);
    }
    if text.chars().count() > MAX_CONFIRMED_CHARS {
        let words = "nothing was sent: too long to show here; {edit-proposal} edit";
        return inbox.context.show_warning(inbox.context.fill_in_keys(words));
    }
    let lines =
        SafeText::block(&text).as_str().lines().map(|line| DialogLine::new(line, Tone::Own)).collect();
    let send = move |inbox: &mut Inbox| send(inbox, &entry, row, &text);
    inbox.context.open(Confirm::new("Full text", lines).answer('y', "send it", send).esc("back"));
}

/// Sends a proposed text like one written here.
fn send(inbox: &mut Inbox, entry: &ProposalEntry, row: ConversationRow, text: &str) {
    let Some(tab) = inbox.desk.tabs.iter().find(|tab| tab.channel.id == row.channel) else { return };
    let (Some(platform), Some(to)) = (tab.platform().cloned(), row.conversation.address.clone()) else {
        return inbox.context.show_warning("nothing was sent: this customer has no address");
    };
    // A mail goes into the composer, for its review.
    if tab.is_mail() {
        let id = entry.proposal.id.clone();
        return inbox.context.push(FileWrite::SettleProposal(id, ProposalVerdict::Edited));
    }
    if let Some(why) = rejection_reason(text) {
        let how = inbox.context.fill_in_keys("{edit-proposal} edit");
        return inbox.context.show_warning(format!("nothing was sent: {why}; {how}"));
    }
    if row.conversation.window == ServiceWindow::Closed {
        return inbox
            .context
            .show_warning("nothing was sent: reply window closed, only templates can be sent");
    }
    let parts = tab.split_messages(text);
    if let Some(why) = tab.payment_error(tab.text_price(parts.len())) {
        return inbox.context.show_warning(format!("nothing was sent: {why}"));
    }
    let price = tab.describe_price(tab.text_price(parts.len()));
    let asks = Tab::ai_may_answer(&row) && !tab.send_without_pause.contains(&row.conversation.id);
    let by_phone = tab.is_phone();
    let operation = |text| match by_phone {
        true => Operation::SendSms { to: to.clone(), body: text, via: None },
        false => Operation::SendText { to: to.clone(), text, reply_to: None },
    };
    let intent = |operation: Operation, hold| Intent {
        channel: row.channel.clone(),
        platform: platform.clone(),
        conversation: row.conversation.id.clone(),
        seen: if operation.may_cross() { entry.known_position() } else { None },
        operation,
        hold,
        planned_at: None,
    };
    let hold = inbox.context.settings.hold;
    let count = parts.len();
    let sends: Vec<Intent> = parts.into_iter().map(|part| intent(operation(part), hold)).collect();
    let mut pausing = vec![intent(Operation::SetAutomation { enabled: false }, 0)];
    pausing.extend(sends.clone());
    let id = entry.proposal.id.clone();
    match inbox.context.settings.pause_on_reply {
        PauseOnReply::Always if asks => inbox.context.push(FileWrite::SendProposal(id, pausing)),
        PauseOnReply::Ask if asks => {
            let other = id.clone();
            let lines = vec![
                DialogLine::plain("The AI may answer this customer too."),
                DialogLine::dim(format!("{} · {price}", wrap::cut(SafeText::line(text).as_str(), 200))),
            ];
            let question = Confirm::new("The AI is on", lines)
                .answer('y', "pause the AI and send", move |inbox| {
                    inbox.context.push(FileWrite::SendProposal(id, pausing));
                })
                .answer('s', "send only", move |inbox| {
                    inbox.context.push(FileWrite::SendProposal(other, sends));
                });
            inbox.context.open(question.esc("back"));
        }
        _ => inbox.context.push(FileWrite::SendProposal(id, sends)),
    }
    if count > 1 {
        inbox.context.show_notice(format!("too long for one message: {count} messages · {price}"));
    }
}

/// Returns the reason why a text cannot be sent unchanged.
fn rejection_reason(text: &str) -> Option<String> {
    let field = replies::unfilled_fields(text).into_iter().next();
    let open = field.map(|field| format!("{} is not filled in", &text[field]));
    open.or_else(|| secret::key_hint_in(text).map(|key| format!("it contains the channel key {key}")))
}

/// Reports a decision on a proposal; `None` if somebody else decided first.
pub(crate) fn report_decision(inbox: &mut Inbox, verdict: ProposalVerdict, proposal: Option<DeskProposal>) {
    let Some(proposal) = proposal else {
        return inbox.context.show_warning("already decided");
    };
    let (channel, conversation) = (proposal.channel.clone(), proposal.conversation.clone());
    match (verdict, &proposal.change) {
        (ProposalVerdict::Dropped, change) => {
            let words = format!("dropped a proposal to {}", change.word());
            inbox
                .context
                .show_notice(format!("{words} · {}", keymap::undo_hint(&inbox.desk, &inbox.context)));
            let target = UndoTarget::Proposal(Box::new(proposal));
            inbox.changes.record_change(channel.clone(), &words, target, &inbox.context);
        }
        (ProposalVerdict::Edited, ProposedChange::Reply { text }) => {
            let to = String::new();
            let operation = Operation::SendText { to, text: text.clone(), reply_to: None };
            if let Some(returned) = ReturnedText::of(&operation) {
                let place = DraftStorage::Stored;
                let there = inbox.changes.return_text(
                    &channel,
                    &conversation,
                    returned,
                    place,
                    &mut inbox.desk,
                    &mut inbox.context,
                );
                if there && inbox.desk.tab().is_mail() {
                    answer_with_text(inbox);
                }
                inbox.context.show_notice(match there {
                    true => "in the composer; nothing was sent".to_owned(),
                    false => inbox.context.fill_in_keys("kept as a draft; nothing was sent · {go-to-drafts}"),
                });
            }
        }
        (ProposalVerdict::Edited | ProposalVerdict::Accepted, _) => (),
    }
    inbox.history_changed(channel, &conversation);
}
