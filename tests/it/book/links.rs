//! Every link of the pages has a target, and every page is in the contents.

use std::collections::BTreeSet;
use std::path::Path;

use crate::book::{page, pages, root};

/// A page without code, in which brackets are no links.
fn prose(text: &str) -> String {
    let mut out = String::new();
    let mut is_code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            let parts = line.split('`').step_by(2);
            out.push_str(&parts.collect::<Vec<_>>().join("code"));
        }
        out.push('\n');
    }
    out
}

fn links(text: &str) -> Vec<String> {
    let prose = prose(text);
    let ends = prose.split("](").skip(1);
    ends.filter_map(|end| end.split_once(')')).map(|(target, _)| target.to_owned()).collect()
}

/// Anchors of a page's headings, as GitHub and mdbook make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut is_code = false;
    let mut found = BTreeSet::new();
    for line in text.lines() {
        is_code ^= line.starts_with("```");
        let heading = line.trim_start_matches('#');
        if is_code || heading.len() == line.len() || !heading.starts_with(' ') {
            continue;
        }
        let kept = heading.trim().to_lowercase();
        let kept = kept
            .chars()
            .filter(|character| character.is_alphanumeric() || matches!(character, ' ' | '-' | '_'));
        found.insert(kept.map(|character| if character == ' ' { '-' } else { character }).collect());
    }
    found
}

fn wrong(from: &str, target: &str) -> Option<String> {
    if target.starts_with("https://") {
        return None;
    }
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let folder = Path::new(from).parent().unwrap_or(Path::new(""));
    let path = if file.is_empty() { Path::new(from).to_owned() } else { folder.join(file) };
    // The book is built from its own folder alone.
    if from.starts_with("docs/") && file.contains("..") {
        return Some(format!("{from}: {target} leads out of the book"));
    }
    if !root().join(&path).exists() {
        return Some(format!("{from}: {target} is not there"));
    }
    let is_there = anchor.is_empty() || anchors(&page(&path.to_string_lossy())).contains(anchor);
    (!is_there).then(|| format!("{from}: {target} has no such heading"))
}

#[test]
fn every_link_leads_somewhere() {
    let (mut found, mut checked) = (Vec::new(), 0);
    for path in pages().into_iter().chain(["README.md".to_owned()]) {
        for target in links(&page(&path)) {
            found.extend(wrong(&path, &target));
            checked += 1;
        }
    }
    assert!(checked >= 60, "the pages have lost their links: {checked}");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_link_that_leads_nowhere_is_found() {
    for (target, is_wrong) in [
        ("keys.md", false),
        ("keys.md#keys-of-your-own", false),
        ("#by-symptom", false),
        ("keys.md#kyes", true),
        ("kyes.md", true),
        ("../README.md", true),
    ] {
        assert_eq!(wrong("docs/troubleshooting.md", target).is_some(), is_wrong, "{target}");
    }
    assert_eq!(links("a [b](c.md) `[d](e.md)`\n```\n[f](g.md)\n```\n![h](i.svg)"), ["c.md", "i.svg"]);
}

#[test]
fn every_page_is_in_the_contents_once_and_begins_with_its_heading() {
    let listed = links(&page("docs/SUMMARY.md"));
    let mut names: Vec<String> = listed.iter().map(|text| format!("docs/{text}")).collect();
    names.sort();
    let mut there: Vec<String> = pages().into_iter().filter(|page| page != "docs/SUMMARY.md").collect();
    there.sort();
    assert_eq!(names, there, "the contents, and the pages there are");
    for path in there {
        assert!(page(&path).starts_with("# "), "{path}");
    }
}
