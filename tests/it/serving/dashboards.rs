//! The alert rules and the dashboard in `assets` name metrics that the service has.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use super::*;
use crate::postgres::cluster;
use crate::skipping::skip;
use crate::waiting::until;

/// Endings of the samples of a histogram.
const HISTOGRAM_ENDINGS: [&str; 3] = ["_bucket", "_sum", "_count"];
/// Metrics that a service on one file does not have.
const OF_SERVERS: [&str; 1] = ["frontdesk_clock_ahead_seconds"];

fn asset(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(name);
    std::fs::read_to_string(path).expect("an asset")
}

/// Names of metrics in a text.
fn named(text: &str) -> BTreeSet<String> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let words = text.split(|letter: char| !is_part(letter));
    words.filter(|word| word.starts_with("frontdesk_")).map(str::to_owned).collect()
}

#[test]
fn every_metric_of_rules_and_dashboard_exists() {
    let binary = Binary::new();
    let serving = Serving::start(&binary, &["--dev"]);
    assert_eq!(serving.call("GET", "/v1/account", &[], b"").status, 200);
    let page = until("the figures of the database", || {
        let page = serving.ask("GET", "/metrics", &[], b"").body;
        if page.contains("frontdesk_database_up 1") { Ok(page) } else { Err(page) }
    });
    let families: BTreeSet<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next())
        .chain(OF_SERVERS)
        .collect();
    for text in [asset("alerts.yml"), asset("dashboard.json")] {
        let names = named(&text);
        assert!(names.len() > 10, "{names:?}");
        for name in names {
            let family = HISTOGRAM_ENDINGS.iter().find_map(|ending| name.strip_suffix(ending));
            let is_there =
                families.contains(name.as_str()) || family.is_some_and(|name| families.contains(name));
            assert!(is_there, "{name} is in no answer of /metrics");
        }
    }
}

#[test]
fn dashboard_is_complete() {
    let dashboard: serde_json::Value = serde_json::from_str(&asset("dashboard.json")).expect("JSON");
    let panels = dashboard["panels"].as_array().expect("panels");
    for panel in panels {
        assert!(panel["title"].is_string() && panel["gridPos"]["w"].is_number(), "{panel}");
        for target in panel["targets"].as_array().expect("targets") {
            let expression = target["expr"].as_str().expect("an expression");
            let count = |letter| expression.matches(letter).count();
            assert_eq!((count('('), count('{')), (count(')'), count('}')), "{expression}");
        }
    }
}

/// Checks a file of rules with the tool of Prometheus where it is installed.
fn pass_promtool(path: &Path) {
    let demanded = std::env::var(cluster::DEMAND).is_ok_and(|var| var == "demanded");
    let done = match Command::new("promtool").args(["check", "rules"]).arg(path).output() {
        Ok(done) => done,
        Err(cause) => {
            assert!(!demanded, "no promtool is installed: {cause}");
            skip("rules of Prometheus, since no promtool is installed");
            return;
        }
    };
    let told = [done.stdout, done.stderr].concat();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&told));
}

#[test]
fn rules_pass_promtool() {
    pass_promtool(&Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/alerts.yml"));
}

#[test]
fn expressions_of_the_dashboard_pass_promtool() {
    let dashboard: serde_json::Value = serde_json::from_str(&asset("dashboard.json")).expect("JSON");
    let panels = dashboard["panels"].as_array().expect("panels");
    let targets = panels.iter().flat_map(|panel| panel["targets"].as_array().expect("targets"));
    let rules: Vec<serde_json::Value> = targets
        .enumerate()
        .map(|(number, target)| json!({"record": format!("panel:{number}"), "expr": target["expr"]}))
        .collect();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("rules.yml");
    // JSON is YAML.
    let document = json!({"groups": [{"name": "dashboard", "rules": rules}]});
    std::fs::write(&file, document.to_string()).expect("written");
    pass_promtool(&file);
}
