//! `frontdesk dev fill-cache`: the inbox's commands show its data.

use std::path::Path;
use std::process::{Command, Output};

use frontdesk::model::filter::parse;
use frontdesk::model::queries::ConversationQuery;

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_frontdesk"));
    let data = folder.join("data");
    command.args(arguments).env("FRONTDESK_CONFIG_DIR", folder).env("FRONTDESK_DATA_DIR", data);
    command.output().expect("it runs")
}

#[test]
fn a_filled_cache_is_found_by_the_inbox_of_that_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let data = data.to_str().expect("a path in words");
    let fill = ["dev", "fill-cache", "--data-dir", data, "--conversations", "700", "--messages", "2000"];
    let refused = run(folder.path(), &fill);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.status.code() == Some(1) && said.contains("--channel NAME"), "{said}");
    let config = "[[channel]]\nname = \"Bench\"\nbase_url = \"http://127.0.0.1:9/v1\"\nkey_env = \"KEY\"\n";
    std::fs::write(folder.path().join("config.toml"), config).expect("written");
    let filled = run(folder.path(), &fill);
    let said = String::from_utf8_lossy(&filled.stdout).into_owned();
    assert!(filled.status.success() && said.starts_with("700 conversations with 2000 messages"), "{said}");
    let reader = frontdesk::store::Store::open(Path::new(data)).expect("whole").reader().expect("a reader");
    let waiting = parse("is:waiting").filter;
    let page = reader.conversations(&ConversationQuery::first("bench".into(), waiting, 200)).expect("a page");
    assert!(page.rows.len() > 100, "{} wait", page.rows.len());
}
