//! Remember: the precious outbox and the cache of what the server told.
//!
//! Knows nothing of HTTP or screens.
