//! Tells of many customers at once.

use crate::context::Context;
use crate::desk::Desk;
use crate::event::TerminalOrder;
use crate::features::bursts::Burst;
use model::ids::ChannelId;
use model::text::SafeText;

impl Burst {
    /// Tells those that wrote at once, with one bell and one notification.
    pub(crate) fn tell_burst(&mut self, desk: &Desk, context: &mut Context) {
        let gathered = self.take(context.moment);
        if gathered.is_empty() {
            return;
        }
        let count = |channel: &ChannelId| gathered.iter().filter(|pair| pair.0 == *channel).count();
        let by_tab = desk.tabs.iter().map(|tab| (tab.channel.name.as_str(), count(&tab.channel.id)));
        let by_tab: Vec<String> =
            by_tab.filter(|by_tab| by_tab.1 > 0).map(|(name, count)| format!("{name} {count}")).collect();
        let words = match gathered.len() {
            1 => "1 more customer wrote".to_owned(),
            count => format!("{count} more customers wrote"),
        };
        context.make_heard(TerminalOrder::Notify(SafeText::line(&by_tab.join(", ")), SafeText::line(&words)));
        let next = context.keyed("{next-waiting} goes to the next who waits");
        context.say(format!("{words} · {next}"));
    }
}
