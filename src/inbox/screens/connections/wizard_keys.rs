//! The wizard's keys, and what comes back to it.

use crate::Inbox;
use crate::components::dialog::{Dialog, DialogLine, Tone};
use crate::components::form::FormKey;
use crate::components::list::chosen_after;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::Effect;
use crate::features::macros::Macros;
use crate::keys::{KeyCode, KeyPress};
use crate::outside::OutsideRequest;
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::overlays::view::OverlayView;
use crate::screens::connections::ConnectionAnswers;
use crate::screens::connections::errands::ConnectionRequest;
use crate::screens::connections::wizard::{Wizard, WizardField, WizardStep};
use crate::wrap;
use model::connections::mapping::MappingCandidate;
use model::connections::{Auth, Connection, ContactFacts};
use model::text;
use model::text::SafeText;

/// Picks that are seen at a time.
const PICKS: usize = 10;

impl Wizard {
    fn fill_key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let entries = self.entries();
        let mut at = entries.iter().position(|entry| *entry == self.focus).unwrap_or(0);
        match (FormKey::of(key, &mut at, 0..entries.len()), key.code) {
            (FormKey::Leave, _) => {
                inbox.connections.leave_wizard(self.clone(), &mut inbox.context);
                return KeyOutcome::Done;
            }
            (FormKey::Moved, _) => self.focus = entries.get(at).copied().unwrap_or(WizardField::Name),
            (FormKey::Submit, _) => try_it(self, &mut inbox.context),
            (FormKey::Field, KeyCode::Left | KeyCode::Right) if self.focus == WizardField::Auth => {
                let count = Auth::WORDS.len();
                let by = if key.code == KeyCode::Right { 1 } else { count - 1 };
                self.auth = (self.auth + by) % count;
                self.wrong = None;
            }
            (FormKey::Field, _) => {
                if self.line().is_some_and(|line| line.key(key)) {
                    self.wrong = None;
                }
            }
        }
        KeyOutcome::Stay
    }

    fn dialog(&self) -> Dialog {
        let wizard = self;
        match &wizard.step {
            WizardStep::Picking { status, picks, taken, chosen } => {
                let title = format!("New connection: it answered with status {status}");
                let mut lines = vec![
                    DialogLine::plain("What shall the card show? Lists of objects become tables."),
                    DialogLine::gap(),
                ];
                let first = (chosen + 1).saturating_sub(PICKS);
                for (place, (pick, taken)) in picks.iter().zip(taken).enumerate().skip(first).take(PICKS) {
                    let mark = if *taken { "[x]" } else { "[ ]" };
                    let path = pick.path.to_string();
                    let words = match pick.columns.is_empty() {
                        true => format!("{mark} {path} = {}", pick.sample),
                        false => {
                            let heads: Vec<&str> =
                                pick.columns.iter().map(|column| column.label.as_str()).collect();
                            format!("{mark} {path}: {} of {}", pick.sample, heads.join(", "))
                        }
                    };
                    let words = wrap::cut(SafeText::line(&words).as_str(), 68);
                    let tone = if place == *chosen { Tone::Selected } else { Tone::Plain };
                    lines.push(DialogLine::new(words, tone));
                }
                if picks.len() > PICKS {
                    lines.push(DialogLine::dim(format!("{} of {}", chosen + 1, picks.len())));
                }
                if picks.is_empty() {
                    lines.push(DialogLine::plain("The answer holds nothing that could be shown."));
                }
                lines.push(DialogLine::gap());
                let itself = if wizard.automatic { "[x]" } else { "[ ]" };
                lines.push(DialogLine::plain(format!(
                    "{itself} a: ask by itself when a conversation is opened"
                )));
                lines.extend(
                    wizard.wrong.iter().map(|text| DialogLine::error(SafeText::line(text).to_string())),
                );
                lines.push(DialogLine::gap());
                lines.push(DialogLine::strong("Space picks · Enter keeps it · Esc back to the form"));
                Dialog::new(title, lines)
            }
            step => {
                let mut lines = Vec::new();
                for entry in wizard.entries() {
                    let (before, after) = wizard.shown(entry);
                    let here = *step == WizardStep::Filling && entry == wizard.focus;
                    lines.push(DialogLine::field(wizard.label(entry), 15, (&before, &after), here));
                }
                lines.push(DialogLine::gap());
                lines.push(DialogLine::dim(wizard.focus.help()));
                lines.extend(
                    wizard.wrong.iter().map(|text| DialogLine::error(SafeText::line(text).to_string())),
                );
                lines.push(DialogLine::gap());
                lines.push(match step {
                    WizardStep::Trying => DialogLine::strong("asking it now…"),
                    WizardStep::Saving => DialogLine::strong("keeping it…"),
                    _ => {
                        let with = SafeText::line(&wizard.with);
                        let with = if with.is_empty() { String::new() } else { format!(" with {with}") };
                        DialogLine::strong(format!(
                            "Enter tries it{with} · Tab next · Esc leaves it for later"
                        ))
                    }
                });
                Dialog::new("New connection", lines)
            }
        }
    }
}

