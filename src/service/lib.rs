//! The service: an implementation of the whole interface with its own database, for production, the demo and
//! tests.
//!
//! A request passes [`server`], [`router`] and [`gate`] to the handler of its resource; every change passes
//! [`write`]. Events of the simulated world come from [`world`], work that falls due from [`background`].

pub mod admin;
pub mod assistant;
pub mod auth;
pub mod background;
pub mod bodies;
pub mod carriers;
pub mod channels;
pub mod chat;
pub mod client_info;
pub mod clock;
pub mod connections;
pub mod credits;
pub mod cursors;
pub mod database;
pub mod deliveries;
pub mod demo;
pub mod errors;
pub mod events;
pub mod faults;
pub mod fields;
pub mod forwarded;
pub mod gate;
pub mod handlers;
pub mod health;
pub mod hosts;
mod http_errors;
pub mod id_generator;
pub mod idempotency;
pub mod in_process;
pub mod inspection;
pub mod keys;
pub mod last_answer;
pub mod limits;
pub mod log_line;
pub mod mail;
pub mod media;
pub mod metrics;
mod open_connections;
pub mod options;
pub mod platforms;
pub mod query;
pub mod ready_file;
pub mod relocation;
mod remaining_body;
pub mod reply;
pub mod request;
pub mod router;
pub mod scheduler;
pub mod scope;
pub mod sealing_key;
pub mod server;
pub mod start;
pub mod state;
pub mod takeover;
pub mod vault;
pub mod voice;
mod waits;
pub mod workspace;
pub mod world;
pub mod write;

pub use assistant::{Endpoint, Knowledge, QuestionError, QuestionFile};
pub use database::place::DatabaseLocation;
pub use forwarded::Network;
pub use hosts::{HostName, PublicUrl};
pub use in_process::InProcess;
pub use options::{AssistantChoice, FailureLimit, Options, RequestTimeouts, TokenCaps};
pub use start::{RunningService, StartError, start};
pub use takeover::AfterPersonAnswers;
pub use workspace::IssuedKey;
