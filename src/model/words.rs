//! Enums that correspond to words of the interface, the database or the configuration.

/// Declares an enum with `word` and `from_word`, and without `..Other` also `ALL` and `WORDS`.
///
/// With `..Other` as the last line, unknown words are kept in the variant `Other`. Words after `|`
/// are alternatives for parsing.
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
            /// Unknown word, unparsed.
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
