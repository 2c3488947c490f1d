//! The benches press keys that are bound, and their channel has a key that the inbox takes.

use frontdesk::config::keys::check_key_form;
use frontdesk::inbox::keymap::{KeyMap, Resolution};
use frontdesk::model::secret::Secret;

#[path = "../../benches/keys.rs"]
mod keys;

#[test]
fn keys_of_the_benches_run_their_commands() {
    let keymap = KeyMap::default();
    for keys in keys::ALL {
        let presses = keys.presses();
        for count in 1..presses.len() {
            assert_eq!(keymap.resolve(keys.scopes, &presses[..count]), Resolution::Pending, "{}", keys.names);
        }
        assert_eq!(
            keymap.resolve(keys.scopes, &presses),
            Resolution::Matched(keys.command),
            "{}",
            keys.names
        );
        assert!(!keys.bytes().is_empty());
    }
}

#[test]
fn channel_key_of_the_benches_has_the_form_of_a_key() {
    assert_eq!(check_key_form(&Secret::new(keys::CHANNEL_KEY)), Ok(()));
}
