use crate::Inbox;
use crate::components::confirm::Confirm;
use crate::components::dialog::{Dialog, DialogLine};
use crate::components::form::{FormFields, FormKey};
use crate::components::text_line::TextLine;
use crate::components::text_prompt::TextPrompt;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{FileWrite, Intent};
use crate::keymap::update as keymap;
use crate::keys::KeyPress;
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::overlays::view::OverlayView;
use crate::screens::phone::{CallForm, LABEL_WIDTH, NUMBER_PROMPT, parse_number};
use crate::tab::Focus;
use model::ids::ConversationId;
use model::outbox::Operation;
use model::phones;
use model::prices;
use model::queries::ConversationKey;
use model::text;
use model::text::SafeText;
use model::time::SECOND;

impl Overlay for CallForm {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        match FormKey::of(key, &mut self.at, 0..self.fields.len()) {
            FormKey::Leave => {
                inbox.desk.tab_mut().call = Some(self.clone());
                inbox.context.show_notice("not called; C reopens the form");
                return KeyOutcome::Done;
            }
            FormKey::FocusMoved => (),
            FormKey::Submit => match self.operation() {
                Ok(operation) => {
                    self.error = None;
                    ask_to_call(&mut inbox.context, self.clone(), operation);
                    return KeyOutcome::Done;
                }
                Err(wrong) => self.error = Some(wrong),
            },
            FormKey::FieldInput => {
                self.error = None;
                self.fields[self.at].key(key);
            }
        }
        KeyOutcome::Stay
    }

    fn paste(&mut self, _inbox: &mut Inbox, outside: &str) -> bool {
        self.fields[self.at].insert(text::clean_pasted(outside).trim());
        true
    }

    fn input(&self) -> OverlayInput {
        OverlayInput::Text
    }
}

impl OverlayView for CallForm {
    fn dialog(&self, _inbox: &Inbox) -> Dialog {
        let form = FormFields {
            labels: &Self::FIELD_LABELS,
            label_width: LABEL_WIDTH,
            fields: &self.fields,
            focus: self.at,
            error: self.error.as_deref(),
        };
        let hint = "The AI speaks. Instructions for the AI: text or a JSON object. The channel is optional.";
        form.dialog("Call", hint, "Enter review · Tab next field · Esc back")
    }
}

pub(crate) fn ask_number(context: &mut Context) {
    let below = |_: &Inbox, _: &TextLine| {
        vec![DialogLine::blank(), DialogLine::strong("Enter opens the composer · Esc back")]
    };
    context.open(TextPrompt::new("Write to a number", NUMBER_PROMPT, below, |inbox, typed| {
        let number = parse_number(typed)?;
        write_to(&mut inbox.desk, &ConversationId::new(number), &mut inbox.context);
        Ok(())
    }));
}

fn ask_to_call(context: &mut Context, form: CallForm, operation: Operation) {
    let words = {
        let operation = operation.clone();
        move |inbox: &Inbox| confirmation_lines(inbox, &operation)
    };
    let question = Confirm::with_live_lines("CALL now?", words).no("back to the form");
    let back = |inbox: &mut Inbox| inbox.context.open(form);
    context.open(
        question
            .answer('y', "CALL", |inbox| place_call(&mut inbox.desk, operation, &mut inbox.context))
            .on_cancel(back),
    );
}

/// Reopens the form of a call that could not be enqueued.
pub(crate) fn reopen_call_form(context: &mut Context, operation: &Operation) {
    if let Operation::Call { to, via, context: told } = operation {
        let told = told.as_ref().map(|json| json.0.clone()).unwrap_or_default();
        let fields = [to.clone(), told, via.clone().unwrap_or_default()].map(TextLine::new);
        context.open(CallForm { fields, at: 1, error: None });
    }
}

