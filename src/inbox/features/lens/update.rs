//! Shows what was seen, filters by it, and writes it into a file.

use crate::Inbox;
use crate::command::Reason;
use crate::conditions::on_conversation;
use crate::event::{Effect, Insight, Load};
use crate::keys::KeyPress;
use crate::outside::OutsideRequest;
use crate::overlays::listing::{self, ListKind};
use crate::overlays::overlay::KeyOutcome;
use model::lens::{LensReport, LensShape};

pub(crate) fn show_lens(inbox: &mut Inbox, _: KeyPress) {
    inbox.context.push(Effect::Load(Load::Insight(Insight::Lens)));
    listing::show_list(&mut inbox.context, ListKind::Lens);
}

pub(crate) fn may_show_fields(inbox: &Inbox) -> Result<(), Reason> {
    on_conversation(inbox)
}

/// Shows such fields of the current conversation on the card, or hides them.
pub(crate) fn fields_on_card(inbox: &mut Inbox, _: KeyPress) {
    let lens = &mut inbox.features.lens;
    lens.on_card = !lens.on_card;
    let is_on = lens.on_card;
    if is_on {
        inbox.desk.panes.card = Some(true);
    }
    inbox.context.say(match is_on {
        true => "the card tells the fields that the interface does not name",
        false => "the card tells no unnamed fields any more",
    });
}

/// `:export-schema FILE`
pub(crate) fn export_schema(inbox: &mut Inbox, file: &str) -> Result<(), Reason> {
    inbox.features.lens.export = Some(file.to_owned());
    inbox.context.push(Effect::Load(Load::Insight(Insight::Lens)));
    Ok(())
}

/// What was seen has come.
pub(crate) fn lens_loaded(inbox: &mut Inbox, report: LensReport) {
    if let Some(file) = inbox.features.lens.export.take() {
        let text = report.schema() + "\n";
        inbox.context.push(Effect::Ask(OutsideRequest::WriteText { file, text }));
    }
    inbox.features.lens.report = Some(report);
}

/// Enter on a line: the list shows the conversations that have this value.
pub(crate) fn filter_by_field(inbox: &mut Inbox, chosen: usize) -> KeyOutcome {
    let report = inbox.features.lens.report.as_ref();
    let Some(field) = report.and_then(|report| report.fields.get(chosen)) else {
        inbox.context.warn("only fields of conversations filter the list");
        return KeyOutcome::Stay;
    };
    if !matches!(field.shape, LensShape::Conversation | LensShape::Thread) {
        inbox.context.warn("only fields of conversations filter the list");
        return KeyOutcome::Stay;
    }
    let line = format!("x.{}:\"{}\"", field.path, field.example.as_str().replace('"', ""));
    let line = if field.example.is_empty() { format!("x.{}:*", field.path) } else { line };
    inbox.desk.bring_list(&mut inbox.context);
    inbox.desk.list_mut().set_typed(&line);
    KeyOutcome::Done
}
