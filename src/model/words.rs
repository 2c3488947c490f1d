//! Enums whose variants are words: of the interface, of the database, of the
//! configuration.

/// Declares such an enum, with `ALL`, `WORDS`, `word` and `from_word`.
///
/// Where its last line is `..Other`, a word this version does not know is kept
/// in `Other` as it came. A variant is also read from the words behind `|`.
#[macro_export]
macro_rules! words {
    ($(#[$enum:meta])* $visible:vis enum $name:ident {
        $($(#[$of:meta])* $variant:ident = $word:literal),+ $(,)?
    }) => {
        $(#[$enum])*
        $visible enum $name {
            $($(#[$of])* $variant,)+
        }

        impl $name {
            pub const WORDS: [&'static str; [$($word),+].len()] = [$($word),+];
            pub const ALL: [Self; Self::WORDS.len()] = [$(Self::$variant),+];

            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|entry| entry.word() == word)
            }
        }
    };
    ($(#[$enum:meta])* $visible:vis enum $name:ident {
        $($(#[$of:meta])* $variant:ident = $word:literal $(| $also:literal)*,)+ ..Other
    }) => {
        $(#[$enum])*
        $visible enum $name {
            $($(#[$of])* $variant,)+
            /// A word this version does not know, kept as it came.
            Other(String),
        }

        impl $name {
            pub fn word(&self) -> &str {
                match self { $(Self::$variant => $word,)+ Self::Other(word) => word }
            }

            pub fn from_word(word: &str) -> Self {
                match word { $($word $(| $also)* => Self::$variant,)+ _ => Self::Other(word.to_owned()) }
            }
        }
    };
}
