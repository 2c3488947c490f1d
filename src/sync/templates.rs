//! Pulls the templates on request (`listTemplates`).

use crate::ChannelSync;
use crate::health::PolledResource;
use crate::report::{PullError, PullOutcome};
use client::TemplateBody;
use model::fetches::FetchResult;
use model::news::News;
use model::unreadable::UnreadableList;
use store::templates::ReceivedTemplate;

impl ChannelSync {
    pub async fn pull_templates(&self) -> PullOutcome {
        if !self.may_read(PolledResource::Templates) {
            return PullOutcome::Skipped;
        }
        let result = self.read_templates().await.map(|_| PullOutcome::Done);
        self.report(PolledResource::Templates, result)
    }

    pub(super) async fn read_templates(&self) -> Result<FetchResult, PullError> {
        let listed = self.client.for_person().templates().await?;
        self.record_unreadable(UnreadableList::Templates, &listed.approved, true);
        let received = |item: TemplateBody, status: Option<String>| ReceivedTemplate {
            components: serde_json::Value::Array(item.components).to_string(),
            name: item.name,
            language: item.language,
            category: item.category,
            status,
            reason: item.rejected_reason,
        };
        let approved = listed.approved.items.into_iter().map(|item| received(item, None));
        let others = listed.not_approved.into_iter().map(|item| {
            let status = item.status.clone();
            received(item, Some(status))
        });
        let all = approved.chain(others).collect();
        self.store.apply_templates(self.id(), all, self.clock.now()).await?;
        self.publish(News::Templates(self.id().clone()));
        Ok(FetchResult::Templates)
    }
}
