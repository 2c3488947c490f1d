//! Due tasks on a shared database: sequential within a workspace, concurrent across workspaces.

use futures_util::stream::{self, StreamExt, TryStreamExt};

use crate::assistant::{Answer, ChatTranscript};
use crate::database::due::{self, DueFilter, DueJob};
use crate::database::session::WriteScope;
use crate::errors::ApiError;
use crate::state::Service;
use crate::world::{JobKind, MAX_JOBS_PER_TRANSACTION, request_answer, run_job};
use model::time::Clock;

const JOBS_PER_ROUND: i64 = 512;
const MAX_CONCURRENT_WORKSPACES: usize = 8;

/// Processes a round of due tasks, except the kind `aside`. Returns false if none was due.
pub async fn run_due(service: &Service, aside: &'static str, happens: DueFilter) -> Result<bool, ApiError> {
    let now = service.clock.now();
    let ready: Vec<(DueJob, Option<String>)> =
        service.database.read(move |db| due::list_ready(db, aside, happens, now, JOBS_PER_ROUND)).await?;
    if ready.is_empty() {
        return Ok(false);
    }
    let groups = stream::iter(group_by_workspace(ready)).map(Ok::<_, ApiError>);
    let done = groups.map_ok(|(scope, group)| run_in_workspace(service, scope, group));
    done.try_buffer_unordered(MAX_CONCURRENT_WORKSPACES).try_collect::<Vec<()>>().await?;
    Ok(true)
}

/// Groups tasks by workspace, in order, up to the next answer of the assistant, which has to come first in
/// its group.
fn group_by_workspace(ready: Vec<(DueJob, Option<String>)>) -> Vec<(WriteScope, Vec<DueJob>)> {
    let mut groups: Vec<(WriteScope, Vec<DueJob>, bool)> = Vec::new();
    for (due, workspace) in ready {
        let scope = WriteScope::of(workspace);
        let Some((_, group, is_full)) = groups.iter_mut().find(|group| group.0 == scope) else {
            groups.push((scope, vec![due], false));
            continue;
        };
        *is_full |= due.kind == JobKind::Answer.word();
        if !*is_full {
            group.push(due);
        }
    }
    groups.into_iter().map(|(scope, group, _)| (scope, group)).collect()
}

/// Processes tasks, [`MAX_JOBS_PER_TRANSACTION`] per transaction.
async fn run_in_workspace(service: &Service, scope: WriteScope, group: Vec<DueJob>) -> Result<(), ApiError> {
    let Some(first) = group.first() else { return Ok(()) };
    let mut answer: Option<(ChatTranscript, Answer)> = request_answer(service, first).await?;
    let mut rest = group.into_iter();
    loop {
        let together: Vec<DueJob> = rest.by_ref().take(MAX_JOBS_PER_TRANSACTION).collect();
        if together.is_empty() {
            return Ok(());
        }
        let (state, mut answer) = (service.clone(), answer.take());
        let goes_on = service.database.write_as_leader(scope.clone(), move |db| {
            let newest = due::newest_seq(db)?;
            for job in together {
                run_job(db, &state, &job, answer.take())?;
                // A task that it added and that is due already comes before those read earlier.
                if adds_jobs(&job) && due::has_due_since(db, newest, state.clock.now())? {
                    return Ok(false);
                }
            }
            Ok::<_, ApiError>(true)
        });
        if !goes_on.await? {
            return Ok(());
        }
    }
}

fn adds_jobs(due: &DueJob) -> bool {
    let ends = [JobKind::Delivered, JobKind::Read, JobKind::Failed, JobKind::Opened, JobKind::Bounced];
    !ends.iter().any(|end| end.word() == due.kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::time::Timestamp;

    #[test]
    fn each_workspace_has_its_own_order() {
        let due = |seq: i64, kind: JobKind, workspace: Option<&str>| {
            let due = DueJob {
                seq,
                at: Timestamp::from_micros(seq),
                kind: kind.word().to_owned(),
                subject: String::new(),
                data: String::new(),
            };
            (due, workspace.map(str::to_owned))
        };
        let ready = vec![
            due(1, JobKind::Read, Some("a")),
            due(2, JobKind::Answer, Some("b")),
            due(3, JobKind::Read, Some("b")),
            due(4, JobKind::Live, None),
            due(5, JobKind::Answer, Some("a")),
            due(6, JobKind::Read, Some("a")),
        ];
        let told: Vec<(WriteScope, Vec<i64>)> = group_by_workspace(ready)
            .into_iter()
            .map(|(scope, group)| (scope, group.into_iter().map(|due| due.seq).collect()))
            .collect();
        let at = |text: &str| WriteScope::Workspace(text.to_owned());
        assert_eq!(told, [(at("a"), vec![1]), (at("b"), vec![2, 3]), (WriteScope::Everything, vec![4])]);
    }
}
