//! Importing people from a file: looked through, asked about, then followed
//! while it goes on.

use crate::Inbox;
use crate::components::confirm::Confirm;
use crate::components::dialog::DialogLine;
use crate::conditions;
use crate::context::Context;
use crate::event::{Effect, Load};
use crate::screens::people::People;
use model::account::Platform;
use model::ids::ChannelId;
use model::import::{DryRun, ImportProgress};
use model::text::SafeText;

/// Problems shown.
const SHOWN: usize = 5;

/// What is to be done with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportAction {
    /// Look it through; answered by [`ImportResult::Checked`].
    Check(ImportSource),
    /// Import it; answered by [`ImportResult::Progress`] now and then.
    Start(ImportSource),
    /// Stop the one under way; what is queued leaves all the same.
    Stop,
}

/// A file and whose people it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportSource {
    /// The tab.
    pub channel: ChannelId,
    /// What it drives.
    pub platform: Platform,
    /// The path as it was typed.
    pub file: String,
}

/// What is told of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportResult {
    /// What a file holds, or why it cannot be read.
    Checked(ImportSource, Result<Box<DryRun>, String>),
    /// How far one is.
    Progress(ImportSource, ImportProgress),
    /// One has ended with a failure of files.
    Failed(ImportSource, String),
}

/// An import as it is followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningImport {
    /// The file.
    pub source: ImportSource,
    /// How far it is.
    pub progress: ImportProgress,
}

impl ImportSource {
    /// The file's name without its folders.
    pub fn name(&self) -> &str {
        self.file.rsplit(['/', '\\']).next().unwrap_or(&self.file)
    }
}

/// `:import FILE`
pub(crate) fn import(inbox: &mut Inbox, file: &str) -> Result<(), String> {
    if file == "stop" {
        return match inbox.people.importing.take() {
            None => Err("nothing is being imported".to_owned()),
            Some(running) => {
                inbox.context.push(Effect::Import(ImportAction::Stop));
                inbox.context.say(format!("stopped; :import {} goes on with it", running.source.name()));
                Ok(())
            }
        };
    }
    let tab = inbox.desk.tab();
    conditions::tab_writable(tab)?;
    let platform = tab.platform().filter(|it| it.has_contacts()).cloned();
    let platform = platform.ok_or("people are imported into a business chat tab")?;
    if let Some(running) = &inbox.people.importing {
        return Err(format!("{} is being imported; :import stop stops it", running.source.name()));
    }
    let source = ImportSource { channel: tab.channel.id.clone(), platform, file: file.to_owned() };
    inbox.context.say("looking the file through");
    inbox.context.push(Effect::Import(ImportAction::Check(source)));
    Ok(())
}

/// Something was told of an import.
pub(crate) fn import_told(inbox: &mut Inbox, told: ImportResult) {
    if let ImportResult::Progress(source, _) = &told {
        // What was refused and noted asks no more.
        inbox.rows_changed();
        inbox.context.push(Effect::Load(Load::Counts(source.channel.clone())));
    }
    match told {
        ImportResult::Checked(_, Err(why)) => inbox.context.warn(format!("import: {why}")),
        ImportResult::Checked(source, Ok(found)) => {
            inbox.context.notice = None;
            inbox.context.ask_import(source, *found);
        }
        ImportResult::Failed(_, why) => {
            inbox.people.importing = None;
            inbox.context.warn(format!("the import stopped: {why}"));
        }
        ImportResult::Progress(source, progress) if progress.ended => {
            inbox.people.importing = None;
            inbox.people.rows.mark_stale();
            inbox.context.say(format!("imported: {} · {}.results.csv", progress.words(), source.name()));
        }
        ImportResult::Progress(source, progress) => {
            let before = inbox.people.importing.replace(RunningImport { source, progress: progress.clone() });
            let was_stopped = before.is_some_and(|it| it.progress.stopped.is_some());
            if let Some(why) = progress.stopped.filter(|_| !was_stopped) {
                inbox.context.warn(
                    inbox
                        .context
                        .keyed(&format!("the import waits for you: {why} · {{go-to-outbox}} decides")),
                );
            }
        }
    }
}

impl Context {
    fn ask_import(&mut self, source: ImportSource, found: DryRun) {
        let words = if found.good > found.done { "IMPORT" } else { "" };
        let question = Confirm::new("Import these people?", ask(&source, &found));
        let question = question
            .answer('y', words, move |inbox| inbox.people.start_import(source, &found, &mut inbox.context));
        self.open(question.no(if words.is_empty() { "back" } else { "not" }));
    }
}

impl People {
    /// The import was agreed to.
    fn start_import(&mut self, source: ImportSource, found: &DryRun, context: &mut Context) {
        if found.good == 0 {
            return context.warn("there is nothing in it that could be imported");
        }
        let progress = ImportProgress { rows: found.rows, done: found.done, ..ImportProgress::default() };
        self.importing = Some(RunningImport { source: source.clone(), progress });
        context.push(Effect::Import(ImportAction::Start(source)));
        context.say("importing; it goes on while you work, :import stop stops it");
    }
}

/// What was found in a file.
fn ask(source: &ImportSource, found: &DryRun) -> Vec<DialogLine> {
    let mut lines = vec![
        DialogLine::strong(SafeText::line(&source.file).to_string()),
        DialogLine::plain(format!("Columns: {}", SafeText::line(&found.columns))),
        DialogLine::gap(),
    ];
    let counts = [
        (found.good, "to be imported"),
        (found.twice, "with a number that stands further up: left out"),
        (found.bad, "wrong: left out"),
        (found.done, "seen to by an earlier import: not done again"),
    ];
    lines.push(DialogLine::plain(format!("{} rows", found.rows)));
    for (count, words) in counts.into_iter().filter(|it| it.0 > 0) {
        lines.push(DialogLine::plain(format!("{count:>8}  {words}")));
    }
    for problem in found.problems.iter().take(SHOWN) {
        lines.push(DialogLine::error(problem.words()));
    }
    if found.bad > SHOWN.min(found.problems.len()) as u64 {
        let more = found.bad - SHOWN.min(found.problems.len()) as u64;
        lines.push(DialogLine::dim(format!("… and {more} more; the results name each")));
    }
    lines.push(DialogLine::gap());
    let merges = if found.merges { "Tags and metadata are merged with what the server has. " } else { "" };
    let minutes = match found.minutes() {
        0 | 1 => "about a minute".to_owned(),
        minutes if minutes < 120 => format!("about {minutes} minutes"),
        minutes => format!("about {} hours", minutes / 60),
    };
    lines.push(DialogLine::plain(format!(
        "{merges}It takes {minutes} within the rate limit, free of charge. The results stand beside the file; after a \
         crash the same command goes on behind them."
    )));
    lines
}
