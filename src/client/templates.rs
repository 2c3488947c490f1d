use crate::ListPage;
use crate::connect::Client;
use crate::errors::ReadError;
use crate::pages::read_page;
use api::paths;
use api::templates::{TemplateBody, read_not_approved};

#[derive(Debug, Clone, PartialEq)]
pub struct ListedTemplates {
    pub approved: ListPage<TemplateBody>,
    /// Templates that cannot be sent; empty if the server does not list them.
    pub not_approved: Vec<TemplateBody>,
}

impl Client {
    /// `GET /templates`: the approved templates and, where the server has the extension, the others.
    pub async fn templates(&self) -> Result<ListedTemplates, ReadError> {
        let answer = self.get(paths::TEMPLATES, &[]).await?;
        let approved = read_page(&answer, |raw| serde_json::from_str(raw.get()).ok())?;
        Ok(ListedTemplates { approved, not_approved: read_not_approved(&answer.body) })
    }
}
