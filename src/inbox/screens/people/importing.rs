//! Importing people from a file: looked through, asked about, then followed
//! while it goes on.

use crate::Inbox;
use crate::availability;
use crate::event::{Effect, Load};
use crate::overlays::Layer;
use model::account::Platform;
use model::ids::ChannelId;
use model::import::{DryRun, ImportProgress};

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

impl Inbox {
    /// `:import FILE`
    pub(crate) fn import(&mut self, file: &str) -> Result<(), String> {
        if file == "stop" {
            return match self.importing.take() {
                None => Err("nothing is being imported".to_owned()),
                Some(running) => {
                    self.context.push(Effect::Import(ImportAction::Stop));
                    self.say(format!("stopped; :import {} goes on with it", running.source.name()));
                    Ok(())
                }
            };
        }
        let tab = self.tab();
        availability::tab_writable(tab)?;
        let platform = tab.platform().filter(|it| it.has_contacts()).cloned();
        let platform = platform.ok_or("people are imported into a business chat tab")?;
        if let Some(running) = &self.importing {
            return Err(format!("{} is being imported; :import stop stops it", running.source.name()));
        }
        let source = ImportSource { channel: tab.channel.id.clone(), platform, file: file.to_owned() };
        self.say("looking the file through");
        self.context.push(Effect::Import(ImportAction::Check(source)));
        Ok(())
    }

    /// Something was told of an import.
    pub(crate) fn import_told(&mut self, told: ImportResult) {
        if let ImportResult::Progress(source, _) = &told {
            // What was refused and noted asks no more.
            self.rows_changed();
            self.context.push(Effect::Load(Load::Counts(source.channel.clone())));
        }
        match told {
            ImportResult::Checked(_, Err(why)) => self.warn(format!("import: {why}")),
            ImportResult::Checked(source, Ok(found)) => {
                self.notice = None;
                self.open_layer(Layer::AskImport { source, found });
            }
            ImportResult::Failed(_, why) => {
                self.importing = None;
                self.warn(format!("the import stopped: {why}"));
            }
            ImportResult::Progress(source, progress) if progress.ended => {
                self.importing = None;
                self.people.rows.mark_stale();
                self.say(format!("imported: {} · {}.results.csv", progress.words(), source.name()));
            }
            ImportResult::Progress(source, progress) => {
                let before = self.importing.replace(RunningImport { source, progress: progress.clone() });
                let was_stopped = before.is_some_and(|it| it.progress.stopped.is_some());
                if let Some(why) = progress.stopped.filter(|_| !was_stopped) {
                    self.warn(
                        self.keyed(&format!("the import waits for you: {why} · {{go-to-outbox}} decides")),
                    );
                }
            }
        }
    }

    /// The import was agreed to.
    pub(crate) fn start_import(&mut self, source: ImportSource, found: &DryRun) {
        if found.good == 0 {
            return self.warn("there is nothing in it that could be imported");
        }
        let progress = ImportProgress { rows: found.rows, done: found.done, ..ImportProgress::default() };
        self.importing = Some(RunningImport { source: source.clone(), progress });
        self.context.push(Effect::Import(ImportAction::Start(source)));
        self.say("importing; it goes on while you work, :import stop stops it");
    }
}
