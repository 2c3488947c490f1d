//! Serve: the embedded service, a stateful local implementation of the whole
//! interface, for the demo, for tests and for others to develop against.
//!
//! Knows nothing of the inbox; it shares only `model` and `wire` with it.

pub mod guard;