impl Overlay for Wizard {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        if self.step == WizardStep::Filling {
            return self.fill_key(inbox, key);
        }
        let picks = matches!(self.step, WizardStep::Picking { .. });
        if picks && key.code == KeyCode::Esc {
            self.step = WizardStep::Filling;
            return KeyOutcome::Stay;
        }
        if key.code == KeyCode::Esc || (key.ctrl && key.code == KeyCode::Char('c')) {
            inbox.connections.leave_wizard(self.clone(), &mut inbox.context);
            return KeyOutcome::Done;
        }
        let WizardStep::Picking { taken, chosen, picks, .. } = &mut self.step else {
            return KeyOutcome::Stay;
        };
        if key.typed().is_some() {
            self.wrong = None;
        }
        match (key.code, key.typed()) {
            (_, Some(' ')) => {
                if let Some(it) = taken.get_mut(*chosen) {
                    *it = !*it;
                }
                *chosen = (*chosen + 1).min(picks.len().saturating_sub(1));
            }
            (_, Some('a')) => self.automatic = !self.automatic,
            (KeyCode::Enter, _) => save_it(self, &mut inbox.context),
            _ => *chosen = chosen_after(key, *chosen, picks.len(), PICKS).unwrap_or(*chosen),
        }
        KeyOutcome::Stay
    }

    fn input(&self) -> OverlayInput {
        if self.step == WizardStep::Filling { OverlayInput::Text } else { OverlayInput::Keys }
    }

    fn paste(&mut self, _inbox: &mut Inbox, outside: &str) -> bool {
        if let Some(line) = self.line() {
            line.insert(text::clean_pasted(outside).trim());
        }
        true
    }
}

impl OverlayView for Wizard {
    fn dialog(&self, _inbox: &Inbox) -> Dialog {
        self.dialog()
    }
}

/// `:connection add`.
pub(crate) fn add_connection(inbox: &mut Inbox) -> Result<(), String> {
    inbox.features.macros.may_type_credential()?;
    if !inbox.context.settings.connects {
        return Err("this desk keeps no connections".to_owned());
    }
    let (facts, with) = inbox.desk.tried_with();
    let wizard = match inbox.connections.begun.take() {
        Some(mut begun) => {
            // It is tried with the contact that is selected now.
            (begun.facts, begun.with) = (facts, with);
            begun
        }
        None => Box::new(Wizard::new(facts, with)),
    };
    inbox.context.open(*wizard);
    Ok(())
}

impl Macros {
    /// Whether a credential may be typed now: a macro would keep it.
    pub(crate) fn may_type_credential(&self) -> Result<(), String> {
        match self.is_recording() {
            Some(_) => {
                Err("a macro is being recorded, and would keep the credential; end it first".to_owned())
            }
            None => Ok(()),
        }
    }
}

impl Desk {
    /// What is known of the current contact, and how they are called: whom a
    /// live call is about.
    pub(crate) fn tried_with(&self) -> (ContactFacts, String) {
        let found = self.current_conversation().map(|current_conversation| {
            (self.contact_facts(current_conversation), current_conversation.conversation.title().to_string())
        });
        found.unwrap_or_default()
    }
}

impl ConnectionAnswers {
    /// What was typed is kept in memory, to go on with; the call that is on its
    /// way ends for nobody.
    fn leave_wizard(&mut self, mut wizard: Wizard, context: &mut Context) {
        if !wizard.has_words() {
            return context.say("nothing was added");
        }
        wizard.step = WizardStep::Filling;
        self.begun = Some(Box::new(wizard));
        context.say("not added; :connection add goes on with it");
    }

    /// A new connection was kept, or not.
    pub(crate) fn connection_saved(&mut self, saved: Result<Vec<Connection>, String>, context: &mut Context) {
        let at_top = context.layers.top::<Wizard>().is_some_and(|top| top.step == WizardStep::Saving);
        match saved {
            Ok(all) => {
                if at_top {
                    context.layers.pop();
                }
                let name = all.last().map(|connection| connection.name.clone()).unwrap_or_default();
                // It was left while it was being kept.
                self.begun.take_if(|begun| begun.name() == name);
                context.settings.connections = all;
                self.seen = None;
                context.say(
                    context.keyed(&format!("{name} is connected; {{look-up}} asks it about the customer")),
                );
            }
            Err(why) => match context.layers.top_mut::<Wizard>() {
                Some(wizard) if at_top => {
                    wizard.step = WizardStep::Filling;
                    wizard.wrong = Some(why);
                }
                _ => context.warn(why),
            },
        }
    }
}

/// The live call of a new connection has ended.
pub(crate) fn connection_tried(
    context: &mut Context,
    attempt: u32,
    tried: Result<(u16, Vec<MappingCandidate>), String>,
) {
    let Some(wizard) = context.layers.top_mut::<Wizard>() else { return };
    if wizard.step != WizardStep::Trying || wizard.attempt != attempt {
        return;
    }
    wizard.step = match tried {
        Ok((status, picks)) => {
            let taken = vec![false; picks.len()];
            WizardStep::Picking { status, picks, taken, chosen: 0 }
        }
        Err(why) => {
            wizard.wrong = Some(why);
            wizard.secret.begin_anew();
            WizardStep::Filling
        }
    };
}

fn try_it(wizard: &mut Wizard, context: &mut Context) {
    match wizard.connection() {
        Ok(connection) => {
            wizard.step = WizardStep::Trying;
            wizard.wrong = None;
            wizard.attempt += 1;
            let (attempt, secret, facts) = (wizard.attempt, wizard.secret(), wizard.facts.clone());
            context.push(Effect::Ask(OutsideRequest::Connections(Box::new(ConnectionRequest::Try {
                attempt,
                connection,
                secret,
                facts,
            }))));
        }
        Err(why) => wizard.wrong = Some(why),
    }
}

fn save_it(wizard: &mut Wizard, context: &mut Context) {
    match wizard.connection() {
        Ok(connection) if connection.endpoints.iter().any(|endpoint| !endpoint.fields.is_empty()) => {
            wizard.step = WizardStep::Saving;
            wizard.wrong = None;
            let secret = wizard.secret();
            context.push(Effect::Ask(OutsideRequest::Connections(Box::new(ConnectionRequest::Save {
                connection,
                secret,
            }))));
        }
        Ok(_) => wizard.wrong = Some("pick at least one field with Space".to_owned()),
        Err(why) => wizard.wrong = Some(why),
    }
}
