//! Pulls the approved templates on request (`listTemplates`).

use crate::ChannelSync;
use crate::health::PolledResource;
use crate::report::{PullError, Pulled};
use model::fetches::FetchResult;
use model::news::News;
use model::unreadable::List;
use store::templates::ToldTemplate;

impl ChannelSync {
    /// Reads the templates (`listTemplates`).
    pub async fn pull_templates(&self) -> Pulled {
        if !self.may_read(PolledResource::Templates) {
            return Pulled::Skipped;
        }
        let result = self.read_templates().await.map(|_| Pulled::Done);
        self.report(PolledResource::Templates, result)
    }

    pub(super) async fn read_templates(&self) -> Result<FetchResult, PullError> {
        let listed = self.client.for_person().templates().await?;
        self.note_unreadable(List::Templates, &listed, true);
        let told = listed.items.into_iter().map(|item| ToldTemplate {
            components: serde_json::Value::Array(item.components).to_string(),
            name: item.name,
            language: item.language,
            category: item.category,
        });
        self.store.apply_templates(self.id(), told.collect(), self.clock.now()).await?;
        self.tell(News::Templates(self.id().clone()));
        Ok(FetchResult::Templates)
    }
}
