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

#[cfg(test)]
mod tests {
    use super::*;
    use model::outbox::content::Json;
    use serde_json::{Value, json};

    #[test]
    fn submission_names_the_template_and_holds_its_parts() {
        let new = NewTemplate::of_text("order_late", "en", NewTemplateCategory::Marketing, "It is \"late\".");
        let request = prepare_submission(&new).expect("a request");
        assert_eq!((request.method, request.path.as_str()), (WriteMethod::Post, "/desk/v1/templates"));
        let body: Value = serde_json::from_slice(&request.body).expect("JSON");
        let components = json!([{"type": "BODY", "text": "It is \"late\"."}]);
        let wanted = json!({"name": "order_late", "language": "en", "category": "MARKETING", "components": components});
        assert_eq!(body, wanted);
        for wrong in ["", "{}", "[]"] {
            let new = NewTemplate { components: Json(wrong.to_owned()), ..new.clone() };
            assert!(prepare_submission(&new).is_err(), "{wrong}");
        }
    }
}
