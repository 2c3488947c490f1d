//! What people say when they want a person, or are upset, in several
//! languages.
//!
//! Knows nothing of weights. Phrases are compared without case, accents and
//! marks, as whole words.

/// Asking for a person: en, es, pt, de, fr, it, nl.
const PERSON: &[&str] = &[
    "real person",
    "a person",
    "human",
    "speak to someone",
    "talk to someone",
    "speak with someone",
    "speak to somebody",
    "talk to somebody",
    "talk to an agent",
    "speak to an agent",
    "live agent",
    "real agent",
    "an operator",
    "customer service",
    "please call me",
    "call me please",
    "call me back",
    "can you call me",
    "someone call me",
    "talk to a representative",
    "your manager",
    "stop the bot",
    "not a bot",
    "are you a bot",
    "are you a robot",
    "useless bot",
    "stupid bot",
    "una persona",
    "un humano",
    "persona real",
    "hablar con alguien",
    "hablar con un agente",
    "un agente",
    "un asesor",
    "hablar con un operador",
    "eres un robot",
    "eres un bot",
    "atencion al cliente",
    "uma pessoa",
    "um humano",
    "pessoa real",
    "falar com alguem",
    "falar com um atendente",
    "um atendente",
    "atendente humano",
    "e um robo",
    "falar com uma pessoa",
    "einen menschen",
    "ein mensch",
    "mit einem menschen",
    "echten menschen",
    "mit jemandem sprechen",
    "jemanden sprechen",
    "einen mitarbeiter",
    "einem mitarbeiter",
    "richtige person",
    "bist du ein bot",
    "sind sie ein bot",
    "kundenservice",
    "kundendienst",
    "une personne",
    "un humain",
    "vraie personne",
    "parler a quelqu un",
    "un conseiller",
    "un agent",
    "etes vous un robot",
    "service client",
    "parler a un humain",
    "una persona vera",
    "un operatore",
    "parlare con qualcuno",
    "parlare con una persona",
    "un essere umano",
    "sei un bot",
    "sei un robot",
    "servizio clienti",
    "un umano",
    "een mens",
    "een echt persoon",
    "een medewerker",
    "met iemand spreken",
    "iemand spreken",
    "met iemand praten",
    "echt mens",
    "ben je een bot",
    "klantenservice",
];

/// Said beside one of the phrases above, it is not asked for now.
const NOT: &[&str] =
    &["not a human error", "human resources", "human error", "thanks to your customer service"];

/// Anger and despair, in the same languages.
const NEGATIVE: &[&str] = &[
    "unacceptable",
    "ridiculous",
    "terrible",
    "awful",
    "useless",
    "disappointed",
    "angry",
    "furious",
    "fed up",
    "scam",
    "refund now",
    "never again",
    "complaint",
    "lawyer",
    "nobody answers",
    "no one answers",
    "does not help",
    "doesn t help",
    "not helpful",
    "already told you",
    "told you already",
    "wrong answer",
    "still waiting",
    "waste of time",
    "worst",
    "inaceptable",
    "ridiculo",
    "pesimo",
    "inutil",
    "decepcionado",
    "enfadado",
    "harto",
    "estafa",
    "nadie responde",
    "ya te lo dije",
    "ya lo dije",
    "no me ayuda",
    "queja",
    "denuncia",
    "verguenza",
    "inaceitavel",
    "pessimo",
    "horrivel",
    "decepcionada",
    "golpe",
    "ninguem responde",
    "ja falei",
    "ja disse",
    "nao ajuda",
    "reclamacao",
    "vergonha",
    "absurdo",
    "inakzeptabel",
    "lacherlich",
    "furchtbar",
    "schrecklich",
    "nutzlos",
    "enttauscht",
    "wutend",
    "sauer",
    "frechheit",
    "betrug",
    "niemand antwortet",
    "schon gesagt",
    "hilft mir nicht",
    "hilft nicht",
    "beschwerde",
    "anwalt",
    "unverschamt",
    "inadmissible",
    "nul",
    "decu",
    "decue",
    "furieux",
    "en colere",
    "ras le bol",
    "arnaque",
    "personne ne repond",
    "deja dit",
    "n aide pas",
    "reclamation",
    "honte",
    "inaccettabile",
    "pessimo servizio",
    "arrabbiato",
    "delusa",
    "deluso",
    "truffa",
    "nessuno risponde",
    "gia detto",
    "non mi aiuta",
    "non aiuta",
    "reclamo",
    "vergogna",
    "onacceptabel",
    "belachelijk",
    "vreselijk",
    "nutteloos",
    "teleurgesteld",
    "boos",
    "oplichting",
    "niemand antwoordt",
    "al gezegd",
    "helpt niet",
    "klacht",
    "schandalig",
];

