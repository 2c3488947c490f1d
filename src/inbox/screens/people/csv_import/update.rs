//! Starts an import and reports its progress.

use crate::Inbox;
use crate::components::confirm::Confirm;
use crate::conditions;
use crate::context::Context;
use crate::event::{Effect, Load};
use crate::screens::people::People;
use crate::screens::people::csv_import::{
    ImportAction, ImportResult, ImportSource, RunningImport, confirmation_lines,
};
use model::import::{DryRun, ImportProgress};

/// `:import FILE`
pub(crate) fn import(inbox: &mut Inbox, file: &str) -> Result<(), String> {
    if file == "stop" {
        return match inbox.people.importing.take() {
            None => Err("nothing is being imported".to_owned()),
            Some(running) => {
                inbox.context.push(Effect::Import(ImportAction::Stop));
                inbox.context.show_notice(format!("stopped; :import {} continues", running.source.name()));
                Ok(())
            }
        };
    }
    let tab = inbox.desk.tab();
    conditions::check_tab_writable(tab)?;
    let platform = tab.platform().filter(|platform| platform.has_contacts()).cloned();
    let platform = platform.ok_or("importing people needs a business chat channel")?;
    if let Some(running) = &inbox.people.importing {
        return Err(format!("{} is being imported; :import stop stops it", running.source.name()));
    }
    let source = ImportSource { channel: tab.channel.id.clone(), platform, file: file.to_owned() };
    inbox.context.show_notice("checking the file");
    inbox.context.push(Effect::Import(ImportAction::Check(source)));
    Ok(())
}

pub(crate) fn receive_import_result(inbox: &mut Inbox, told: ImportResult) {
    if let ImportResult::Progress(source, _) = &told {
        // A refused row of an import is recorded and waits for no decision.
        inbox.rows_changed();
        inbox.context.push(Effect::Load(Load::Counts(source.channel.clone())));
    }
    match told {
        ImportResult::Checked(_, Err(why)) => inbox.context.show_warning(format!("import: {why}")),
        ImportResult::Checked(source, Ok(found)) => {
            inbox.context.notice = None;
            ask_import(&mut inbox.context, source, *found);
        }
        ImportResult::Failed(_, why) => {
            inbox.people.importing = None;
            inbox.context.show_warning(format!("the import stopped: {why}"));
        }
        ImportResult::Progress(source, progress) if progress.ended => {
            inbox.people.importing = None;
            inbox.people.rows.mark_stale();
            inbox.context.show_notice(format!(
                "imported: {} · {}.results.csv",
                progress.describe(),
                source.name()
            ));
        }
        ImportResult::Progress(source, progress) => {
            let before = inbox.people.importing.replace(RunningImport { source, progress: progress.clone() });
            let was_stopped = before.is_some_and(|running_import| running_import.progress.stopped.is_some());
            if let Some(why) = progress.stopped.filter(|_| !was_stopped) {
                inbox.context.show_warning(
                    inbox.context.fill_in_keys(&format!(
                        "the import needs a decision: {why} · {{go-to-outbox}} outbox"
                    )),
                );
            }
        }
    }
}

fn ask_import(context: &mut Context, source: ImportSource, found: DryRun) {
    let words = if found.valid > found.done { "IMPORT" } else { "" };
    let question = Confirm::new("Import these people?", confirmation_lines(&source, &found));
    let question = question
        .answer('y', words, move |inbox| inbox.people.start_import(source, &found, &mut inbox.context));
    context.open(question.no(if words.is_empty() { "back" } else { "not" }));
}

impl People {
    fn start_import(&mut self, source: ImportSource, found: &DryRun, context: &mut Context) {
        if found.valid == 0 {
            return context.show_warning("no line of the file can be imported");
        }
        let progress = ImportProgress { rows: found.rows, done: found.done, ..ImportProgress::default() };
        self.importing = Some(RunningImport { source: source.clone(), progress });
        context.push(Effect::Import(ImportAction::Start(source)));
        context.show_notice("importing in the background; :import stop stops it");
    }
}
