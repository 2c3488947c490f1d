//! Data connections, which the service's assistant and the inbox call with the same code.
//!
//! | file | content |
//! |---|---|
//! | `caller.rs` | one call: rate limit, credential, redirects, timeout, log line |
//! | `auth.rs` | credentials in requests |
//! | `tokens.rs` | fetching and caching of tokens |
//! | `answers.rs` | responses: limits, masking, mapping |
//! | `review.rs` | checks of a connection, its hosts and headers |
//! | `sealing.rs` | encryption of credentials |
//! | `credentials.rs` | file of the sealed credentials of a desk |
//! | `file.rs` | `connections.toml` of a desk |
//! | `log.rs` | file of the latest calls |

pub mod answers;
pub mod auth;
pub mod caller;
pub mod credentials;
pub mod file;
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
