//! Display settings: zoom, list width, mouse, and privacy.

use crate::context::Context;
use crate::desk::Desk;
use crate::event::TerminalOrder;
use crate::layout::SIDE_BY_SIDE_MIN_WIDTH;
use crate::pointer;

const DIVIDER_STEP_COLUMNS: u16 = 4;

pub(crate) fn zoom(desk: &mut Desk, context: &mut Context) {
    if context.size.0 < SIDE_BY_SIDE_MIN_WIDTH {
        return context.show_notice("this pane fills the screen already");
    }
    desk.panes.zoomed = !desk.panes.zoomed;
}

pub(crate) fn toggle_mouse(desk: &mut Desk, context: &mut Context) {
    desk.panes.mouse = !desk.panes.mouse;
    context.push(TerminalOrder::ReadMouse(desk.panes.mouse));
    context.show_notice(context.fill_in_keys(if desk.panes.mouse {
        "mouse on: click selects, wheel scrolls"
    } else {
        "mouse off: drag to select text; {mouse} mouse on"
    }));
}

pub(crate) fn move_divider(desk: &mut Desk, wider: bool, context: &mut Context) {
    let areas = desk.areas(context);
    let (Some(list), Some(_)) = (areas.list, areas.history) else {
        return context.show_notice("only one pane is shown: its width is fixed");
    };
    let end = list.x + list.width - 1;
    pointer::move_divider_to(
        desk,
        if wider { end + DIVIDER_STEP_COLUMNS } else { end.saturating_sub(DIVIDER_STEP_COLUMNS) },
        context,
    );
}
