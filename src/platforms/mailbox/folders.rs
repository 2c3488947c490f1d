//! Finds the folders for sent mail, archive, trash, spam and drafts: by the server's attributes (RFC 6154),
//! else by the usual names in the languages of providers and mail programs. A further folder is read if it
//! was chosen and has none of these uses.

use crate::mailbox::imap::{INBOX, decode_modified_utf7, modified_utf7};

/// Maximum number of further folders that are read: each is asked for at every reading.
pub const MAX_READ_FOLDERS: usize = 20;

/// A folder that can be selected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Folder {
    pub name: String,
    /// Attributes in lower case.
    pub marks: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FolderUse {
    Sent,
    Archive,
    Trash,
    Junk,
    Drafts,
}

impl FolderUse {
    const fn mark(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Archive => "archive",
            Self::Trash => "trash",
            Self::Junk => "junk",
            Self::Drafts => "drafts",
        }
    }

    /// Usual names, the likeliest first.
    const fn names(self) -> &'static [&'static str] {
        match self {
            Self::Sent => &SENT_NAMES,
            Self::Archive => &ARCHIVE_NAMES,
            Self::Trash => &TRASH_NAMES,
            Self::Junk => &JUNK_NAMES,
            Self::Drafts => &DRAFT_NAMES,
        }
    }
}

const SENT_NAMES: [&str; 41] = [
    "Sent",
    "Sent Items",
    "Sent Messages",
    "Sent Mail",
    "Sent-Mail",
    "Gesendet",
    "Gesendete Elemente",
    "Gesendete Objekte",
    "Gesendete Nachrichten",
    "Envoyés",
    "Éléments envoyés",
    "Messages envoyés",
    "Courrier envoyé",
    "Enviados",
    "Elementos enviados",
    "Correo enviado",
    "Mensajes enviados",
    "Itens enviados",
    "Mensagens enviadas",
    "Inviati",
    "Inviata",
    "Posta inviata",
    "Elementi inviati",
    "Verzonden",
    "Verzonden items",
    "Verzonden berichten",
    "Wysłane",
    "Elementy wysłane",
    "Skickat",
    "Skickade objekt",
    "Sendt",
    "Sendte elementer",
    "Sendt post",
    "Lähetetyt",
    "Odeslané",
    "Odeslaná pošta",
    "Отправленные",
    "Gönderilmiş Öğeler",
    "已发送",
    "已傳送的郵件",
    "送信済みアイテム",
];
const ARCHIVE_NAMES: [&str; 12] = [
    "Archive",
    "Archives",
    "Archiv",
    "Archivo",
    "Archivio",
    "Archief",
    "Arquivo",
    "Arkiv",
    "Archiwum",
    "Архив",
    "归档",
    "アーカイブ",
];
const TRASH_NAMES: [&str; 24] = [
    "Trash",
    "Deleted Items",
    "Deleted Messages",
    "Deleted",
    "Bin",
    "Papierkorb",
    "Gelöschte Elemente",
    "Gelöschte Objekte",
    "Corbeille",
    "Éléments supprimés",
    "Papelera",
    "Elementos eliminados",
    "Lixeira",
    "Itens excluídos",
    "Cestino",
    "Posta eliminata",
    "Prullenbak",
    "Verwijderde items",
    "Kosz",
    "Papperskorgen",
    "Papirkurv",
    "Корзина",
    "已删除",
    "削除済みアイテム",
];
const JUNK_NAMES: [&str; 16] = [
    "Junk",
    "Spam",
    "Junk E-mail",
    "Junk Email",
    "Junk Mail",
    "Bulk Mail",
    "Spamverdacht",
    "Junk-E-Mail",
    "Courrier indésirable",
    "Pourriel",
    "Correo no deseado",
    "Posta indesiderata",
    "Ongewenste e-mail",
    "Спам",
    "垃圾邮件",
    "迷惑メール",
];

const DRAFT_NAMES: [&str; 20] = [
    "Drafts",
    "Draft",
    "Entwürfe",
    "Brouillons",
    "Borradores",
    "Borrador",
    "Rascunhos",
    "Bozze",
    "Concepten",
    "Wersje robocze",
    "Szkice",
    "Utkast",
    "Kladder",
    "Luonnokset",
    "Koncepty",
    "Черновики",
    "Taslaklar",
    "草稿",
    "草稿箱",
    "下書き",
];

/// Use of a folder, as people read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpecialUse {
    Inbox,
    Sent,
    Archive,
    Trash,
    Junk,
    Drafts,
    /// A view of mails that are in other folders, such as all mail or marked mail.
    View,
}

impl SpecialUse {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Inbox => "inbox",
            Self::Sent => "sent",
            Self::Archive => "archive",
            Self::Trash => "trash",
            Self::Junk => "spam",
            Self::Drafts => "drafts",
            Self::View => "view",
        }
    }
}

/// A folder of a mailbox, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailFolder {
    /// The server's name.
    pub name: String,
    /// Decoded name.
    pub shown: String,
    pub special: Option<SpecialUse>,
    pub is_read: bool,
    /// True if it was chosen and is no longer in the mailbox.
    pub is_missing: bool,
}

