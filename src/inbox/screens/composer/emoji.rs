use crate::Inbox;
use crate::components::picker::{Picker, PickerOutcome};
use crate::context::Context;
use crate::desk::Desk;
use crate::keys::KeyPress;
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use model::emoji;

#[derive(Debug)]
pub(crate) struct EmojiPicker {
    pub(crate) picker: Picker,
    /// Characters before the cursor that the emoji replaces.
    typed: usize,
}

impl Overlay for EmojiPicker {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let now = inbox.context.moment;
        let found = emoji::search(&self.picker.query);
        match self.picker.key(key, found.len()) {
            PickerOutcome::Stay => return KeyOutcome::Stay,
            PickerOutcome::Cancelled => (),
            PickerOutcome::Selected(index) => {
                if let Some(composer) = &mut inbox.desk.tab_mut().composer {
                    composer.change(now, |composer| composer.replace_before(self.typed, found[index].glyph));
                }
            }
        }
        KeyOutcome::Done
    }

    fn input(&self) -> OverlayInput {
        OverlayInput::Letters
    }
}

/// Completes the short name before the cursor, with a picker if it is ambiguous; false without
/// one.
pub(crate) fn complete_emoji(desk: &mut Desk, context: &mut Context) -> bool {
    let now = context.moment;
    let Some(composer) = &mut desk.tab_mut().composer else { return false };
    let before = composer.buffer().before_cursor();
    let Some(short) = emoji::typed_short_name(&before).map(str::to_owned) else { return false };
    let typed = short.chars().count() + 1;
    match emoji::search(&short)[..] {
        [] => context.show_warning(format!("no emoji :{short}")),
        [one] => composer.change(now, |composer| composer.replace_before(typed, one.glyph)),
        _ => context.open(EmojiPicker { picker: Picker::with_query(&short), typed }),
    }
    true
}

pub(crate) fn open_emoji_picker(context: &mut Context) {
    context.open(EmojiPicker { picker: Picker::default(), typed: 0 });
}
