//! HTTP client of the API, one per channel key, with a file per resource.
//!
//! Every outcome is classified in [`errors`]: not sent, refused, done or unknown. [`retry`] decides
//! the next step.

use std::sync::Once;

mod account;
mod answer_hashes;
mod broadcasts;
pub mod budget;
mod calls;
mod causes;
mod checks;
pub mod checkup;
mod connect;
mod contacts;
mod conversations;
mod deadline;
pub mod downloads;
mod email;
pub mod errors;
pub mod event_stream;
mod failure;
mod headers;
mod local_listener;
mod media;
mod messages;
pub mod pace;
mod pages;
pub mod pictures;
mod prepare;
mod receipt;
mod request;
pub mod retry;
mod server_clock;
pub mod team;
pub mod team_events;
pub mod team_state;
mod telegram;
mod templates;
#[cfg(test)]
mod tests;
pub mod transport;
mod trigger_events;
mod triggers;
mod voip;
mod webhooks;
mod words;

pub use account::{ReportedAccount, key_fingerprint};
pub use connect::{Client, ClientError, ClientTimeouts, check_usable};
pub use contacts::{differences, prepare_change, prepare_tags};
pub use deadline::Deadline;
pub use email::{ReadMail, ThreadWithMails, attachment_bytes, html_of, thread_of};
pub use errors::{ApiRefusal, AttemptPhase, NotSent, ReadError, Unclear, WriteOutcome};
pub use failure::{FailureCause, RequestFailure};
pub use headers::Rate;
pub use local_listener::trust_user;
pub use prepare::{Attachments, PrepareError, prepare, prepare_with};
pub use receipt::{Receipt, ReceiptKind};
pub use request::ReadResponse;
pub use templates::ListedTemplates;
pub use triggers::PlainTrigger;

pub use api::lists::{ListPage, Unreadable};
pub use api::templates::TemplateBody;

/// Installs the TLS provider; may be called repeatedly, and is called by [`Client::new`].
pub fn install_tls() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Fails only if a provider is already installed.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}
