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
pub mod palette;
pub mod palette_view;
pub mod questions_view;
pub(crate) mod request_log;
pub mod search;
pub mod search_view;
pub(crate) mod text;
pub mod view;

use crate::components::picker::Picker;
use crate::components::text_line::TextLine;
use crate::event::Intent;
use crate::overlays::help::Help;
use crate::overlays::line::LinePrompt;
use crate::overlays::listing::ListKind;
use crate::overlays::palette::CommandPalette;
use crate::screens::broadcasts::flight::Flight;
use crate::screens::broadcasts::form::BroadcastForm;
use crate::screens::broadcasts::steering::Continuing;
use crate::screens::composer::attachments::AttachForm;
use crate::screens::composer::rich_forms::Form;
use crate::screens::connections::asking::EndpointForm;
use crate::screens::connections::errands::AnswerKey;
use crate::screens::connections::upkeep::CredentialForm;
use crate::screens::connections::wizard::Wizard;
use crate::screens::conversations::bulk_plan::BulkPlan;
use crate::screens::conversations::tags::TagLine;
use crate::screens::mail::menus::Menu;
use crate::screens::mail::triage::TriageDecision;
use crate::screens::outbox::decisions::DecisionOption;
use crate::screens::people::deleting::Deleting;
use crate::screens::people::form::PersonForm;
use crate::screens::people::importing::ImportSource;
use crate::screens::phone::CallForm;
use crate::screens::templates::form::TemplateForm;
use crate::screens::webhooks::form::WebhookForm;
use crate::tab::Focus;
use model::conversations::ConversationRow;
use model::ids::{CampaignId, ChannelId, ConversationId, MessageId, RowId};
use model::import::DryRun;
use model::messages::Message;
use model::outbox::Operation;
use model::queries::{OutboxEntry, PausedEntry};
use model::text::SafeText;
use model::webhooks::Webhook;

/// Rows around a layer: the tabs above it, two lines below it.
pub const AROUND: u16 = 3;

