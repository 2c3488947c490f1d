//! Completions for zsh, which passes the words as they were typed, with quotes and backslashes. The script
//! passes them as the program would get them.

use std::ffi::OsString;
use std::io::{Error, Write};
use std::path::Path;

use clap::Command;
use clap_complete::env::{self, EnvCompleter};

use crate::cli::completing::fill_in;

/// Registration script. A path below `~` is completed by zsh, which knows the folders of users. A file in
/// `fpath` is run by the first Tab as the function `_NAME`, which must complete and not only register.
const SCRIPT: &str = r#"#compdef BIN
function _clap_dynamic_completer_NAME() {
    if [[ $PREFIX == '~'* ]]; then
        _files
        return
    fi
    local -a typed=("${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}")
    local completions=("${(@f)$( \
        _CLAP_IFS=$'\n' \
        _CLAP_COMPLETE_INDEX=$((CURRENT - 1)) \
        VAR=zsh \
        COMPLETER -- "${typed[@]}" 2>/dev/null \
    )}")
    local -a folders=() others=()
    local completion value
    for completion in $completions; do
        [[ -n $completion ]] || continue
        value=${completion%%:*}
        if [[ $value == */ ]]; then
            folders+=("${value%/}${completion#$value}")
        else
            others+=("$completion")
        fi
    done
    (( $#folders )) && _describe -V 'values' folders -S '/' -r '/'
    (( $#others )) && _describe -V 'values' others
}

compdef _clap_dynamic_completer_NAME BIN

if [[ "${funcstack[1]}" == _NAME ]]; then
    _clap_dynamic_completer_NAME "$@"
fi
"#;

pub struct ZshCompleter;

impl EnvCompleter for ZshCompleter {
    fn name(&self) -> &'static str {
        env::Zsh.name()
    }

    fn is(&self, name: &str) -> bool {
        env::Zsh.is(name)
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
        env::Zsh.write_complete(command, arguments, folder, page)
    }
}
