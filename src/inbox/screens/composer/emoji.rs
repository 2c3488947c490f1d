//! Emoji by short names in the composer.

use crate::Inbox;
use crate::components::picker::{Picked, Picker};
use crate::keys::KeyPress;
use crate::overlays::Layer;
use model::emoji;

impl Inbox {
    /// Completes the short name before the cursor: at once if it is the only
    /// one, else by a picker. False if none is being typed.
    pub(crate) fn complete_emoji(&mut self) -> bool {
        let now = self.context.now;
        let Some(composer) = &mut self.tab_mut().composer else { return false };
        let before = composer.sheet().before_cursor();
        let Some(short) = emoji::typed(&before).map(str::to_owned) else { return false };
        let typed = short.chars().count() + 1;
        match emoji::find(&short)[..] {
            [] => self.warn(format!("no emoji is called :{short}")),
            [one] => composer.change(now, |it| it.replace_before(typed, one.glyph)),
            _ => self.open_layer(Layer::Emoji { picker: Picker::with(&short), typed }),
        }
        true
    }

    /// Opens the picker with nothing typed.
    pub(crate) fn pick_emoji(&mut self) {
        self.open_layer(Layer::Emoji { picker: Picker::default(), typed: 0 });
    }

    /// A key in the picker; `typed` characters before the cursor give way to
    /// what is picked.
    pub(crate) fn emoji_key(&mut self, mut picker: Picker, typed: usize, key: KeyPress) {
        let now = self.context.now;
        let found = emoji::find(&picker.query);
        match picker.key(key, found.len()) {
            Picked::Stays => self.layers.push(Layer::Emoji { picker, typed }),
            Picked::Left => (),
            Picked::Entry(index) => {
                if let Some(composer) = &mut self.tab_mut().composer {
                    composer.change(now, |it| it.replace_before(typed, found[index].glyph));
                }
            }
        }
    }
}
