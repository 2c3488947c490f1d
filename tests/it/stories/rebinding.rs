//! Configured keys: they work, help, hints and texts name them, and mistakes are reported together.

use frontdesk::config::Config;

use crate::binary::Binary;
use crate::desk::Desk;

const MARIA: &str = "+34600111222";

fn rebound(keys: &str) -> Desk {
    let config = Config::parse("config.toml", &format!("[keys]\n{keys}")).expect("valid keys");
    let mut desk = Desk::with(80, 24, |settings| settings.keymap = config.keymap);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.settle();
    desk
}

#[test]
fn a_chosen_key_works_and_is_named_wherever_it_is_told() {
    let mut desk = rebound(
        "reply = \"F2\"\npause-ai = [\"g j\"]\nundo = \"F8\"\nsend = \"Ctrl-S\"\nleave = \"Ctrl-Q\"\ndone = []\n\
         help = \"F12\"\n",
    );
    desk.hides(" done").keys("gj").settle().has_paused(1).keys("<Enter>").shows("F2 reply");
    desk.keys("r").shows("r is not a key here; F12 shows the keys");
    desk.keys("<F2>").types("On its way").wait(8_000_000);
    desk.shows("Ctrl-S send");
    desk.keys("<Ctrl-S>").shows("On its way");
    photographs!(desk, "held", History);
    desk.keys("<Ctrl-Q>").keys("<F8>").shows("On its way").keys("<Ctrl-Q>");
    desk.keys("<F12>").shows("F2    reply").shows("F8    undo");
    photographs!(desk, "help", Overlay);
    desk.keys("<Esc>").keys("<Ctrl-P>").types("done").shows("done");
}

#[test]
fn lists_take_and_name_the_chosen_keys() {
    let mut desk = rebound("undo = \"F8\"\nhand-back = \"F7\"\npause-ai = \"g j\"\n");
    desk.keys("gj").settle().has_paused(1);
    desk.run_command("show-done").shows("F8 undo").keys("<Esc>");
    desk.keys("gn").shows("F7 hand back").keys("<F7>").settle().keys("<Esc>").has_paused(0);
    // A key that moves in lists does not do anything else there.
    let mut desk = rebound("undo = [\"G\"]\nbottom = []\n");
    desk.run_command("show-done").shows("z undo");
}

#[test]
fn what_has_no_key_is_called_by_its_name() {
    let mut desk = rebound("done = []\nundo = []\n");
    desk.keys("<Enter>:done<Enter>").keys("d").shows("closes in 5 s · :undo");
    desk.keys(":undo<Enter>").shows("undone: done");
}

#[test]
fn plain_mode_presses_the_chosen_keys() {
    let desk = rebound("reply = \"F2\"\ndown = \"n\"\n");
    let said = frontdesk::inbox::plain::help::help_lines(&desk.app, Some("all")).join("\n");
    assert!(said.contains("reply, or F2: Write a reply"), "{said}");
}

#[test]
fn mistakes_about_keys_are_told_together() {
    let binary = Binary::new();
    let keys = "[[channel]]\nname = \"Harbor chat\"\nbase_url = \"https://api.example.com/v1\"\nkey_env = \"NONE\"\n\n\
                [keys]\nreply = \"p\"\nreplay = \"F2\"\nundo = \"Strg-Z\"\nrefresh = \"V\"\n";
    binary.configure(keys);
    let ended = binary.run(&["list"], "");
    insta::assert_snapshot!(
        "start",
        ended.err.replace(&binary.config().display().to_string(), "config.toml")
    );
    assert_eq!(ended.code, Some(1));
    let ended = binary.run(&["doctor", "--offline"], "");
    let about_keys: Vec<&str> = ended.out.lines().filter(|line| line.contains("[keys]")).collect();
    assert_eq!(about_keys.len(), 4, "{}", ended.out);
}
