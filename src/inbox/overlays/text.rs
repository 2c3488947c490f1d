//! Which layers take text, for input that comes in whole lines.

use crate::event::Load;
use crate::overlays::Layer;
use crate::screens::broadcasts::BroadcastQuery;
use crate::screens::broadcasts::form::BroadcastField;
use crate::screens::connections::wizard::WizardStep;

impl Layer {
    /// Whether what is typed into it is text, whatever the letters.
    pub(crate) fn writes(&self) -> bool {
        match self {
            Self::Number { .. }
            | Self::Call(_)
            | Self::MailFile(_)
            | Self::Tags { .. }
            | Self::TemplateForm(_)
            | Self::Attach(_)
            | Self::Form(_)
            | Self::PersonForm(_)
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
            Self::Json { .. } => false,
        }
    }

    /// Whether a paste goes into its text whole. What does not take one takes
    /// letters, of which none does anything else.
    pub(crate) fn pastes(&self) -> bool {
        matches!(
            self,
            Self::Number { .. }
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
        matches!(
            (self, load),
            (Self::BroadcastForm(_), Load::Templates(_) | Load::Broadcasts(BroadcastQuery::Audience(_)))
                | (Self::Tags { .. }, Load::Tags(_))
                | (Self::Attach(_), Load::Shelf(_))
        )
    }
}
