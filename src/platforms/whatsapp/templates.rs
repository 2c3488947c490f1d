//! The account's templates: the list, submission for review, deletion, and reports about reviews.
//!
//! A template belongs to the account and is the same for all of its numbers. The platform knows it by
//! name and language; only its id names one language in a deletion.

use hyper::Method;
use serde_json::{Value, json};
use url::form_urlencoded::byte_serialize;

use crate::contract::{PlatformError, Template, TemplateReport};
use crate::web;
use crate::whatsapp::NumberPlatform;
use crate::whatsapp::asking::platform_error;
use crate::words::read_text;
use model::text::SafeText;
use net::guard::{FetchError, Request};

const PAGE_SIZE: usize = 100;
const MAX_PAGES: usize = 20;
/// Webhook field of reports about reviews.
const REPORT_FIELD: &str = "message_template_status_update";
/// Events of reports that are the status of a template; others announce a change of it.
const STATUS_EVENTS: [&str; 7] =
    ["APPROVED", "PENDING", "REJECTED", "PAUSED", "DISABLED", "IN_APPEAL", "PENDING_DELETION"];
/// Word for a missing reason.
const NO_REASON: &str = "NONE";

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SubmissionError {
    /// The platform does not have it; with the remedy.
    #[error("{0}")]
    Refused(String),
    /// The platform may have it.
    #[error("{0}")]
    Unknown(String),
}

/// Template as the platform has accepted it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubmittedTemplate {
    /// Platform's id.
    pub id: String,
    pub template: Template,
}

impl NumberPlatform {
    pub(super) async fn list_templates(&self) -> Result<Vec<Template>, PlatformError> {
        let fields = "name,language,category,status,components,rejected_reason";
        let first = format!("{}/message_templates?fields={fields}&limit={PAGE_SIZE}", self.settings.account);
        Ok(self.read_list(first).await?.iter().filter_map(read_template).collect())
    }

    /// Reads all pages of a list.
    async fn read_list(&self, first: String) -> Result<Vec<Value>, PlatformError> {
        let mut path = first.clone();
        let mut all = Vec::new();
        for _ in 0..MAX_PAGES {
            let mut told = self.call_idempotent(&path, Request::get()).await?;
            let Value::Array(data) = told["data"].take() else {
                return Err(PlatformError::transient("the platform did not return the account's templates"));
            };
            all.extend(data);
            match told["paging"]["cursors"]["after"].as_str() {
                Some(after) if told["paging"]["next"].is_string() => {
                    path = format!("{first}&after={}", escape(after));
                }
                _ => return Ok(all),
            }
        }
        // A partial list would make the caller delete the missing templates.
        Err(PlatformError::transient("the account has more templates than can be read"))
    }

    /// Submits a template for review. Status and category of the result are the platform's.
    ///
    /// # Errors
    /// With the platform's explanation, or if it is not known whether the platform has the template.
    pub async fn submit_template(&self, template: &Template) -> Result<SubmittedTemplate, SubmissionError> {
        let refused = |why: String| SubmissionError::Refused(why);
        let request = build_submission(template).map_err(refused)?;
        let path = format!("{}/message_templates", self.settings.account);
        let answer = match self.call(&path, request).await {
            Ok(answer) => answer,
            Err(why @ (FetchError::Unreachable(_) | FetchError::Tls | FetchError::Url(_))) => {
                return Err(refused(PlatformError::from(why).why));
            }
            Err(why) => return Err(unknown_outcome(&format!("the platform did not answer: {why}"))),
        };
        let told = web::json_body(&answer);
        match (answer.status, read_text(&told["id"])) {
            (200, Some(id)) => {
                let word =
                    |name: &str, usual: &str| read_text(&told[name]).unwrap_or_else(|| usual.to_owned());
                let template = Template {
                    category: word("category", &template.category),
                    status: word("status", "PENDING"),
                    ..template.clone()
                };
                Ok(SubmittedTemplate { id, template })
            }
            (200, None) => Err(unknown_outcome("the platform accepted the template but returned no id")),
            (400..=499, _) => Err(refused(describe_refusal(answer.status, &told["error"]))),
            (status, _) => Err(unknown_outcome(&format!("the platform answered {status}"))),
        }
    }

