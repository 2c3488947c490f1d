//! Scripts of the repository say what they do when asked, and start nothing on a word that they do not know.

use std::process::{Command, Output};

use crate::book::root;
use crate::skipping::skip;

/// Scripts with a word of their description.
const SCRIPTS: [(&str, &str); 7] = [
    (".ci/run", "lints"),
    (".ci/campaigns", "campaigns"),
    (".ci/package", "package"),
    ("tests/conformance/run.sh", "schemathesis"),
    ("tests/mutations/run.py", "--list"),
    ("tests/house/count.py", "--list"),
    ("tests/house/texts.py", "FOLDER"),
];

fn run(script: &str, argument: &str) -> Output {
    Command::new(root().join(script)).arg(argument).output().expect("it runs")
}

/// `tests/mutations/run.py` reads TOML with Python's own library.
fn has_python() -> bool {
    let output = Command::new("python3").args(["-c", "import tomllib"]).output();
    let is_there = output.is_ok_and(|output| output.status.success());
    if !is_there {
        skip("scripts in Python, since no Python 3.11 is installed");
    }
    is_there
}

#[test]
fn scripts_describe_themselves_and_refuse_unknown_words() {
    let has_python = has_python();
    for (script, word) in SCRIPTS.into_iter().filter(|(script, _)| has_python || !script.ends_with(".py")) {
        let help = run(script, "--help");
        let told = String::from_utf8_lossy(&help.stdout).into_owned();
        assert!(help.status.success() && told.contains(word), "{script}: {told}");
        let refused = run(script, "--nonsense");
        assert_eq!(refused.status.code(), Some(2), "{script}");
        assert!(refused.stdout.is_empty() && !refused.stderr.is_empty(), "{script}");
    }
    if has_python {
        let refused = run("tests/mutations/run.py", "no-such-change");
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(
            refused.status.code() == Some(2) && said.contains("no change has 'no-such-change'"),
            "{said}"
        );
    }
}
