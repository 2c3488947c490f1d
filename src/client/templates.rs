use crate::ListPage;
use crate::connect::Client;
use crate::errors::ReadError;
use crate::pages::read_page;
use api::paths;
use api::templates::TemplateBody;

impl Client {
    /// `GET /templates`: the approved templates.
    pub async fn templates(&self) -> Result<ListPage<TemplateBody>, ReadError> {
        let answer = self.get(paths::TEMPLATES, &[]).await?;
        read_page(&answer, |raw| serde_json::from_str(raw.get()).ok())
    }
}
