//! The command line: every command by its name, and some with what follows
//! it. To add one with arguments, add a row to [`VERBS`].

use crate::Inbox;
use crate::commands;
use crate::commands::TABLE;
use crate::components::text_line::TextLine;
use crate::event::{Effect, Load};
use crate::features::macros::steps::RecordedStep;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::Layer;
use crate::overlays::line::{LineKind, LinePrompt};
use model::filter::{self, Sort};
use model::nearest::nearest;
use model::queries::TranscriptFormat;
use model::selector::Selector;

/// A command that takes something after its name.
pub struct Verb {
    /// Its name.
    pub name: &'static str,
    /// What follows it, for help; empty if nothing must.
    pub takes: &'static str,
    /// One line for help.
    pub doc: &'static str,
    /// Does it, or says why not.
    run: fn(&mut Inbox, &str) -> Result<(), String>,
    /// What can follow it, as far as that is known.
    known: fn(&Inbox) -> Vec<String>,
}

/// All commands with arguments.
pub const VERBS: &[Verb] = &[
    Verb { name: "filter", takes: "WORDS", doc: "Filter the list", run: filter_list, known: nothing },
    Verb { name: "view", takes: "NAME", doc: "Show a saved view", run: view, known: views },
    Verb { name: "tab", takes: "NAME or NUMBER", doc: "Go to a tab, or to all", run: tab, known: tabs },
    Verb { name: "sort", takes: "ORDER", doc: "Sort the list", run: sort, known: orders },
    Verb {
        name: "open",
        takes: "NUMBER, ADDRESS, ID or --name NAME",
        doc: "Open a conversation",
        run: open,
        known: nothing,
    },
    Verb {
        name: "draft",
        takes: "",
        doc: "Bring back the text that another window wrote over",
        run: Inbox::fetch_aside,
        known: nothing,
    },
    Verb { name: "search", takes: "WORDS", doc: "Look in everything seen", run: search, known: nothing },
    Verb { name: "find", takes: "WORDS", doc: "Look in this conversation", run: find, known: nothing },
    Verb {
        name: "import",
        takes: "FILE or stop",
        doc: "Import people from a CSV file, after looking it through",
        run: Inbox::import,
        known: nothing,
    },
    Verb {
        name: "connection",
        takes: "add, credential NAME or remove NAME",
        doc: "Connect the business's own system, give it another credential, or remove it",
        run: Inbox::connection_line,
        known: Inbox::connection_view,
    },
    Verb {
        name: "broadcast",
        takes: "everyone, file PATH or track ID",
        doc: "Send to everyone, to those a file names, or watch one of elsewhere",
        run: Inbox::broadcast_line,
        known: broadcasts,
    },
    Verb {
        name: "handover",
        takes: "",
        doc: "Copy what the next shift must know: what broke, what is paused, what is queued",
        run: handover,
        known: nothing,
    },
    Verb {
        name: "pipe",
        takes: "COMMAND",
        doc: "Give the item at hand as JSON to a command",
        run: Inbox::pipe,
        known: nothing,
    },
    Verb {
        name: "setup",
        takes: "",
        doc: "Add a channel key, step by step",
        run: Inbox::set_up,
        known: nothing,
    },
    Verb { name: "tutor", takes: "", doc: "Learn the first keys, in the demo", run: tutor, known: nothing },
    Verb {
        name: "export",
        takes: "md|json|txt|csv [FILE]",
        doc: "Write the conversation into a file, or the report of a broadcast",
        run: export,
        known: formats,
    },
];

/// Lines remembered.
const REMEMBERED: usize = 50;

impl Inbox {
    /// Opens the command line.
    pub(crate) fn open_command_line(&mut self) {
        let kind = LineKind::Command { back: 0, completing: None };
        self.open_layer(Layer::Line(LinePrompt { kind, text: TextLine::default() }));
    }

