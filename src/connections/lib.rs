//! Reach: requests to hosts that somebody configured, always through the
//! guard; and Data Connections, which the service's assistant and the inbox's
//! card call with the same code.
//!
//! | file | what |
//! |---|---|
//! | `guard/` | a URL becomes a connection to an address that may be reached |
//! | `caller.rs` | one call: limit, credential, redirects, time, log line |
//! | `auth.rs` | how a request says who asks |
//! | `tokens.rs` | fetched tokens: once, however many ask |
//! | `answers.rs` | what came back: bounded, masked, mapped, picked from |
//! | `review.rs` | what is wrong with a connection, its hosts and headers |
//! | `sealing.rs` | credentials at rest |
//! | `credentials.rs` | the file of sealed credentials of a desk |
//! | `file.rs` | `connections.toml` of a desk |
//! | `log.rs` | the last calls, in a file |

pub mod answers;
pub mod auth;
pub mod caller;
pub mod credentials;
pub mod file;
pub mod guard;
pub mod log;
pub mod review;
pub mod sealing;
#[cfg(test)]
mod tests;
pub mod tokens;

pub use caller::{CallError, EndpointCaller, EndpointRequest, EndpointResponse, FinishedCall};
pub use credentials::{Credentials, KeyProvider};
pub use log::CallLog;
pub use review::review;
pub use sealing::Sealer;
