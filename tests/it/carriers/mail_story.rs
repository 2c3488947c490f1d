//! A customer's mail, the assistant's answer and a person's, with real mail servers.

use frontdesk::service::AssistantChoice;

use super::Served;
use super::mail_server::servers;
use super::story::shows;
use crate::desk::Desk;
use crate::waiting::until;

#[test]
fn a_customer_the_assistant_and_a_person_by_mail() {
    let Some(servers) = servers() else { return };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let mut mailbox = servers.mailbox();
    mailbox.auto_reply = true;
    let served = runtime.block_on(Served::mailbox(&mailbox, AssistantChoice::Scripted));
    let key = served.keys["email live"].clone();
    let mut desk = Desk::with_tab("Harbor mail", &served.running.base_url, &key);
    desk.resize((120, 40));

    let maria = format!("maria-{}@mail.example", uuid::Uuid::new_v4().simple());
    mailbox.hears(&maria, "Brakes", "What are your opening hours?", "");
    shows(&mut desk, "Maria Lopez");
    desk.keys("<Enter>");
    shows(&mut desk, "What are your opening hours?");
    mailbox.waits_for(&maria, "Auto-Submitted: auto-replied");
    shows(&mut desk, "AI <");

    desk.keys("r").types("Ana here, a person.").keys("<Ctrl-X>");
    desk.shows("Send this mail?").keys("y");
    desk.wait(11_000_000);
    let reached = until("the person's answer", || {
        desk.settle().wait(1_000_000);
        let all = mailbox.reached(&maria);
        all.iter().find(|text| text.contains("Ana here, a person.")).cloned().ok_or_else(|| desk.picture())
    });
    assert!(reached.contains("In-Reply-To:"), "{reached}");
    shows(&mut desk, "Ana here, a person.");
    mailbox.hears(&maria, "Re: Brakes", "Thank you, Ana!", "");
    shows(&mut desk, "Thank you, Ana!");
    assert_eq!(mailbox.reached(&maria).len(), 2);
}