    /// Deletes a template in one language; false if the platform does not have it.
    pub async fn delete_template(&self, name: &str, language: &str) -> Result<bool, PlatformError> {
        let (account, escaped) = (&self.settings.account, escape(name));
        let path =
            format!("{account}/message_templates?fields=id,name,language&limit={PAGE_SIZE}&name={escaped}");
        let all = self.read_list(path).await?;
        // The platform finds names that contain the text.
        let found = all.iter().find(|told| told["name"] == name && told["language"] == language);
        let Some(id) = found.and_then(|told| read_text(&told["id"])) else { return Ok(false) };
        // Without the id it would delete every language.
        let path = format!("{account}/message_templates?hsm_id={}&name={escaped}", escape(&id));
        let answer = self.call(&path, Request::new(Method::DELETE, "")).await?;
        let error = &web::json_body(&answer)["error"];
        match (answer.status, error["code"].as_i64(), error["error_subcode"].as_i64()) {
            (200, ..) => Ok(true),
            (_, Some(100), subcode) if subcode != Some(33) => Err(PlatformError::needs_person(format!(
                "the platform refused to delete the template: {}",
                explanation(error)
            ))),
            (status, ..) => Err(platform_error(status, error)),
        }
    }
}

fn escape(text: &str) -> String {
    byte_serialize(text.as_bytes()).collect()
}

fn unknown_outcome(what: &str) -> SubmissionError {
    SubmissionError::Unknown(format!(
        "{what}; it may have the template: `admin template list` shows it once the service has read the \
         account's templates, and a second submission is refused if it is there"
    ))
}

fn build_submission(template: &Template) -> Result<Request, String> {
    let components: Value = serde_json::from_str(&template.components)
        .map_err(|why| format!("the components are not JSON: {why}"))?;
    let mut body = json!({
        "name": template.name, "language": template.language, "category": template.category,
        "components": components,
    });
    if has_named_variables(&components) {
        body["parameter_format"] = "named".into();
    }
    web::json_request(&body).map_err(|why| why.to_string())
}

/// Returns true if a text has a variable with a name instead of a number.
fn has_named_variables(components: &Value) -> bool {
    let mut texts = components.as_array().into_iter().flatten().filter_map(|part| part["text"].as_str());
    texts.any(|text| {
        let variables = text.split("{{").skip(1).filter_map(|rest| rest.split_once("}}"));
        variables
            .into_iter()
            .any(|(name, _)| name.trim().starts_with(|first: char| first.is_ascii_lowercase()))
    })
}

/// Describes a refusal: what the platform says and what to do.
fn describe_refusal(status: u16, error: &Value) -> String {
    let remedy = match (error["code"].as_i64(), error["error_subcode"].as_i64()) {
        (_, Some(2_388_024)) => {
            "the account already has this template in this language; remove it with `admin template \
             remove`, or choose another name"
        }
        (_, Some(2_388_023)) => {
            "a template of this name is being deleted, after which the name is blocked for 30 days; choose \
             another name"
        }
        (_, Some(2_388_019)) => "the account has reached its maximum number of templates; remove some",
        (_, Some(2_388_040)) => "shorten the part that the platform names",
        (_, Some(2_388_047)) => "correct the HEADER component",
        (_, Some(2_388_072)) => "correct the BODY component",
        (_, Some(2_388_073)) => "correct the FOOTER component, which takes no variables",
        (_, Some(2_388_293)) => "use fewer variables, or more words around them",
        (_, Some(2_388_299)) => "put words before the first and after the last variable",
        (Some(368), _) => "the platform has restricted the account; its console shows why",
        (Some(100), Some(33)) => return platform_error(status, error).why,
        (Some(100 | 192), _) => "correct the name, the language, the category or the components",
        _ => return platform_error(status, error).why,
    };
    format!("the platform refused the template: {}; {remedy}", explanation(error))
}

