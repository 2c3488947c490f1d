//! Manual pages, generated from the command line, the key table and the settings.

use std::io::{self, Write};

use clap::{Command, CommandFactory, ValueEnum};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, italic, roman};
use inbox::command::{CommandScope, TABLE, VERBS, VERBS_HEADING};
use inbox::keymap::KeyMap;

use crate::cli::{Cli, EXIT_CODES, JSON_ERRORS_HELP};
use crate::config::settings::{Setting, TABLES};

/// The pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ManualPage {
    /// frontdesk(1): the commands.
    Frontdesk,
    /// frontdesk-config(5): config.toml.
    Config,
}

pub const ENVIRONMENT: &[(&str, &str)] = &[
    ("FRONTDESK_CONFIG_DIR", "Folder of the configuration, instead of the one in XDG_CONFIG_HOME."),
    ("FRONTDESK_DATA_DIR", "Folder for data, cache and logs, instead of those in XDG folders."),
    (
        "FRONTDESK_LOG",
        "Log level: error, warn, info, debug, trace or off, also for single modules (warn,hyper=debug); anything \
         else is an error. The inbox logs to files, by default at info; serve logs to standard error, by default \
         at warn.",
    ),
    ("FRONTDESK_ASSISTANT_KEY", "Key for serve --assistant-url."),
    ("FRONTDESK_JOIN_TOKEN", "Sign-in token for join, instead of a prompt or standard input."),
    ("HOSTNAME, COMPUTERNAME", "Name of this machine for join, unless --device names it."),
    ("FRONTDESK_COMPLETE, COMP_WORDBREAKS", "Set by shell completions; do not set them yourself."),
    ("COLORFGBG", "Set by terminals: with a light background, theme = \"auto\" chooses the light theme."),
    ("NO_COLOR", "No colours if it is not empty."),
    ("TZ", "Time zone of times on the screen, in schedules and in exports; without it, the system's."),
    ("VISUAL, EDITOR", "Editor that Ctrl-G opens."),
    ("USER, LOGNAME", "Your name, if the configuration has none."),
    (
        "TERM, TERM_PROGRAM, COLORTERM, TMUX, STY, WT_SESSION",
        "Abilities of the terminal: colours, pictures, notifications, copies.",
    ),
    (
        "LC_ALL, LC_CTYPE, LANG",
        "Character set of the terminal; if it is not UTF-8, borders and marks are ASCII.",
    ),
    (
        "HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY",
        "Proxy for requests to the servers of channels, and the hosts that need none.",
    ),
    ("SSL_CERT_FILE", "File of the authorities whose certificates are trusted, instead of the system's."),
    (
        "XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_CACHE_HOME, XDG_STATE_HOME",
        "Folders of the files, instead of ~/.config, ~/.local/share, ~/.cache and ~/.local/state.",
    ),
];

pub const FILES: &[(&str, &str)] = &[
    ("~/.config/frontdesk/config.toml", "Configuration: frontdesk-config(5)."),
    (
        "~/.config/frontdesk/connections.toml",
        "Data Connections; their credentials are encrypted in connections.sealed beside it.",
    ),
    ("~/.config/frontdesk/replies/", "Canned replies, one file NAME.md for each."),
    ("~/.config/frontdesk/keys/", "Channel keys, if there is no keyring; mode 0600."),
    (
        "~/.local/share/frontdesk/outbox.db",
        "Unconfirmed changes, drafts, notes, snoozes. Exists only here: back it up.",
    ),
    (
        "~/.cache/frontdesk/cache.db",
        "Data read from the server; may be deleted while frontdesk is not running.",
    ),
    (
        "~/.local/state/frontdesk/",
        "Logs of the last week, with ids but without contents or keys, and a mark by which an older copy of the \
         outbox is recognised.",
    ),
];

const EXAMPLES: &[(&str, &str)] = &[
    ("Try it; needs no key and no network:", "frontdesk demo"),
    (
        "Add a channel; asks for the key:",
        "frontdesk channel add --name Shop --base-url https://api.example.com/v1",
    ),
    ("Reply from a script and pause the AI:", "frontdesk send +34600111222 \"A person here.\" --pause"),
    ("List customers who wait, for another program:", "frontdesk list --status needs-reply --json"),
    ("Find problems:", "frontdesk doctor"),
];

pub fn write(which: ManualPage, page: &mut Vec<u8>) -> io::Result<()> {
    match which {
        ManualPage::Frontdesk => program(page),
        ManualPage::Config => config(page),
    }
}

/// frontdesk(1): the inbox, then each command with its arguments.
fn program(page: &mut Vec<u8>) -> io::Result<()> {
    let mut root = Cli::command();
    root.build();
    let man = Man::new(root.clone());
    man.render_title(page)?;
    man.render_name_section(page)?;
    man.render_synopsis_section(page)?;
    man.render_description_section(page)?;
    man.render_options_section(page)?;
    writeln!(page, ".SH COMMANDS")?;
    commands(&root, page)?;
    keys().to_writer(page)?;
    let mut rest = Roff::new();
    described(&mut rest, "EXIT STATUS", &EXIT_CODES);
    rest.control("PP", []).text([roman(JSON_ERRORS_HELP)]);
    described(&mut rest, "ENVIRONMENT", ENVIRONMENT);
    described(&mut rest, "FILES", FILES);
    rest.text([roman("If FRONTDESK_CONFIG_DIR or FRONTDESK_DATA_DIR is set, the files are there.")]);
    rest.control("SH", ["EXAMPLES"]);
    for (what, command) in EXAMPLES {
        rest.text([roman(*what)]).control("PP", []).control("RS", ["4"]);
        rest.text([bold(*command)]).control("RE", []).control("PP", []);
    }
    rest.control("SH", ["SEE ALSO"]).text([bold("frontdesk-config"), roman("(5)")]);
    rest.to_writer(page)?;
    man.render_version_section(page)
}

