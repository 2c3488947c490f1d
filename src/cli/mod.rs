//! Choose.