    /// A key that means something to the command line alone; the line again
    /// unless it is done.
    pub(crate) fn command_line_key(&mut self, mut line: LinePrompt, key: KeyPress) -> Option<LinePrompt> {
        let LineKind::Command { back, completing } = &mut line.kind else { return Some(line) };
        match key.code {
            KeyCode::Enter => {
                let text = line.text.text().trim().to_owned();
                self.say_command(&text);
                return None;
            }
            KeyCode::Up | KeyCode::Down => {
                let older = key.code == KeyCode::Up;
                *back = if older { (*back + 1).min(self.said.len()) } else { back.saturating_sub(1) };
                let text = self.said.len().checked_sub(*back).and_then(|at| self.said.get(at));
                line.text.set(text.filter(|_| *back > 0).cloned().unwrap_or_default());
            }
            KeyCode::Tab | KeyCode::BackTab => {
                let (begun, at) = match completing.take() {
                    Some((begun, at)) => (begun, Some(at)),
                    None => (line.text.text().to_owned(), None),
                };
                let all = self.completions(&begun);
                let count = all.len().max(1);
                let next = match (at, key.code) {
                    (None, KeyCode::Tab) => 0,
                    (None, _) => count - 1,
                    (Some(at), KeyCode::Tab) => (at + 1) % count,
                    (Some(at), _) => (at + count - 1) % count,
                };
                if let Some(text) = all.get(next) {
                    line.text.set(text.clone());
                    *completing = Some((begun, next));
                }
            }
            _ => {
                if line.text.key(key) {
                    *completing = None;
                }
            }
        }
        Some(line)
    }

    /// What a line begun so can become.
    pub fn completions(&self, begun: &str) -> Vec<String> {
        match begun.split_once(' ') {
            None => {
                let verbs = VERBS.iter().map(|it| format!("{} ", it.name));
                let names = TABLE.iter().map(|it| commands::name(it.command));
                let short = ["help", "quit"].map(str::to_owned);
                let mut all: Vec<String> =
                    verbs.chain(short).chain(names).filter(|it| it.starts_with(begun)).collect();
                let mut seen = Vec::new();
                all.retain(|it| {
                    !seen.contains(&it.trim().to_owned()) && {
                        seen.push(it.trim().to_owned());
                        true
                    }
                });
                all
            }
            Some(("filter", rest)) => vec![format!("filter {}", filter::complete(rest))],
            Some((name, rest)) => {
                let Some(verb) = VERBS.iter().find(|it| it.name == name) else { return Vec::new() };
                let lower = rest.to_lowercase();
                let known = (verb.known)(self).into_iter().filter(|it| it.to_lowercase().starts_with(&lower));
                known.map(|it| format!("{name} {it}")).collect()
            }
        }
    }

    /// Does what a line says, or says why not.
    pub(crate) fn say_command(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.said.last().is_none_or(|it| it != text) {
            self.said.push(text.to_owned());
        }
        let over = self.said.len().saturating_sub(REMEMBERED);
        self.said.drain(..over);
        let (name, rest) = text.split_once(' ').map_or((text, ""), |(name, rest)| (name, rest.trim()));
        if let Some(verb) = VERBS.iter().find(|it| it.name == name) {
            self.recorded(RecordedStep::Line(text.to_owned()));
            // What was wrong with the line before is over.
            self.notice = None;
            let done = match rest {
                "" if name != "search" && !verb.takes.is_empty() => {
                    Err(format!("{name} needs {}", verb.takes))
                }
                _ => (verb.run)(self, rest),
            };
            return done.unwrap_or_else(|why| self.warn(why));
        }
        match commands::named(name).filter(|_| rest.is_empty()) {
            Some(command) => match self.why_off(command) {
                Some(reason) => self.warn(format!("{name}: {reason}")),
                None => self.call(command, KeyPress::plain(KeyCode::Enter)),
            },
            None => self.warn(unknown(name, rest)),
        }
    }
}

/// What is near an unknown word.
fn unknown(name: &str, rest: &str) -> String {
    if commands::named(name).is_some() {
        return format!("{name} takes nothing after it, not {rest:?}");
    }
    let names: Vec<String> = TABLE.iter().map(|it| commands::name(it.command)).collect();
    let all: Vec<&str> = VERBS.iter().map(|it| it.name).chain(names.iter().map(String::as_str)).collect();
    let begun = all.iter().find(|it| it.starts_with(name)).copied();
    match begun.or_else(|| nearest(name, &all)) {
        Some(near) => format!("{name} is not a command; did you mean {near}?"),
        None => format!("{name} is not a command; Tab shows those there are"),
    }
}

fn nothing(_: &Inbox) -> Vec<String> {
    Vec::new()
}