/// Explanation in the platform's words, without the full stop.
fn explanation(error: &Value) -> String {
    let places = [&error["error_user_msg"], &error["error_data"]["details"], &error["message"]];
    let said = places.into_iter().find_map(read_text);
    let said = join_words([read_text(&error["error_user_title"]), said], ": ");
    let said = SafeText::line(said.as_deref().unwrap_or("it gave no reason"));
    said.as_str().trim_end_matches('.').to_owned()
}

fn join_words(parts: [Option<String>; 2], between: &str) -> Option<String> {
    let words: Vec<String> = parts.into_iter().flatten().collect();
    (!words.is_empty()).then(|| words.join(between))
}

fn read_template(told: &Value) -> Option<Template> {
    let part = |name: &str| told[name].as_str().map(str::to_owned);
    Some(Template {
        name: part("name")?,
        language: part("language")?,
        category: part("category").unwrap_or_default(),
        status: part("status")?,
        components: told["components"].to_string(),
        reason: read_reason(&told["rejected_reason"]),
    })
}

fn read_reason(told: &Value) -> Option<String> {
    read_text(told).filter(|reason| reason != NO_REASON)
}

/// Reads a webhook's report about a review; `None` for other changes.
pub(super) fn read_report(field: &str, value: &Value) -> Option<TemplateReport> {
    let status = read_text(&value["event"]).filter(|event| STATUS_EVENTS.contains(&event.as_str()))?;
    let details = &value["rejection_info"];
    let explained = join_words([read_text(&details["reason"]), read_text(&details["recommendation"])], " ");
    let report = TemplateReport {
        name: read_text(&value["message_template_name"])?,
        // Reports write `en-US` for the language that is `en_US` elsewhere.
        language: read_text(&value["message_template_language"])?.replace('-', "_"),
        status,
        reason: join_words([read_reason(&value["reason"]), explained], ": "),
    };
    (field == REPORT_FIELD).then_some(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_name_the_remedy() {
        let refusal = |code: i64, subcode: i64| {
            let error = json!({"code": code, "error_subcode": subcode, "message": "Invalid parameter",
                "error_user_title": "Not so", "error_user_msg": "Because of this."});
            describe_refusal(400, &error)
        };
        let cases = [
            (100, 2_388_024, "Not so: Because of this; the account already has this template"),
            (100, 2_388_023, "blocked for 30 days"),
            (100, 2_388_299, "words before the first"),
            (100, 0, "correct the name"),
            (368, 0, "restricted the account"),
            (100, 33, "--business-account-id"),
            (190, 0, "does not accept the access token"),
            (80_008, 0, "asks to wait"),
        ];
        for (code, subcode, words) in cases {
            let said = refusal(code, subcode);
            assert!(said.contains(words), "{code} {subcode}: {said}");
        }
        let bare = describe_refusal(400, &json!({"code": 100, "message": "Invalid parameter"}));
        assert!(bare.starts_with("the platform refused the template: Invalid parameter; "), "{bare}");
    }

    #[test]
    fn report_of_a_rejection_has_its_reason() {
        let value = json!({"event": "REJECTED", "message_template_id": 1, "message_template_name": "cart",
            "message_template_language": "en-US", "reason": "INVALID_FORMAT",
            "rejection_info": {"reason": "Two variables touch.", "recommendation": "Separate them."}});
        let report = read_report(REPORT_FIELD, &value).expect("a report");
        assert_eq!((report.name.as_str(), report.language.as_str()), ("cart", "en_US"));
        assert_eq!(report.reason.as_deref(), Some("INVALID_FORMAT: Two variables touch. Separate them."));
        let mut approved = value.clone();
        approved["event"] = "APPROVED".into();
        approved["reason"] = NO_REASON.into();
        approved["rejection_info"] = Value::Null;
        assert_eq!(read_report(REPORT_FIELD, &approved).expect("a report").reason, None);
        approved["event"] = "FLAGGED".into();
        assert_eq!(read_report(REPORT_FIELD, &approved), None, "no status");
        assert_eq!(read_report("account_update", &value), None);
    }

    #[test]
    fn variables_with_names_are_announced() {
        let named = |text: &str| has_named_variables(&json!([{"type": "BODY", "text": text}]));
        assert!(named("Hi {{first_name}}"));
        assert!(!named("Hi {{1}}") && !named("Hi") && !named("{{"));
    }
}
