//! Finds the folders for sent mail, archive, trash and spam: by the server's attributes (RFC 6154),
//! else by the usual names in the languages of providers and mail programs.

use crate::mailbox::imap::modified_utf7;

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
}

impl FolderUse {
    const fn mark(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Archive => "archive",
            Self::Trash => "trash",
            Self::Junk => "junk",
        }
    }

    /// Usual names, the likeliest first.
    const fn names(self) -> &'static [&'static str] {
        match self {
            Self::Sent => &SENT_NAMES,
            Self::Archive => &ARCHIVE_NAMES,
            Self::Trash => &TRASH_NAMES,
            Self::Junk => &JUNK_NAMES,
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
}
