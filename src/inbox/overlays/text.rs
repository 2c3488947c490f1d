//! Which layers take text, for input that comes in whole lines.

use crate::event::Load;
use crate::overlays::Layer;
use crate::overlays::listing::ListKind;
use crate::screens::broadcasts::BroadcastQuery;
use crate::screens::broadcasts::form::BroadcastField;
use crate::screens::connections::wizard::WizardStep;

impl Layer {
    /// Whether what is typed into it is text, whatever the letters.
    pub(crate) fn writes(&self) -> bool {
        match self {
            Self::Line(_)
            | Self::Palette(_)
            | Self::Search
            | Self::Number { .. }
            | Self::Call(_)
            | Self::MailFile(_)
            | Self::Tags { .. }
            | Self::Replies { .. }
            | Self::Emoji { .. }
            | Self::Templates { .. }
            | Self::TemplateForm(_)
            | Self::Attach(_)
            | Self::Form(_)
            | Self::PersonForm(_)
            | Self::Endpoints { .. }
            | Self::EndpointForm(_)
            | Self::Credential(_)
            | Self::Later { .. }
            | Self::AskDeletePerson(_)
            | Self::AskContinue(_) => true,
            Self::Snooze { typed, .. } => typed.is_some(),
            Self::Wizard(wizard) => matches!(wizard.step, WizardStep::Filling),
            Self::WebhookForm(form) => form.focus == 0,
            Self::BroadcastForm(form) => form.at_hand() != BroadcastField::Kind,
            Self::Flight(flight) => flight.new.aim.phrase().is_some(),
            Self::Views { .. }
            | Self::Help(_)
            | Self::React { .. }
            | Self::Macros { .. }
            | Self::List { .. }
            | Self::MailMenu(_)
            | Self::MailReview { .. }
            | Self::Json { .. }
            | Self::Answer { .. }
            | Self::Menu { .. }
            | Self::Raw { .. } => false,
        }
    }

    /// Whether a paste goes into its text whole. What does not take one takes
    /// letters, of which none does anything else.
    pub(crate) fn pastes(&self) -> bool {
        matches!(
            self,
            Self::Line(_)
                | Self::Palette(_)
                | Self::Search
                | Self::Number { .. }
                | Self::Call(_)
                | Self::MailFile(_)
                | Self::TemplateForm(_)
                | Self::Attach(_)
                | Self::Form(_)
                | Self::PersonForm(_)
                | Self::EndpointForm(_)
                | Self::Credential(_)
                | Self::Wizard(_)
                | Self::BroadcastForm(_)
        )
    }
}

impl Layer {
    /// Whether it shows what a load brings.
    pub(crate) fn is_read_from(&self, load: &Load) -> bool {
        match (self, load) {
            (Self::Search, Load::Search(it)) => it.conversation.is_none(),
            (Self::Line(_), Load::Search(it)) => it.conversation.is_some(),
            (Self::Templates { .. } | Self::BroadcastForm(_), Load::Templates(_))
            | (Self::List { kind: ListKind::Paused, .. }, Load::Paused(_))
            | (Self::List { kind: ListKind::Credits, .. }, Load::Spent | Load::Unpaid)
            | (Self::List { kind: ListKind::Done | ListKind::Results, .. }, Load::Fates(_))
            | (Self::Tags { .. }, Load::Tags(_))
            | (Self::Attach(_), Load::Shelf(_))
            | (Self::BroadcastForm(_), Load::Broadcasts(BroadcastQuery::Audience(_)))
            | (Self::Macros { .. }, Load::Macros) => true,
            _ => false,
        }
    }
}
