//! Saying that something was seen, or not yet: what one opened and cannot deal
//! with now stands out again.

use crate::changes::Changes;
use crate::context::Context;
use crate::desk::Desk;
use crate::screens::conversations::bulk_plan::{BulkPlan, BulkWish};
use model::local::LocalChange;

impl Changes {
    /// Marks what is marked, or selected, as seen; what was seen as not.
    pub(crate) fn turn_seen(&mut self, desk: &mut Desk, context: &mut Context) {
        if desk.acts_on_marks() {
            let unseen = desk
                .list()
                .page
                .rows
                .iter()
                .any(|row| row.unread > 0 && desk.list().marks.contains(&row.key()));
            return self.act_on_marked(BulkWish::Seen(unseen), desk, context);
        }
        let Some(row) = desk.current_conversation().cloned() else { return };
        self.plan(BulkWish::Seen(row.unread > 0), vec![row], desk, context);
    }

    /// Marks all a plan applies to.
    pub(crate) fn seen_all(&mut self, plan: &BulkPlan, context: &mut Context) {
        let wanted = u32::from(plan.wish == BulkWish::Seen(false));
        self.keep_all(plan, |_| wanted, |row| row.unread, LocalChange::Unseen, context);
    }
}