/// One layer.
#[derive(Debug, Clone, PartialEq)]
pub enum Layer {
    /// A line being typed at the foot of the screen.
    Line(LinePrompt),
    /// Commands, people, views and tabs by their letters.
    Palette(Box<CommandPalette>),
    /// Looking for words in everything seen; its state is the inbox's, so that
    /// it can be gone back to.
    Search,
    /// The menu of saved views.
    Views {
        /// The chosen place in it.
        chosen: usize,
    },
    /// The keys, those of this place first.
    Help(Box<Help>),
    /// Chooses an emoji for a message.
    React {
        /// The tab.
        channel: ChannelId,
        /// The conversation.
        conversation: ConversationId,
        /// The message.
        message: MessageId,
        /// The chosen place in the quick list.
        chosen: usize,
    },
    /// Asks whether to pause the AI before a message leaves.
    AskPause {
        /// The message, ready to leave; several where it was too long for one.
        sends: Vec<Intent>,
        /// Whether they are what the composer holds.
        clears_draft: bool,
        /// The switch, ready to go before it.
        pause: Box<Intent>,
    },
    /// Says how a text that is too long would be split, and asks whether to
    /// send it so.
    AskSplit {
        /// The messages.
        parts: Vec<SafeText>,
        /// Characters of the whole, as the channel counts them.
        length: usize,
        /// The most one message takes.
        most: usize,
        /// What they cost, and what is left.
        price: String,
    },
    /// Shows what the AI or a colleague said since a text was begun, and asks
    /// whether to send it all the same.
    AskCrossed {
        /// What they said, oldest first.
        crossed: Vec<Message>,
        /// The text.
        text: SafeText,
    },
    /// Asks what to do with a row that waits for a person.
    Decide {
        /// The row, as fresh as the question.
        entry: Box<OutboxEntry>,
        /// What can be answered.
        answers: Vec<DecisionOption>,
    },
    /// Shows what would leave, and asks whether to send it all.
    DecideAll {
        /// The rows that can go as they are, and to whom.
        go: Vec<(RowId, SafeText)>,
        /// Rows that need a look of their own.
        look: usize,
        /// What they cost, where they waited for credits.
        price: Option<String>,
    },
    /// Says what is left open, and asks whether to quit.
    AskQuit {
        /// One line for each thing that is left open.
        open: Vec<String>,
        /// Conversations whose AI is paused from here.
        paused: u32,
    },
    /// A number to write to is being typed.
    Number {
        /// So far.
        typed: String,
        /// What is wrong with it, if anything.
        wrong: Option<String>,
    },
    /// A call is being filled in.
    Call(CallForm),
    /// Asks whether to call now.
    AskCall {
        /// What was filled in, to go back to.
        form: CallForm,
        /// The call.
        operation: Operation,
    },
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
    /// Shows which of many conversations a wish fits, and asks whether to go
    /// on.
    AskBulk {
        /// The plan.
        plan: Box<BulkPlan>,
    },
    /// Says which pauses of the AI have gone on for long, and asks whether they
    /// shall go on.
    AskLease {
        /// The pauses.
        over: Vec<PausedEntry>,
    },
    /// The macros: one is played, or recorded.
    Macros {
        /// The chosen place.
        chosen: usize,
        /// Whether the letter begins a recording.
        records: bool,
    },
    /// A list with a chosen line.
    List {
        /// Which.
        kind: ListKind,
        /// The chosen line.
        chosen: usize,
    },
    /// A menu of mail.
    MailMenu(Menu),
    /// Asks whether to open a mail in the browser.
    AskBrowser {
        /// The mail as it came.
        raw: String,
    },
    /// Asks whether the last decision of a triage is meant for all of a sender.
    AskSame {
        /// What was decided.
        what: TriageDecision,
        /// Over how many threads.
        count: usize,
        /// The sender.
        from: String,
    },
    /// The last look before a mail leaves.
    MailReview {
        /// Whether what leaves is shown whole.
        preview: bool,
        /// First row on screen.
        first: usize,
    },
    /// Asks about what is odd about a mail.
    MailDoubt {
        /// What it is.
        doubts: Vec<String>,
    },
    /// A file or an address to go with a mail is being typed.
    MailFile(TextLine),
    /// Picks a canned reply.
    Replies {
        /// What was typed.
        picker: Picker,
        /// What opened it, which comes back if nothing is picked.
        opener: &'static str,
        /// Where the keyboard goes then, if it was elsewhere.
        back: Option<Focus>,
    },
    /// Picks an emoji.
    Emoji {
        /// What was typed.
        picker: Picker,
        /// Characters before the cursor that give way to it.
        typed: usize,
    },
    /// Picks a template.
    Templates {
        /// What was typed.
        picker: Picker,
    },
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
    /// Picks an endpoint of a connection.
    Endpoints {
        /// What was typed.
        picker: Picker,
    },
    /// What an endpoint asks for is being filled in.
    EndpointForm(Box<EndpointForm>),
    /// An endpoint was asked by hand; its answer takes this place.
    Answer {
        /// Which answer.
        slot: AnswerKey,
    },
    /// A new connection is being made.
    Wizard(Box<Wizard>),
    /// A connection is given another credential.
    Credential(Box<CredentialForm>),
    /// Asks whether to remove the connection of this name.
    AskRemoveConnection(String),
    /// A person is being made or changed.
    PersonForm(Box<PersonForm>),
    /// A webhook is being filled in.
    WebhookForm(Box<WebhookForm>),
    /// Shows its secret, and asks whether to register it.
    AskWebhook(Box<WebhookForm>),
    /// Asks whether to remove a webhook.
    AskRemoveWebhook(Box<Webhook>),
    /// A broadcast is being filled in.
    BroadcastForm(Box<BroadcastForm>),
    /// All that should be known before a broadcast leaves.
    Flight(Box<Flight>),
    /// Asks with which limit of failures a broadcast shall go on.
    AskContinue(Box<Continuing>),
    /// Asks whether to stop a broadcast for good.
    AskStop {
        /// Which.
        id: CampaignId,
        /// People it has not left to.
        left: usize,
        /// Whether a wave is leaving now.
        leaves: bool,
    },
    /// Asks for the last digits of a number, to delete a person.
    AskDeletePerson(Box<Deleting>),
    /// Says what was found in a file of people, and asks whether to import it.
    AskImport {
        /// The file.
        source: ImportSource,
        /// What was found.
        found: Box<DryRun>,
    },
    /// Fills a template in.
    TemplateForm(Box<TemplateForm>),
    /// The composer's menu.
    Menu {
        /// The chosen entry.
        chosen: usize,
    },
    /// Says where a link leads, and asks whether to open it outside.
    AskOpen {
        /// The link.
        url: String,
        /// Its host.
        host: String,
    },
    /// Shows a command that was not run yet, and asks whether to run it.
    AskPipe {
        /// The command.
        command: String,
        /// What it is given.
        what: String,
        /// The same as JSON.
        json: String,
    },
    /// Says from where a picture would be fetched, and asks whether to.
    AskPicture {
        /// Its address.
        url: String,
        /// Its host.
        host: String,
    },
    /// An item as the server sent it.
    Raw {
        /// What it is.
        title: String,
        /// Its lines.
        lines: Vec<SafeText>,
        /// First line on screen.
        first: usize,
    },
}

impl Layer {
    /// Whether fast typing must not answer it.
    pub fn is_question(&self) -> bool {
        !matches!(
            self,
            Self::Line(_)
                | Self::Palette(_)
                | Self::Search
                | Self::Views { .. }
                | Self::Help(_)
                | Self::Raw { .. }
                | Self::React { .. }
                | Self::Number { .. }
                | Self::Call(_)
                | Self::MailMenu(_)
                | Self::MailFile(_)
                | Self::Snooze { .. }
                | Self::Tags { .. }
                | Self::List { .. }
                | Self::Macros { .. }
                | Self::Replies { .. }
                | Self::Emoji { .. }
                | Self::Menu { .. }
                | Self::Templates { .. }
                | Self::TemplateForm(_)
                | Self::Attach(_)
                | Self::Form(_)
                | Self::PersonForm(_)
                | Self::Endpoints { .. }
                | Self::EndpointForm(_)
                | Self::Answer { .. }
                | Self::Wizard(_)
                | Self::Credential(_)
                | Self::BroadcastForm(_)
                | Self::WebhookForm(_)
                | Self::Later { .. }
        )
    }
}