/// Opens the call form: the unfinished one, or a new one for the current number.
pub(crate) fn ask_call(desk: &mut Desk, context: &mut Context) {
    let number = desk
        .current_conversation()
        .and_then(|current_conversation| current_conversation.conversation.address.clone())
        .unwrap_or_default();
    let tab = desk.tab_mut();
    let kept = tab.call.take().filter(|call| call.fields[0].text() == number || number.is_empty());
    let form = kept.unwrap_or_else(|| CallForm {
        at: usize::from(!number.is_empty()),
        fields: [TextLine::new(number), TextLine::default(), TextLine::default()],
        error: None,
    });
    context.open(form);
}

/// Enqueues a confirmed call with its hold.
fn place_call(desk: &mut Desk, operation: Operation, context: &mut Context) {
    let hold = context.settings.hold;
    let tab = desk.tab();
    let (Some(to), Some(platform)) = (operation.recipient(), tab.platform().cloned()) else { return };
    let conversation = ConversationId::new(to.to_owned());
    let channel = tab.channel.id.clone();
    desk.tab_mut().call = None;
    show_number(desk, &conversation, Focus::History, context);
    let intent = Intent { channel, platform, conversation, operation, hold, seen: None, planned_at: None };
    context.push(FileWrite::Enqueue { intents: vec![intent], clears_draft: false });
    match hold / SECOND {
        0 => context.show_notice("calling"),
        seconds => {
            context.show_notice(format!("calling in {seconds} s · {}", keymap::undo_hint(desk, context)));
        }
    }
}

/// Opens the composer for a number, also if the server does not list it.
pub(crate) fn write_to(desk: &mut Desk, number: &ConversationId, context: &mut Context) {
    show_number(desk, number, Focus::Composer, context);
}

fn show_number(desk: &mut Desk, number: &ConversationId, focus: Focus, context: &mut Context) {
    let channel = desk.tab().channel.id.clone();
    let key = ConversationKey { channel: channel.clone(), conversation: number.clone() };
    if desk.list().page.rows.iter().any(|row| row.has_key(&key)) {
        return desk.open_conversation(&channel, number, focus, context);
    }
    desk.show_conversation(&key, context);
    let tab = desk.tab_mut();
    if let Some(history) = &mut tab.history {
        history.opened = true;
    }
    tab.focus = focus;
}

fn confirmation_lines(inbox: &Inbox, operation: &Operation) -> Vec<DialogLine> {
    let Operation::Call { to, via, context } = operation else { return Vec::new() };
    let line = |text: &str| SafeText::line(text).to_string();
    let mut lines = vec![DialogLine::plain(format!("An AI voice will CALL {}.", line(to)))];
    lines.extend(
        context.as_ref().map(|context| DialogLine::plain(format!("Instructions: {}", line(&context.0)))),
    );
    lines.extend(via.as_ref().map(|via| DialogLine::plain(format!("From the channel {}", line(via)))));
    lines.push(time_there(inbox, to));
    let tab = inbox.desk.tab();
    let price = match (&tab.account, tab.is_simulated()) {
        (_, true) => "TEST key: no call is made, nothing is charged.".to_owned(),
        (Some(account), _) => format!(
            "The price per minute is not published. {} left.",
            prices::format_balance(account.credits)
        ),
        (None, _) => "The price per minute is not published.".to_owned(),
    };
    lines.push(DialogLine::plain(price));
    lines.push(DialogLine::plain("A call cannot be ended or followed from here."));
    lines
}

/// Local time at the number, with a warning outside calling hours.
fn time_there(inbox: &Inbox, to: &str) -> DialogLine {
    let there = phones::zone_of(to);
    let zone = there.as_ref().unwrap_or(&inbox.context.settings.zone);
    let clock = inbox.context.now.hour_and_minute(zone);
    let words = match there {
        Some(_) => format!("Local time there is about {clock}"),
        None => format!("Local time there is unknown; here it is {clock}"),
    };
    if phones::is_outside_calling_hours(inbox.context.now, zone) {
        DialogLine::error(format!("{words}: OUTSIDE 08–20, this may wake someone."))
    } else {
        DialogLine::plain(format!("{words}."))
    }
}
