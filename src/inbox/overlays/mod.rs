//! What can lie over the desk. The topmost layer has the keyboard.
//!
//! A layer is data.

pub mod found_view;
pub(crate) mod guard;
pub mod help;
pub(crate) mod help_view;
pub(crate) mod keys;
pub mod line;
pub mod line_view;
pub mod listing;
pub mod listing_view;
pub(crate) mod menus_view;
pub(crate) mod outside_link;
pub mod overlay;
pub mod palette;
pub mod palette_view;
pub mod questions_view;
pub(crate) mod quit;
pub mod quoted_messages;
pub(crate) mod request_log;
pub mod search;
pub mod search_view;
pub(crate) mod text;
pub mod view;

use crate::components::text_line::TextLine;
use crate::screens::broadcasts::flight::Flight;
use crate::screens::broadcasts::form::BroadcastForm;
use crate::screens::broadcasts::steering::Continuing;
use crate::screens::composer::attachments::AttachForm;
use crate::screens::composer::rich_forms::Form;
use crate::screens::connections::asking::EndpointForm;
use crate::screens::connections::upkeep::CredentialForm;
use crate::screens::connections::wizard::Wizard;
use crate::screens::conversations::tags::TagLine;
use crate::screens::people::deleting::Deleting;
use crate::screens::people::form::PersonForm;
use crate::screens::phone::CallForm;
use crate::screens::templates::form::TemplateForm;
use crate::screens::webhooks::form::WebhookForm;
use model::conversations::ConversationRow;

/// One layer.
#[derive(Debug, Clone, PartialEq)]
pub enum Layer {
    /// A number to write to is being typed.
    Number {
        /// So far.
        typed: String,
        /// What is wrong with it, if anything.
        wrong: Option<String>,
    },
    /// A call is being filled in.
    Call(CallForm),
    /// Asks until when conversations are put aside.
    Snooze {
        /// The conversations.
        rows: Vec<ConversationRow>,
        /// A wish being typed.
        typed: Option<TextLine>,
        /// Whether they stay away also when the customer writes before.
        stays: bool,
    },
    /// A line in which tags are edited.
    Tags {
        /// The conversations.
        rows: Vec<ConversationRow>,
        /// The line.
        line: TagLine,
    },
    /// A file or an address to go with a mail is being typed.
    MailFile(TextLine),
    /// A file or a link is named that goes with the answer.
    Attach(Box<AttachForm>),
    /// Asks when what the composer holds shall leave.
    Later {
        /// The wish, as far as it was typed.
        typed: TextLine,
    },
    /// Fills in a place, buttons or a list.
    Form(Box<Form>),
    /// JSON of the person's own, and what is wrong with it where.
    Json {
        /// The text.
        text: String,
        /// Line, column and what is wrong there.
        wrong: Option<(usize, usize, &'static str)>,
    },
    /// What an endpoint asks for is being filled in.
    EndpointForm(Box<EndpointForm>),
    /// A new connection is being made.
    Wizard(Box<Wizard>),
    /// A connection is given another credential.
    Credential(Box<CredentialForm>),
    /// A person is being made or changed.
    PersonForm(Box<PersonForm>),
    /// A webhook is being filled in.
    WebhookForm(Box<WebhookForm>),
    /// A broadcast is being filled in.
    BroadcastForm(Box<BroadcastForm>),
    /// All that should be known before a broadcast leaves.
    Flight(Box<Flight>),
    /// Asks with which limit of failures a broadcast shall go on.
    AskContinue(Box<Continuing>),
    /// Asks for the last digits of a number, to delete a person.
    AskDeletePerson(Box<Deleting>),
    /// Fills a template in.
    TemplateForm(Box<TemplateForm>),
}

impl Layer {
    /// Whether fast typing must not answer it.
    pub(crate) fn asks(&self) -> bool {
        !matches!(
            self,
            Self::Number { .. }
                | Self::Call(_)
                | Self::MailFile(_)
                | Self::Snooze { .. }
                | Self::Tags { .. }
                | Self::TemplateForm(_)
                | Self::Attach(_)
                | Self::Form(_)
                | Self::PersonForm(_)
                | Self::EndpointForm(_)
                | Self::Wizard(_)
                | Self::Credential(_)
                | Self::BroadcastForm(_)
                | Self::WebhookForm(_)
                | Self::Later { .. }
        )
    }
}
