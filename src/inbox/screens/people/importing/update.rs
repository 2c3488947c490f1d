//! Begins an import and says how it goes.

use crate::Inbox;
use crate::components::confirm::Confirm;
use crate::conditions;
use crate::context::Context;
use crate::event::{Effect, Load};
use crate::screens::people::People;
use crate::screens::people::importing::{ImportAction, ImportResult, ImportSource, RunningImport, ask};
use model::import::{DryRun, ImportProgress};

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
    let platform = tab.platform().filter(|platform| platform.has_contacts()).cloned();
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
            ask_import(&mut inbox.context, source, *found);
        }
        ImportResult::Failed(_, why) => {
            inbox.people.importing = None;
            inbox.context.warn(format!("the import stopped: {why}"));
        }
        ImportResult::Progress(source, progress) if progress.ended => {
            inbox.people.importing = None;
            inbox.people.rows.mark_stale();
            inbox.context.say(format!("imported: {} · {}.results.csv", progress.describe(), source.name()));
        }
        ImportResult::Progress(source, progress) => {
            let before = inbox.people.importing.replace(RunningImport { source, progress: progress.clone() });
            let was_stopped = before.is_some_and(|running_import| running_import.progress.stopped.is_some());
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

fn ask_import(context: &mut Context, source: ImportSource, found: DryRun) {
    let words = if found.valid > found.done { "IMPORT" } else { "" };
    let question = Confirm::new("Import these people?", ask(&source, &found));
    let question = question
        .answer('y', words, move |inbox| inbox.people.start_import(source, &found, &mut inbox.context));
    context.open(question.no(if words.is_empty() { "back" } else { "not" }));
}

impl People {
    /// The import was agreed to.
    fn start_import(&mut self, source: ImportSource, found: &DryRun, context: &mut Context) {
        if found.valid == 0 {
            return context.warn("there is nothing in it that could be imported");
        }
        let progress = ImportProgress { rows: found.rows, done: found.done, ..ImportProgress::default() };
        self.importing = Some(RunningImport { source: source.clone(), progress });
        context.push(Effect::Import(ImportAction::Start(source)));
        context.say("importing; it goes on while you work, :import stop stops it");
    }
}
