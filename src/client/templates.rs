use crate::ListPage;
use crate::connect::Client;
use crate::errors::ReadError;
use crate::pages::read_page;
use crate::prepare::{PrepareError, json};
use api::fields::JsonObjects;
use api::paths;
use api::templates::{SubmitTemplate, TemplateBody, TemplateCategory, read_not_approved};
use model::outbox::{PreparedRequest, WriteMethod};
use model::templates::{NewTemplate, NewTemplateCategory};

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

/// `POST /desk/v1/templates`
pub(crate) fn prepare_submission(new: &NewTemplate) -> Result<PreparedRequest, PrepareError> {
    let shape = PrepareError::NotJson { what: "the template's components", shape: "a JSON array" };
    let components = JsonObjects::from_text(&new.components.0).ok_or(shape)?;
    if components.to_values().is_empty() {
        return Err(PrepareError::Empty("the template"));
    }
    let category = match new.category {
        NewTemplateCategory::Utility => TemplateCategory::Utility,
        NewTemplateCategory::Marketing => TemplateCategory::Marketing,
        NewTemplateCategory::Authentication => TemplateCategory::Authentication,
    };
    let (name, language) = (new.name.as_str().into(), new.language.as_str().into());
    json(WriteMethod::Post, paths::DESK_TEMPLATES, &SubmitTemplate { name, language, category, components })
}
