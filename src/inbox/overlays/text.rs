//! Which layers take text, for input that comes in whole lines.

use crate::overlays::Layer;
use crate::screens::broadcasts::form::BroadcastField;
use crate::screens::connections::wizard::WizardStep;

impl Layer {
    /// Whether what is typed into it is text, whatever the letters.
    pub fn takes_text(&self) -> bool {
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
            | Self::AskPause { .. }
            | Self::AskSplit { .. }
            | Self::AskCrossed { .. }
            | Self::Decide { .. }
            | Self::DecideAll { .. }
            | Self::AskQuit { .. }
            | Self::AskCall { .. }
            | Self::AskBulk { .. }
            | Self::AskLease { .. }
            | Self::Macros { .. }
            | Self::List { .. }
            | Self::MailMenu(_)
            | Self::AskBrowser { .. }
            | Self::AskSame { .. }
            | Self::MailReview { .. }
            | Self::MailDoubt { .. }
            | Self::Json { .. }
            | Self::Answer { .. }
            | Self::AskRemoveConnection(_)
            | Self::AskWebhook(_)
            | Self::AskRemoveWebhook(_)
            | Self::AskStop { .. }
            | Self::AskImport { .. }
            | Self::Menu { .. }
            | Self::AskOpen { .. }
            | Self::AskPipe { .. }
            | Self::AskPicture { .. }
            | Self::Raw { .. } => false,
        }
    }

    /// Whether a paste goes into its text whole. What does not take one takes
    /// letters, of which none does anything else.
    pub fn takes_pastes(&self) -> bool {
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
