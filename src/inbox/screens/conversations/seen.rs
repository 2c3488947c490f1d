//! Saying that something was seen, or not yet: what one opened and cannot deal
//! with now stands out again.

use crate::Inbox;
use crate::screens::conversations::bulk_plan::{BulkPlan, BulkWish};
use model::local::Keep;

impl Inbox {
    /// Marks what is marked, or at hand, as seen; what was seen as not.
    pub(crate) fn turn_seen(&mut self) {
        if self.acts_on_marks() {
            let unseen =
                self.list().page.rows.iter().any(|it| it.unread > 0 && self.list().marks.contains(&it.key()));
            return self.act_on_marked(BulkWish::Seen(unseen));
        }
        let Some(row) = self.at_hand().cloned() else { return };
        self.plan(BulkWish::Seen(row.unread > 0), vec![row]);
    }

    /// Marks all a plan applies to.
    pub(crate) fn seen_all(&mut self, plan: &BulkPlan) {
        let wanted = u32::from(plan.wish == BulkWish::Seen(false));
        self.keep_all(plan, |_| wanted, |row| row.unread, Keep::Unseen);
    }
}
