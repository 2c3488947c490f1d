//! The form of a broadcast: nobody, everyone, plans, messages.

use super::*;
use model::ids::ContactId;

fn form(count: usize) -> BroadcastForm {
    let source = AudienceSource::Phones(vec!["+34600111222".to_owned()]);
    let mut form = BroadcastForm::new(AudienceQuery { channel: "chat".into(), source }, None);
    let ids = (0..count).map(|number| ContactId::new(format!("ct_{number}"))).collect();
    form.set_audience(ResolvedAudience { ids, closed: count, ..ResolvedAudience::default() });
    form
}

#[test]
fn nobody_is_sent_to_and_nobody_is_never_everyone() {
    assert!(form(0).campaign_audience().expect_err("nobody").contains("none of them"));
    let everyone = AudienceQuery { channel: "chat".into(), source: AudienceSource::Everyone };
    let mut all = BroadcastForm::new(everyone, None);
    assert!(all.campaign_audience().is_err(), "not looked up yet");
    all.set_audience(ResolvedAudience { open: 2, closed: 3, ..ResolvedAudience::default() });
    assert!(all.campaign_audience().expect_err("pages are left").contains("still reading"));
    all.is_reading_contacts = false;
    assert_eq!(all.campaign_audience(), Ok(CampaignAudience::Everyone(5)));
    assert!(!all.fields().contains(&BroadcastField::Canary), "the server knows who they are: one wave");
}

#[test]
fn a_plan_suggests_itself_until_a_person_makes_one() {
    let mut form = form(1_000);
    let plan = form.plan().expect("a plan");
    assert_eq!((plan.canary, plan.wave, plan.wait), (10, 110, 60 * SECOND));
    form.focus = form.fields().iter().position(|field| *field == BroadcastField::Wave).expect("there");
    form.line_mut().expect("a line").set("0");
    assert!(form.plan().expect_err("none").contains("1 to 1000"));
    form.line_mut().expect("a line").set("ten");
    assert_eq!(form.plan().expect_err("no number"), "waves of is not a number: \"ten\"");
    form.line_mut().expect("a line").set("50");
    let found = form.audience.clone().expect("looked up");
    form.set_audience(found);
    assert_eq!(form.plan().expect("a plan").wave, 50, "it stays");
}

#[test]
fn what_it_says() {
    let mut form = form(3);
    assert_eq!(form.first_error().as_deref(), Some("the text is empty"));
    form.focus = 1;
    form.line_mut().expect("a line").set("We open at 9.\\nCome in!");
    assert_eq!(form.content(), Ok(BroadcastContent::Text("We open at 9.\nCome in!".to_owned())));
    assert_eq!(form.first_error(), None);
    form.cycle_kind(1);
    assert_eq!(form.first_error().as_deref(), Some("the picture's link is missing"));
    form.cycle_kind(1);
    assert_eq!(form.first_error().as_deref(), Some("no approved template matches"));
}