/// Marks of folders that show mails of other folders.
const VIEW_MARKS: [&str; 4] = ["all", "flagged", "important", "snoozed"];

/// Describes all folders of a mailbox; `read` are the chosen ones.
pub(super) fn describe_folders(all: &[Folder], read: &[String]) -> Vec<MailFolder> {
    let uses = [
        (FolderUse::Sent, SpecialUse::Sent),
        (FolderUse::Archive, SpecialUse::Archive),
        (FolderUse::Trash, SpecialUse::Trash),
        (FolderUse::Junk, SpecialUse::Junk),
        (FolderUse::Drafts, SpecialUse::Drafts),
    ];
    let found: Vec<(String, SpecialUse)> =
        uses.iter().filter_map(|(wanted, shown)| Some((find_folder(all, *wanted)?, *shown))).collect();
    let special = |folder: &Folder| {
        if folder.name.eq_ignore_ascii_case(INBOX) {
            return Some(SpecialUse::Inbox);
        }
        let named = found.iter().find(|(name, _)| *name == folder.name).map(|(_, special)| *special);
        let is_view = || folder.marks.iter().any(|mark| VIEW_MARKS.contains(&bare_mark(mark)));
        named.or_else(|| is_view().then_some(SpecialUse::View))
    };
    let mut folders: Vec<MailFolder> = all
        .iter()
        .map(|folder| {
            let special = special(folder);
            let is_always_read = matches!(special, Some(SpecialUse::Inbox | SpecialUse::Sent));
            MailFolder {
                name: folder.name.clone(),
                shown: decode_modified_utf7(&folder.name),
                special,
                is_read: is_always_read || (special.is_none() && read.contains(&folder.name)),
                is_missing: false,
            }
        })
        .collect();
    let missing = read.iter().filter(|name| all.iter().all(|folder| folder.name != **name));
    folders.extend(missing.map(|name| MailFolder {
        name: name.clone(),
        shown: decode_modified_utf7(name),
        special: None,
        is_read: true,
        is_missing: true,
    }));
    folders.sort_by_key(|folder| (folder.special != Some(SpecialUse::Inbox), folder.shown.to_lowercase()));
    folders
}

/// Returns an attribute without the quotes and backslashes of its debug form.
fn bare_mark(mark: &str) -> &str {
    mark.trim_start_matches("extension").trim_matches(|letter: char| !letter.is_ascii_alphanumeric())
}

/// Finds a folder by the name that a person typed: exactly as shown, by the server's name, or regardless of
/// case if only one matches.
pub fn find_by_name<'a>(folders: &'a [MailFolder], wanted: &str) -> Result<&'a MailFolder, String> {
    let exact = folders.iter().find(|folder| folder.shown == wanted);
    let exact = exact.or_else(|| folders.iter().find(|folder| folder.name == wanted));
    if let Some(folder) = exact {
        return Ok(folder);
    }
    let lower = wanted.to_lowercase();
    let mut alike = folders.iter().filter(|folder| folder.shown.to_lowercase() == lower);
    match (alike.next(), alike.next()) {
        (Some(folder), None) => Ok(folder),
        _ => {
            let names: Vec<String> =
                folders.iter().take(50).map(|folder| format!("{:?}", folder.shown)).collect();
            Err(format!("the mailbox has no folder {wanted:?}; it has {}", names.join(", ")))
        }
    }
}

/// Returns the names of the folders that are read after a choice, in the order of their choice.
///
/// # Errors
/// If a folder does not exist or cannot be chosen.
pub fn choose_folders(
    folders: &[MailFolder],
    read: &[String],
    not: &[String],
) -> Result<Vec<String>, String> {
    let mut chosen: Vec<String> = folders
        .iter()
        .filter(|folder| folder.is_read && folder.special.is_none())
        .map(|folder| folder.name.clone())
        .collect();
    for wanted in read {
        let folder = find_by_name(folders, wanted)?;
        match folder.special {
            None if folder.is_missing => {
                return Err(format!("the folder {:?} is no longer in the mailbox", folder.shown));
            }
            Some(SpecialUse::Inbox | SpecialUse::Sent) => {}
            None if chosen.contains(&folder.name) => {}
            None => chosen.push(folder.name.clone()),
            Some(SpecialUse::View) => {
                return Err(format!(
                    "the folder {:?} only shows mails of other folders; choose those instead",
                    folder.shown
                ));
            }
            Some(special) => {
                return Err(format!(
                    "the folder {:?} is the mailbox's folder for {}, which is not read; choose another one",
                    folder.shown,
                    special.word()
                ));
            }
        }
    }
    for unwanted in not {
        let folder = find_by_name(folders, unwanted)?;
        if matches!(folder.special, Some(SpecialUse::Inbox | SpecialUse::Sent)) {
            return Err(format!("the folder {:?} is always read", folder.shown));
        }
        chosen.retain(|name| *name != folder.name);
    }
    if chosen.len() > MAX_READ_FOLDERS {
        return Err(format!("at most {MAX_READ_FOLDERS} further folders can be read"));
    }
    Ok(chosen)
}

