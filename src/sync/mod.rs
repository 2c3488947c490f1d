//! Carry: pulls pages into the cache and pushes outbox rows to the server,
//! each as a `once()` under a thin loop.
//!
//! Knows nothing of screens.
