//! Show: draws the app.
//!
//! Knows nothing of what happens next; drawing changes nothing.
