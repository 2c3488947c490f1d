//! Keys a person chose: they work, help, hints and every sentence name them,
//! and mistakes about them are told all at once.

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
        "reply = \"F2\"\npause-ai = [\"g j\"]\nundo = \"Ctrl-T\"\nsend = \"Ctrl-S\"\nleave = \"Ctrl-Q\"\nclose = []\n\
         help = \"F12\"\n",
    );
    desk.shows("F2 reply").shows("g j pause AI").hides(" close");
    photographs!(desk, "hints", Status);
    desk.keys("gj").settle().shows("AI OFF by you");
    desk.keys("r").shows("r is not a key here; F12 shows the keys");
    desk.keys("<F2>").types("On its way").shows("Ctrl-S send");
    desk.keys("<Ctrl-S>").shows("On its way");
    photographs!(desk, "held", History);
    desk.keys("<Ctrl-Q>").keys("<Ctrl-T>").shows("On its way").keys("<Ctrl-Q>");
    desk.keys("<F12>").shows("F2").shows("g j");
    photographs!(desk, "help", Overlay);
    desk.keys("<Esc>").keys("<Ctrl-P>").types("close").shows("close");
}

#[test]
fn lists_take_and_name_the_chosen_keys() {
    let mut desk = rebound("undo = \"Ctrl-T\"\nhand-back = \"F7\"\npause-ai = \"g j\"\n");
    desk.keys("gj").settle().shows("AI OFF by you");
    desk.keys("gz").shows("Ctrl-T takes it back").keys("<Esc>");
    desk.keys("gh").shows("F7 hands back").keys("<F7>").settle().keys("<Esc>").hides("AI OFF");
    // A key that moves in lists does not do anything else there.
    let mut desk = rebound("undo = [\"G\"]\nbottom = []\n");
    desk.keys("gz").shows("z takes it back");
}

#[test]
fn what_has_no_key_is_called_by_its_name() {
    let mut desk = rebound("close = []\nundo = []\n");
    desk.keys("<Enter>:close<Enter>").shows("closing in 5 s · :undo keeps it open");
    desk.keys(":undo<Enter>").shows("kept open");
}

#[test]
fn plain_mode_presses_the_chosen_keys() {
    let desk = rebound("reply = \"F2\"\ndown = \"n\"\n");
    let said = frontdesk::inbox::plain::help::help(&desk.app, Some("all")).join("\n");
    assert!(said.contains("reply, or F2: Write an answer"), "{said}");
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