/// Whether a text asks for a person.
pub fn asks_for_person(text: &str) -> bool {
    let text = plain(text);
    find(&text, PERSON).is_some() && find(&text, NOT).is_none()
}

/// The word of anger or despair in a text.
pub fn negative(text: &str) -> Option<&'static str> {
    find(&plain(text), NEGATIVE)
}

fn find(text: &str, phrases: &[&'static str]) -> Option<&'static str> {
    let held = |phrase: &&&'static str| {
        text.match_indices(**phrase).any(|(at, found)| {
            let before = text[..at].ends_with(' ');
            let after = text[at + found.len()..].starts_with(' ');
            before && after
        })
    };
    phrases.iter().find(held).copied()
}

/// Lower case without accents; everything but letters and digits is one
/// space, and one stands at each end.
fn plain(text: &str) -> String {
    let mut plain = String::from(" ");
    for it in text.chars().flat_map(char::to_lowercase) {
        if it.is_alphanumeric() {
            plain.push(bare(it));
        } else if !plain.ends_with(' ') {
            plain.push(' ');
        }
    }
    if !plain.ends_with(' ') {
        plain.push(' ');
    }
    plain
}

/// A Latin letter without its accent.
fn bare(letter: char) -> char {
    match letter {
        'á' | 'à' | 'â' | 'ã' | 'ä' | 'å' => 'a',
        'é' | 'è' | 'ê' | 'ë' => 'e',
        'í' | 'ì' | 'î' | 'ï' => 'i',
        'ó' | 'ò' | 'ô' | 'õ' | 'ö' => 'o',
        'ú' | 'ù' | 'û' | 'ü' => 'u',
        'ç' => 'c',
        'ñ' => 'n',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_plain() {
        for phrase in PERSON.iter().chain(NEGATIVE).chain(NOT) {
            assert_eq!(plain(phrase).trim(), *phrase, "would never be found");
        }
    }

    #[test]
    fn who_wants_a_person() {
        let cases = [
            ("Can I talk to a HUMAN please", true),
            ("quiero hablar con una persona, por favor", true),
            ("Quero falar com um atendente", true),
            ("Ich möchte mit einem Menschen sprechen!", true),
            ("Je veux parler à quelqu'un", true),
            ("Vorrei parlare con un operatore", true),
            ("Kan ik een medewerker spreken?", true),
            ("It was a human error, sorry", false),
            ("I ordered humanity's best bike", false),
            ("The bike for one person?", false),
            ("Thanks, all good", false),
            ("", false),
        ];
        for (text, wanted) in cases {
            assert_eq!(asks_for_person(text), wanted, "{text}");
        }
    }

    #[test]
    fn who_is_upset() {
        let cases = [
            ("This is UNACCEPTABLE.", Some("unacceptable")),
            ("Das ist lächerlich", Some("lacherlich")),
            ("Já falei isso duas vezes", Some("ja falei")),
            ("not annulled", None),
            ("Great, thank you", None),
        ];
        for (text, found) in cases {
            assert_eq!(negative(text), found, "{text}");
        }
    }
}
