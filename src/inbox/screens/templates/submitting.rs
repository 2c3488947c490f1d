//! Submission of a template for review: `:submit-template`.

use crate::Inbox;
use crate::command::Reason;
use crate::conditions::check_tab_writable;
use crate::event::FileWrite;
use crate::intent::Intent;
use model::account::Platform;
use model::ids::ConversationId;
use model::outbox::Operation;
use model::templates::{NewTemplate, NewTemplateCategory};

const USAGE: &str = "submit-template takes a name, a language such as en, a category (utility, marketing or \
                     authentication) and the text";

/// `:submit-template NAME LANGUAGE CATEGORY TEXT`
pub(crate) fn submit_template(inbox: &mut Inbox, words: &str) -> Result<(), Reason> {
    let template = read_template(words)?;
    let tab = inbox.desk.tab();
    check_tab_writable(tab)?;
    let platform = match tab.platform() {
        Some(Platform::Whatsapp) => Platform::Whatsapp,
        Some(_) => return Err("templates are for business chat only".to_owned()),
        None => return Err("the channel has not answered yet".to_owned()),
    };
    let intent = Intent {
        channel: tab.channel.id.clone(),
        platform,
        conversation: ConversationId::new("templates"),
        operation: Operation::SubmitTemplate(Box::new(template)),
        hold: 0,
        seen: None,
        planned_at: None,
    };
    inbox.context.push(FileWrite::Enqueue { intents: vec![intent], clears_draft: false });
    let words = inbox.context.fill_in_keys("submitting the template; {go-to-templates} shows its state");
    inbox.context.show_notice(words);
    Ok(())
}

fn read_template(words: &str) -> Result<NewTemplate, Reason> {
    let mut rest = words.trim();
    let mut next = || {
        let (word, left) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        rest = left.trim_start();
        word
    };
    let (name, language, category) = (next(), next(), next());
    let category = NewTemplateCategory::from_word(category).filter(|_| !rest.is_empty());
    let template = NewTemplate::of_text(name, language, category.ok_or(USAGE)?, rest);
    match template.problem() {
        Some(problem) => Err(problem.to_owned()),
        None => Ok(template),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_after_the_category_are_the_text() {
        let template = read_template("order_ready  en utility Your \"order\" is ready.").expect("a template");
        assert_eq!((template.name.as_str(), template.language.as_str()), ("order_ready", "en"));
        assert_eq!(template.components.0, r#"[{"type":"BODY","text":"Your \"order\" is ready."}]"#);
        for (words, why) in [
            ("", "takes a name"),
            ("order_ready en utility", "takes a name"),
            ("order_ready en Your order", "takes a name"),
            ("Order en utility Hi", "lower-case letters"),
            ("order e-n utility Hi", "must be a code"),
        ] {
            let said = read_template(words).expect_err("refused");
            assert!(said.contains(why), "{words}: {said}");
        }
    }
}