pub(super) fn find_folder(all: &[Folder], wanted: FolderUse) -> Option<String> {
    let is_marked = |folder: &&Folder| folder.marks.iter().any(|mark| mark.contains(wanted.mark()));
    let marked = all.iter().find(is_marked);
    let named = || wanted.names().iter().find_map(|name| all.iter().find(|folder| has_name(folder, name)));
    marked.or_else(named).map(|folder| folder.name.clone())
}

/// Returns true if the last part of a folder's name is this one, plain or encoded.
fn has_name(folder: &Folder, name: &str) -> bool {
    let last = folder.name.rsplit(['/', '.']).next().unwrap_or(&folder.name);
    last.to_lowercase() == name.to_lowercase() || last.eq_ignore_ascii_case(&modified_utf7(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders(all: &[(&str, &str)]) -> Vec<Folder> {
        let folder = |(name, mark): &(&str, &str)| Folder {
            name: (*name).to_owned(),
            marks: mark.split_whitespace().map(str::to_owned).collect(),
        };
        all.iter().map(folder).collect()
    }

    #[test]
    fn a_mark_counts_more_than_a_name_and_names_are_known_in_other_languages() {
        let found = |all: &[(&str, &str)], wanted| find_folder(&folders(all), wanted);
        let marked = [("INBOX", ""), ("Sent", ""), ("Gesendete Objekte", "sent"), ("Papierkorb", "trash")];
        assert_eq!(found(&marked, FolderUse::Sent).as_deref(), Some("Gesendete Objekte"));
        assert_eq!(found(&marked, FolderUse::Trash).as_deref(), Some("Papierkorb"));
        assert_eq!(found(&marked, FolderUse::Junk), None);
        for (name, wanted) in [
            ("INBOX.Gesendete Objekte", FolderUse::Sent),
            ("&AMk-l&AOk-ments envoy&AOk-s", FolderUse::Sent),
            ("Éléments envoyés", FolderUse::Sent),
            ("&XfJT0ZAB-", FolderUse::Sent),
            ("INBOX/sent items", FolderUse::Sent),
            ("Archiv", FolderUse::Archive),
            ("Gel&APY-schte Elemente", FolderUse::Trash),
            ("Courrier ind&AOk-sirable", FolderUse::Junk),
        ] {
            assert_eq!(found(&[("INBOX", ""), (name, "")], wanted).as_deref(), Some(name));
        }
        // The likeliest name counts, not the first folder.
        let both = [("Gesendet", ""), ("Sent", "")];
        assert_eq!(found(&both, FolderUse::Sent).as_deref(), Some("Sent"));
    }

    #[test]
    fn folders_are_described_and_chosen() {
        let all = folders(&[
            ("INBOX", ""),
            ("Vertr&AOQ-ge", ""),
            ("Suppliers", ""),
            ("suppliers", ""),
            ("Entw&APw-rfe", ""),
            ("Sent", "sent"),
            ("Junk", "junk"),
            ("[Gmail]/Alle", "all"),
            ("[Gmail]/Important", "extension(\"\\\\important\")"),
        ]);
        let described = describe_folders(&all, &["Suppliers".to_owned(), "Gone".to_owned()]);
        let shown: Vec<_> = described
            .iter()
            .map(|folder| (folder.shown.as_str(), folder.special.map(SpecialUse::word), folder.is_read))
            .collect();
        let expected = [
            ("INBOX", Some("inbox"), true),
            ("[Gmail]/Alle", Some("view"), false),
            ("[Gmail]/Important", Some("view"), false),
            ("Entwürfe", Some("drafts"), false),
            ("Gone", None, true),
            ("Junk", Some("spam"), false),
            ("Sent", Some("sent"), true),
            ("Suppliers", None, true),
            ("suppliers", None, false),
            ("Verträge", None, false),
        ];
        assert_eq!(shown, expected);
        let choose = |read: &[&str], not: &[&str]| {
            let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
            choose_folders(&described, &owned(read), &owned(not))
        };
        let chosen = Ok(vec!["Gone".to_owned(), "Suppliers".to_owned(), "Vertr&AOQ-ge".to_owned()]);
        for name in ["Verträge", "VERTRÄGE", "Vertr&AOQ-ge"] {
            assert_eq!(choose(&[name, "Sent", "Suppliers"], &[]), chosen, "{name}");
        }
        assert_eq!(choose(&[], &["Gone", "Suppliers", "Verträge"]), Ok(Vec::new()));
        for (read, not) in [
            ("Nothing", ""),
            ("SUPPLIERS", ""),
            ("Gone", ""),
            ("Junk", ""),
            ("Entwürfe", ""),
            ("[Gmail]/Alle", ""),
            ("", "INBOX"),
            ("", "Sent"),
            ("", "Nothing"),
        ] {
            let one = |name: &'static str| if name.is_empty() { Vec::new() } else { vec![name] };
            assert!(choose(&one(read), &one(not)).is_err(), "{read} {not}");
        }
    }
}
