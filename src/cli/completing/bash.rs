//! Completions for bash, which passes the raw line and inserts replies verbatim, so quotes are parsed and
//! written here.

use std::ffi::OsString;
use std::io::{Error, Write};
use std::path::Path;

use clap::Command;
use clap_complete::engine;
use clap_complete::env::{self, EnvCompleter};

use crate::cli::completing::fill_in;

/// Default word breaks of bash.
const WORD_BREAKS: &str = "\"'@><=;|&(:";

/// Registration script. Without `COMP_LINE` the words are joined by `IFS`.
const SCRIPT: &str = r#"
_clap_complete_NAME() {
    local IFS=' ' line=${COMP_LINE:0:${COMP_POINT:-0}} replies reply
    [[ -n $line ]] || line="${COMP_WORDS[*]:0:COMP_CWORD} ${COMP_WORDS[COMP_CWORD]-}"
    COMPREPLY=()
    replies=$(VAR=bash COMP_WORDBREAKS=$COMP_WORDBREAKS COMPLETER -- "$line" 2>/dev/null) || return
    while IFS= read -r reply; do
        [[ -z $reply ]] || COMPREPLY+=("$reply")
    done <<<"$replies"
    if [[ ${COMPREPLY[0]-} == *[=/:] ]]; then
        compopt -o nospace 2>/dev/null
    fi
}
if [[ ${BASH_VERSINFO[0]} -gt 4 || ${BASH_VERSINFO[0]} -eq 4 && ${BASH_VERSINFO[1]} -ge 4 ]]; then
    complete -o bashdefault -o nosort -F _clap_complete_NAME BIN
else
    complete -o bashdefault -F _clap_complete_NAME BIN
fi
"#;

pub struct BashCompleter;

impl EnvCompleter for BashCompleter {
    fn name(&self) -> &'static str {
        "bash"
    }

    fn is(&self, name: &str) -> bool {
        name == self.name()
    }

    fn write_registration(
        &self,
        var: &str,
        name: &str,
        bin: &str,
        completer: &str,
        page: &mut dyn Write,
    ) -> Result<(), Error> {
        let words = [("NAME", name), ("BIN", bin), ("COMPLETER", completer), ("VAR", var)];
        page.write_all(fill_in(SCRIPT, words).as_bytes())
    }

    fn write_complete(
        &self,
        command: &mut Command,
        arguments: Vec<OsString>,
        folder: Option<&Path>,
        page: &mut dyn Write,
    ) -> Result<(), Error> {
        let [line] = arguments.as_slice() else {
            // The script of an earlier version passes words.
            return env::Bash.write_complete(command, arguments, folder, page);
        };
        let breaks = std::env::var("COMP_WORDBREAKS").unwrap_or_else(|_| WORD_BREAKS.to_owned());
        let typed = PartialLine::read(&line.to_string_lossy(), &breaks);
        let words: Vec<OsString> = typed.words.iter().map(OsString::from).collect();
        let last = words.len() - 1;
        for candidate in engine::complete(command, words, last, folder)? {
            writeln!(page, "{}", typed.completion_text(&candidate.get_value().to_string_lossy()))?;
        }
        Ok(())
    }
}

/// Line up to the cursor, split like a shell does.
struct PartialLine {
    /// Words; the last is incomplete.
    words: Vec<String>,
    /// Open quote of the last word.
    quote: Option<char>,
    /// Bytes at the start of the last word that bash keeps.
    kept_bytes: usize,
}

impl PartialLine {
    fn read(line: &str, breaks: &str) -> Self {
        let (mut words, mut word, mut quote, mut kept_bytes) = (Vec::new(), None::<String>, None, 0);
        let mut chars = line.chars().peekable();
        while let Some(character) = chars.next() {
            let text = word.get_or_insert_default();
            match (quote, character) {
                (None, '"' | '\'') => (quote, kept_bytes) = (Some(character), text.len()),
                (Some(open), _) if open == character => (quote, kept_bytes) = (None, text.len()),
                (None, '\\') => text.extend(chars.next()),
                (Some('"'), '\\') => {
                    text.push(chars.next_if(|char| "\"\\$`".contains(*char)).unwrap_or(character))
                }
                (None, _) if character.is_whitespace() => {
                    words.extend(word.take().filter(|word| !word.is_empty()));
                    kept_bytes = 0;
                }
                (None, _) if breaks.contains(character) => {
                    text.push(character);
                    kept_bytes = text.len();
                }
                _ => text.push(character),
            }
        }
        words.push(word.unwrap_or_default());
        Self { words, quote, kept_bytes }
    }

    /// Text bash has to insert for a complete last word.
    fn completion_text(&self, whole: &str) -> String {
        let text = whole.get(self.kept_bytes..).unwrap_or(whole);
        match self.quote {
            Some('"') => escaped(text, |character| "\"\\$`".contains(character)),
            Some(_) => text.replace('\'', r"'\''"),
            None => {
                // Only an unescaped `~` at the start is the home folder.
                let home_bytes = usize::from(self.kept_bytes == 0 && text.starts_with("~/"));
                let (home, rest) = text.split_at(home_bytes);
                let rest = escaped(rest, |character| {
                    character.is_ascii()
                        && !character.is_ascii_alphanumeric()
                        && !"_-+@%.,/:=^".contains(character)
                });
                format!("{home}{rest}")
            }
        }
    }
}

fn escaped(text: &str, is_special: impl Fn(char) -> bool) -> String {
    let parts = text.chars().map(|character| {
        if is_special(character) { format!("\\{character}") } else { character.to_string() }
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::{PartialLine, WORD_BREAKS};

    #[test]
    fn a_word_is_put_in_as_it_was_begun() {
        let cases = [
            ("show ", "Harbor chat", r"Harbor\ chat"),
            ("show Har", "Harbor chat", r"Harbor\ chat"),
            (r"show Harbor\ c", "Harbor chat", r"Harbor\ chat"),
            ("show \"Harbor c", "Harbor chat", "Harbor chat"),
            ("show 'Harbor c", "Harbor chat", "Harbor chat"),
            ("show --channel=Har", "--channel=Harbor chat", r"Harbor\ chat"),
            ("show --channel=\"Har", "--channel=Harbor $chat", r"Harbor \$chat"),
            ("show ana@ma", "ana@mail.example", "mail.example"),
            ("show 'it", "it's", r"it'\''s"),
            ("show ", "a;b$(c)*~&é", r"a\;b\$\(c\)\*\~\&é"),
            ("upload ~/a", "~/a b~c/", r"~/a\ b\~c/"),
            ("upload '~/a", "~/a b/", "~/a b/"),
        ];
        for (line, whole, put_in) in cases {
            let typed = PartialLine::read(line, WORD_BREAKS);
            assert_eq!(typed.completion_text(whole), put_in, "{line}");
        }
    }

    #[test]
    fn a_line_is_read_as_a_shell_reads_it() {
        let cases: [(&str, &[&str]); 6] = [
            ("frontdesk  li", &["frontdesk", "li"]),
            ("frontdesk list ", &["frontdesk", "list", ""]),
            (r#"frontdesk "a \"b" 'c\d' e\ f"#, &["frontdesk", "a \"b", r"c\d", "e f"]),
            (r#"frontdesk "a\b"#, &["frontdesk", r"a\b"]),
            ("frontdesk a\\", &["frontdesk", "a"]),
            ("frontdesk 'a b", &["frontdesk", "a b"]),
        ];
        for (line, words) in cases {
            assert_eq!(PartialLine::read(line, WORD_BREAKS).words, words, "{line}");
        }
    }
}
