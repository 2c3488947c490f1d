//! A macro as it is kept.

/// Steps that are done with one letter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Macro {
    pub letter: char,
    /// Its steps, a line each.
    pub steps: String,
}