fn filter_list(inbox: &mut Inbox, words: &str) -> Result<(), String> {
    inbox.bring_list();
    inbox.list_mut().set_typed(words);
    match filter::parse(words).mistakes.into_iter().next() {
        Some(mistake) => Err(mistake.words),
        None => Ok(()),
    }
}

fn views(inbox: &Inbox) -> Vec<String> {
    inbox.views.iter().map(|it| it.name.clone()).collect()
}

fn view(inbox: &mut Inbox, name: &str) -> Result<(), String> {
    let index = pick("view", name, &views(inbox))?;
    inbox.show_view(index);
    Ok(())
}

fn tabs(inbox: &Inbox) -> Vec<String> {
    inbox.tabs.iter().map(|it| it.channel.name.clone()).chain(["All".to_owned()]).collect()
}

fn tab(inbox: &mut Inbox, name: &str) -> Result<(), String> {
    let number = name.parse().ok().filter(|it| (1..=inbox.tabs.len()).contains(it));
    let index = match number {
        Some(number) => number - 1,
        None => pick("tab", name, &tabs(inbox))?,
    };
    if index == inbox.tabs.len() {
        inbox.go_everywhere()
    } else {
        inbox.go_to_tab(index)
    }
    Ok(())
}

fn orders(_: &Inbox) -> Vec<String> {
    Sort::ALL.iter().map(|(_, word, _)| (*word).to_owned()).collect()
}

fn sort(inbox: &mut Inbox, word: &str) -> Result<(), String> {
    let index = pick("order", word, &orders(inbox))?;
    inbox.sort(Sort::ALL[index].0);
    Ok(())
}

fn open(inbox: &mut Inbox, who: &str) -> Result<(), String> {
    inbox.context.push(Effect::Load(Load::Lookup(Selector::on_screen(who))));
    Ok(())
}

fn broadcasts(_: &Inbox) -> Vec<String> {
    ["everyone", "file ", "track "].map(str::to_owned).to_vec()
}

fn handover(inbox: &mut Inbox, _: &str) -> Result<(), String> {
    inbox.handover()
}

fn tutor(inbox: &mut Inbox, _: &str) -> Result<(), String> {
    inbox.tutor()
}

fn search(inbox: &mut Inbox, words: &str) -> Result<(), String> {
    inbox.open_search(words);
    Ok(())
}

fn find(inbox: &mut Inbox, words: &str) -> Result<(), String> {
    match &inbox.tab().history {
        Some(_) if inbox.is_inbox_shown() => inbox.look_for(words),
        _ => return Err("open a conversation first".to_owned()),
    }
    Ok(())
}

fn formats(_: &Inbox) -> Vec<String> {
    TranscriptFormat::WORDS.iter().map(|(word, _)| (*word).to_owned()).collect()
}

fn export(inbox: &mut Inbox, words: &str) -> Result<(), String> {
    let (word, file) = words.split_once(' ').unwrap_or((words, ""));
    if word == "csv" {
        return inbox.export_csv(file.trim());
    }
    let format = TranscriptFormat::WORDS[pick("format", word, &formats(inbox))?].1;
    let key = inbox.at_hand().map(|it| it.key()).ok_or("no conversation is selected")?;
    let name = inbox.tabs.iter().find(|it| it.channel.id == key.channel);
    let name = name.map(|it| it.channel.name.clone()).unwrap_or_default();
    let file = match file.trim() {
        "" => format!("{}.{word}", file_name(&key.conversation)),
        file => file.to_owned(),
    };
    inbox.context.push(Effect::Export { key, name, format, file });
    Ok(())
}

/// A conversation's id as the name of a file.
fn file_name(id: &model::ids::ConversationId) -> String {
    let plain = |it: char| if it.is_ascii_alphanumeric() || it == '-' || it == '_' { it } else { '_' };
    id.as_str().chars().map(plain).take(60).collect()
}

/// The one of these that is called so, or the only one that begins so.
fn pick(what: &str, name: &str, all: &[String]) -> Result<usize, String> {
    let lower = name.to_lowercase();
    if let Some(index) = all.iter().position(|it| it.to_lowercase() == lower) {
        return Ok(index);
    }
    let mut begun = all.iter().enumerate().filter(|(_, it)| it.to_lowercase().starts_with(&lower));
    match (begun.next(), begun.next()) {
        (Some((index, _)), None) => Ok(index),
        _ => Err(format!("there is no {what} {name:?}; there are {}", all.join(", "))),
    }
}
