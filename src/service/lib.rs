//! The service: an implementation of the whole interface with its own database, for production, the demo and
//! tests.
//!
//! A request passes [`server`], [`router`] and [`gate`] to the handler of its resource; every change passes
//! [`write`](mod@write). Messages to a platform pass [`sending`], updates of a platform pass
//! [`carriers::ingress`]. Events of the simulated world come from [`world`], work that falls due from [`background`].

pub mod admin;
pub mod assistant;
pub mod audit;
pub mod auth;
pub mod background;
pub mod bodies;
pub mod carriers;
pub mod chat;
pub mod client_info;
pub mod clock;
pub mod connections;
pub mod cursors;
pub mod database;
pub mod deliveries;
pub mod demo;
pub mod errors;
pub mod events;
pub mod faults;
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
pub mod mail;
pub mod media;
pub mod metrics;
mod open_connections;
pub mod operators;
pub mod options;
pub mod query;
pub mod ready_file;
pub mod relocation;
mod remaining_body;
pub mod reply;
pub mod request;
mod request_id;
pub mod retention;
pub mod router;
pub mod scope;
pub mod sealing_key;
pub mod sending;
pub mod server;
pub mod start;
pub mod state;
pub mod takeover;
pub mod team;
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
