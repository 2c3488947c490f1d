//! The wizard's keys, and what comes back to it.

use crate::Inbox;
use crate::context::Context;
use crate::event::Effect;
use crate::keys::{KeyCode, KeyPress};
use crate::outside::OutsideRequest;
use crate::overlays::Layer;
use crate::screens::connections::errands::ConnectionRequest;
use crate::screens::connections::wizard::{Wizard, WizardField, WizardStep};
use model::connections::mapping::Pick;
use model::connections::{Auth, Connection, ContactFacts};

impl Inbox {
    /// `:connection add`.
    pub(crate) fn add_connection(&mut self) -> Result<(), String> {
        self.may_type_credential()?;
        if !self.context.settings.connects {
            return Err("this desk keeps no connections".to_owned());
        }
        let (facts, with) = self.tried_with();
        let wizard = match self.connections.begun.take() {
            Some(mut begun) => {
                // It is tried with whoever is at hand now.
                (begun.facts, begun.with) = (facts, with);
                begun
            }
            None => Box::new(Wizard::new(facts, with)),
        };
        self.open_layer(Layer::Wizard(wizard));
        Ok(())
    }

    /// Whether a credential may be typed now: a macro would keep it.
    pub(crate) fn may_type_credential(&self) -> Result<(), String> {
        match self.is_recording() {
            Some(_) => {
                Err("a macro is being recorded, and would keep the credential; end it first".to_owned())
            }
            None => Ok(()),
        }
    }

    /// What is known of the contact at hand, and how they are called: whom a
    /// live call is about.
    pub(crate) fn tried_with(&self) -> (ContactFacts, String) {
        let at_hand = self.at_hand().map(|it| (self.contact_facts(it), it.conversation.title().to_string()));
        at_hand.unwrap_or_default()
    }

    /// What was typed is kept in memory, to go on with; the call that is on its
    /// way ends for nobody.
    fn leave_wizard(&mut self, mut wizard: Box<Wizard>) {
        if !wizard.has_words() {
            return self.say("nothing was added");
        }
        wizard.step = WizardStep::Filling;
        self.connections.begun = Some(wizard);
        self.say("not added; :connection add goes on with it");
    }

    /// A key in the wizard.
    pub(crate) fn wizard_key(&mut self, mut wizard: Box<Wizard>, key: KeyPress) {
        let leaves = key.code == KeyCode::Esc || (key.ctrl && key.code == KeyCode::Char('c'));
        match &mut wizard.step {
            WizardStep::Picking { .. } if key.code == KeyCode::Esc => wizard.step = WizardStep::Filling,
            _ if leaves => return self.leave_wizard(wizard),
            WizardStep::Filling => match key.code {
                KeyCode::Tab | KeyCode::Down => wizard.move_focus(1),
                KeyCode::BackTab | KeyCode::Up => wizard.move_focus(-1),
                KeyCode::Enter => try_it(&mut wizard, &mut self.context),
                KeyCode::Left | KeyCode::Right if wizard.focus == WizardField::Auth => {
                    let count = Auth::WORDS.len();
                    let by = if key.code == KeyCode::Right { 1 } else { count - 1 };
                    wizard.auth = (wizard.auth + by) % count;
                    wizard.wrong = None;
                }
                _ => {
                    if wizard.line().is_some_and(|it| it.key(key)) {
                        wizard.wrong = None;
                    }
                }
            },
            WizardStep::Picking { .. } if key.typed().is_some() && wizard.wrong.take().is_some() => {
                return self.wizard_key(wizard, key);
            }
            WizardStep::Picking { taken, chosen, picks, .. } => match (key.code, key.typed()) {
                (KeyCode::Down, _) | (_, Some('j')) => {
                    *chosen = (*chosen + 1).min(picks.len().saturating_sub(1))
                }
                (KeyCode::Up, _) | (_, Some('k')) => *chosen = chosen.saturating_sub(1),
                (_, Some(' ')) => {
                    if let Some(it) = taken.get_mut(*chosen) {
                        *it = !*it;
                    }
                    *chosen = (*chosen + 1).min(picks.len().saturating_sub(1));
                }
                (_, Some('a')) => wizard.automatic = !wizard.automatic,
                (KeyCode::Enter, _) => save_it(&mut wizard, &mut self.context),
                _ => (),
            },
            WizardStep::Trying | WizardStep::Saving => (),
        }
        self.layers.push(Layer::Wizard(wizard));
    }

    /// The live call of a new connection has ended.
    pub(crate) fn connection_tried(&mut self, attempt: u32, tried: Result<(u16, Vec<Pick>), String>) {
        let Some(Layer::Wizard(wizard)) = self.layers.last_mut() else { return };
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

    /// A new connection was kept, or not.
    pub(crate) fn connection_saved(&mut self, saved: Result<Vec<Connection>, String>) {
        let at_top = matches!(self.layers.last(), Some(Layer::Wizard(it)) if it.step == WizardStep::Saving);
        match saved {
            Ok(all) => {
                if at_top {
                    self.layers.pop();
                }
                let name = all.last().map(|it| it.name.clone()).unwrap_or_default();
                // It was left while it was being kept.
                self.connections.begun.take_if(|it| it.name() == name);
                self.context.settings.connections = all;
                self.connections.seen = None;
                self.say(self.keyed(&format!("{name} is connected; {{look-up}} asks it about the customer")));
            }
            Err(why) => match self.layers.last_mut() {
                Some(Layer::Wizard(wizard)) if at_top => {
                    wizard.step = WizardStep::Filling;
                    wizard.wrong = Some(why);
                }
                _ => self.warn(why),
            },
        }
    }
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
        Ok(connection) if connection.endpoints.iter().any(|it| !it.fields.is_empty()) => {
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
