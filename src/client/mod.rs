//! Speak: one HTTP client per channel key; requests, failures, retries and
//! pace, one file per resource.
//!
//! Knows nothing of databases or screens.