/// Section of names with their descriptions.
fn described(page: &mut Roff, heading: &str, rows: &[(&str, &str)]) {
    page.control("SH", [heading]);
    for (name, doc) in rows {
        page.control("TP", []).text([bold(*name)]).text([roman(*doc)]);
    }
}

/// Keys of the inbox, and commands typed after `:`.
fn keys() -> Roff {
    let keymap = KeyMap::default();
    let mut page = Roff::new();
    page.control("SH", ["KEYS"]);
    for place in CommandScope::ALL {
        page.control("SS", [place.heading()]);
        for row in TABLE.iter().filter(|command_row| command_row.place == place) {
            let keys = match keymap.key_names(row.command) {
                keys if keys.is_empty() => keymap.first_key_name(row.command),
                keys => keys.join(", "),
            };
            page.control("TP", []).text([bold(keys)]).text([roman(keymap.doc_with_keys(row.command))]);
        }
    }
    page.control("SS", [VERBS_HEADING]);
    for verb in VERBS {
        page.control("TP", []).text([bold(verb.usage())]).text([roman(verb.doc)]);
    }
    page
}

/// Subcommands in the order of the help, each before its own subcommands.
fn commands(above: &Command, page: &mut Vec<u8>) -> io::Result<()> {
    for command in above
        .get_subcommands()
        .filter(|subcommand| !subcommand.is_hide_set() && subcommand.get_name() != "help")
    {
        let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
        writeln!(page, ".SS \"{name}\"")?;
        // Common to all commands, so documented once at the top.
        let man = Man::new(command.clone().mut_arg("help", |command| command.hide(true)));
        let mut parts = Vec::new();
        man.render_synopsis_section(&mut parts)?;
        writeln!(parts, ".PP")?;
        man.render_description_section(&mut parts)?;
        man.render_options_section(&mut parts)?;
        body(&parts, page)?;
        commands(command, page)?;
    }
    Ok(())
}

/// Contents of sections without their headings.
fn body(sections: &[u8], page: &mut Vec<u8>) -> io::Result<()> {
    let is_heading = |text: &&str| [".SH ", ".ie ", ".el "].iter().any(|word| text.starts_with(word));
    let text = String::from_utf8_lossy(sections);
    text.lines().filter(|line| !is_heading(line)).try_for_each(|line| writeln!(page, "{line}"))
}

fn config(page: &mut Vec<u8>) -> io::Result<()> {
    let mut roff = Roff::new();
    roff.control("TH", ["frontdesk-config", "5", "", concat!("frontdesk ", env!("CARGO_PKG_VERSION"))]);
    roff.control("SH", ["NAME"]).text([roman("frontdesk-config - the configuration of frontdesk")]);
    roff.control("SH", ["DESCRIPTION"]);
    roff.text([
        bold("config.toml"),
        roman(" is written in TOML. An error names its line and the nearest known key; "),
        bold("frontdesk doctor"),
        roman(" lists all errors, and "),
        bold("frontdesk config schema"),
        roman(" prints the JSON Schema with which editors check the file."),
    ]);
    roff.control("SH", ["TABLES"]);
    for table in TABLES {
        roff.control("SS", [table.heading().as_str()]).text([roman(table.doc.replace('`', ""))]);
        for setting in table.settings {
            roff.control("TP", []).text([bold(setting.key), roman(" = "), italic(setting.describe_value())]);
            roff.text([roman(sentence(setting))]);
        }
    }
    roff.control("SH", ["FILES"]).text([bold("~/.config/frontdesk/config.toml")]);
    roff.text([roman("If FRONTDESK_CONFIG_DIR is set, the file is there.")]);
    roff.control("SH", ["EXAMPLE"]).control("EX", []);
    for line in EXAMPLE_CONFIG.lines() {
        roff.text([roman(line)]);
    }
    roff.control("EE", []).control("SH", ["SEE ALSO"]).text([bold("frontdesk"), roman("(1)")]);
    roff.to_writer(page)
}

fn sentence(setting: &Setting) -> String {
    let doc = setting.doc.replace('`', "");
    match setting.describe_default() {
        "required" => format!("{doc}. Required."),
        "none" => format!("{doc}."),
        default => format!("{doc}. Default: {default}."),
    }
}

pub const EXAMPLE_CONFIG: &str = r#"[[channel]]
name = "Harbor chat"
base_url = "https://api.example.com/v1"
key_env = "HARBOR_CHAT_KEY"

[behaviour]
pause_on_reply = "ask"
undo_seconds = { chat = 5, email = 10, broadcast = 15 }

[ui]
theme = "terminal"
"#;
