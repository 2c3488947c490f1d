//! Due tasks on a shared database: sequential within a workspace, concurrent across workspaces.

use futures_util::stream::{self, StreamExt, TryStreamExt};

use crate::assistant::{Answer, Turn};
use crate::database::due::{self, Due, Happens};
use crate::database::session::WriteScope;
use crate::errors::ApiError;
use crate::state::Service;
use crate::world::{Kind, TOGETHER, one, thought};
use model::time::Clock;

/// Maximum number of tasks read per round.
const ROUND: i64 = 512;
/// Maximum number of workspaces processed concurrently.
const BESIDE: usize = 8;

/// Processes a round of due tasks, except the kind `aside`. Returns false if none was due.
pub async fn happen(service: &Service, aside: &'static str, happens: Happens) -> Result<bool, ApiError> {
    let now = service.clock.now();
    let ready: Vec<(Due, Option<String>)> =
        service.database.read(move |db| due::ready(db, aside, happens, now, ROUND)).await?;
    if ready.is_empty() {
        return Ok(false);
    }
    let groups = stream::iter(by_workspace(ready)).map(Ok::<_, ApiError>);
    let done = groups.map_ok(|(scope, group)| in_workspace(service, scope, group));
    done.try_buffer_unordered(BESIDE).try_collect::<Vec<()>>().await?;
    Ok(true)
}

/// Groups tasks by workspace, in order, up to the next answer of the assistant, which has to come first in
/// its group.
fn by_workspace(ready: Vec<(Due, Option<String>)>) -> Vec<(WriteScope, Vec<Due>)> {
    let mut groups: Vec<(WriteScope, Vec<Due>, bool)> = Vec::new();
    for (due, workspace) in ready {
        let scope = WriteScope::of(workspace);
        let Some((_, group, is_full)) = groups.iter_mut().find(|group| group.0 == scope) else {
            groups.push((scope, vec![due], false));
            continue;
        };
        *is_full |= due.kind == Kind::Answer.word();
        if !*is_full {
            group.push(due);
        }
    }
    groups.into_iter().map(|(scope, group, _)| (scope, group)).collect()
}

/// Processes tasks, [`TOGETHER`] per transaction.
async fn in_workspace(service: &Service, scope: WriteScope, group: Vec<Due>) -> Result<(), ApiError> {
    let Some(first) = group.first() else { return Ok(()) };
    let mut answer: Option<(Turn, Answer)> = thought(service, first).await?;
    let mut rest = group.into_iter();
    loop {
        let together: Vec<Due> = rest.by_ref().take(TOGETHER).collect();
        if together.is_empty() {
            return Ok(());
        }
        let (state, mut answer) = (service.clone(), answer.take());
        let goes_on = service.database.write_leading(scope.clone(), move |db| {
            let newest = due::newest(db)?;
            for it in together {
                one(db, &state, &it, answer.take())?;
                // A task that it added and that is due already comes before those read earlier.
                if adds(&it) && due::any_since(db, newest, state.clock.now())? {
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

/// Returns true if the task may add further tasks.
fn adds(due: &Due) -> bool {
    let ends = [Kind::Delivered, Kind::Read, Kind::Failed, Kind::Opened, Kind::Bounced];
    !ends.iter().any(|end| end.word() == due.kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::time::Timestamp;

    #[test]
    fn each_workspace_has_its_own_order() {
        let due = |seq: i64, kind: Kind, workspace: Option<&str>| {
            let due = Due {
                seq,
                at: Timestamp::from_micros(seq),
                kind: kind.word().to_owned(),
                subject: String::new(),
                data: String::new(),
            };
            (due, workspace.map(str::to_owned))
        };
        let ready = vec![
            due(1, Kind::Read, Some("a")),
            due(2, Kind::Answer, Some("b")),
            due(3, Kind::Read, Some("b")),
            due(4, Kind::Live, None),
            due(5, Kind::Answer, Some("a")),
            due(6, Kind::Read, Some("a")),
        ];
        let told: Vec<(WriteScope, Vec<i64>)> = by_workspace(ready)
            .into_iter()
            .map(|(scope, group)| (scope, group.into_iter().map(|due| due.seq).collect()))
            .collect();
        let at = |text: &str| WriteScope::Workspace(text.to_owned());
        assert_eq!(told, [(at("a"), vec![1]), (at("b"), vec![2, 3]), (WriteScope::Everything, vec![4])]);
    }
}
