//! Phrases of customers who want a person or are upset, in several languages. Compared as whole
//! words, ignoring case, accents and punctuation.

struct Phrases {
    all: &'static [&'static str],
    by_first_letter: [FirstLetterRange; 26],
}

/// Phrases with the same first letter. The first two letters rule out nearly all words of a text.
#[derive(Clone, Copy)]
struct FirstLetterRange {
    first: usize,
    end: usize,
    /// Bit set of their second letters: bit 0 is `a`, bit 26 any non-letter.
    second_letters: u32,
}

impl Phrases {
    const fn new(all: &'static [&'static str]) -> Self {
        let mut by_first_letter = [FirstLetterRange { first: 0, end: 0, second_letters: 0 }; 26];
        let mut at = 0;
        while at < all.len() {
            let phrase = all[at].as_bytes();
            let begin = &mut by_first_letter[(phrase[0] - b'a') as usize];
            if begin.end == 0 {
                begin.first = at;
            }
            begin.end = at + 1;
            begin.second_letters |= 1 << second_letter_bit(phrase[1]);
            at += 1;
        }
        Self { all, by_first_letter }
    }

    /// Returns the phrases that may start with these two bytes.
    fn starting_with(&self, first: u8, then: u8) -> &'static [&'static str] {
        let begin = first.checked_sub(b'a').and_then(|byte| self.by_first_letter.get(usize::from(byte)));
        let begin = begin.filter(|begin| begin.second_letters & 1 << second_letter_bit(then) != 0);
        begin.map_or(&[], |begin| &self.all[begin.first..begin.end])
    }
}

const fn second_letter_bit(letter: u8) -> u32 {
    if letter.is_ascii_lowercase() { (letter - b'a') as u32 } else { 26 }
}

/// Requests for a person: en, es, pt, de, fr, it, nl. Sorted.
const PERSON_PHRASES: Phrases = Phrases::new(&[
    "a person",
    "an operator",
    "are you a bot",
    "are you a robot",
    "atencion al cliente",
    "atendente humano",
    "ben je een bot",
    "bist du ein bot",
    "call me back",
    "call me please",
    "can you call me",
    "customer service",
    "e um robo",
    "echt mens",
    "echten menschen",
    "een echt persoon",
    "een medewerker",
    "een mens",
    "ein mensch",
    "einem mitarbeiter",
    "einen menschen",
    "einen mitarbeiter",
    "eres un bot",
    "eres un robot",
    "etes vous un robot",
    "falar com alguem",
    "falar com um atendente",
    "falar com uma pessoa",
    "hablar con alguien",
    "hablar con un agente",
    "hablar con un operador",
    "human",
    "iemand spreken",
    "jemanden sprechen",
    "klantenservice",
    "kundendienst",
    "kundenservice",
    "live agent",
    "met iemand praten",
    "met iemand spreken",
    "mit einem menschen",
    "mit jemandem sprechen",
    "not a bot",
    "parlare con qualcuno",
    "parlare con una persona",
    "parler a quelqu un",
    "parler a un humain",
    "persona real",
    "pessoa real",
    "please call me",
    "real agent",
    "real person",
    "richtige person",
    "sei un bot",
    "sei un robot",
    "service client",
    "servizio clienti",
    "sind sie ein bot",
    "someone call me",
    "speak to an agent",
    "speak to somebody",
    "speak to someone",
    "speak with someone",
    "stop the bot",
    "stupid bot",
    "talk to a representative",
    "talk to an agent",
    "talk to somebody",
    "talk to someone",
    "um atendente",
    "um humano",
    "uma pessoa",
    "un agent",
    "un agente",
    "un asesor",
    "un conseiller",
    "un essere umano",
    "un humain",
    "un humano",
    "un operatore",
    "un umano",
    "una persona",
    "una persona vera",
    "une personne",
    "useless bot",
    "vraie personne",
    "your manager",
]);

/// Phrases that do not count as a request for a person. Sorted.
const PERSON_EXCLUSIONS: Phrases =
    Phrases::new(&["human error", "human resources", "not a human error", "thanks to your customer service"]);

/// Anger and despair, in the same languages. Sorted.
const NEGATIVE_PHRASES: Phrases = Phrases::new(&[
    "absurdo",
    "al gezegd",
    "already told you",
    "angry",
    "anwalt",
    "arnaque",
    "arrabbiato",
    "awful",
    "belachelijk",
    "beschwerde",
    "betrug",
    "boos",
    "complaint",
    "decepcionada",
    "decepcionado",
    "decu",
    "decue",
    "deja dit",
    "delusa",
    "deluso",
    "denuncia",
    "disappointed",
    "does not help",
    "doesn t help",
    "en colere",
    "enfadado",
    "enttauscht",
    "estafa",
    "fed up",
    "frechheit",
    "furchtbar",
    "furieux",
    "furious",
    "gia detto",
    "golpe",
    "harto",
    "helpt niet",
    "hilft mir nicht",
    "hilft nicht",
    "honte",
    "horrivel",
    "inaccettabile",
    "inaceitavel",
    "inaceptable",
    "inadmissible",
    "inakzeptabel",
    "inutil",
    "ja disse",
    "ja falei",
    "klacht",
    "lacherlich",
    "lawyer",
    "n aide pas",
    "nadie responde",
    "nao ajuda",
    "nessuno risponde",
    "never again",
    "niemand antwoordt",
    "niemand antwortet",
    "ninguem responde",
    "no me ayuda",
    "no one answers",
    "nobody answers",
    "non aiuta",
    "non mi aiuta",
    "not helpful",
    "nul",
    "nutteloos",
    "nutzlos",
    "onacceptabel",
    "oplichting",
    "personne ne repond",
    "pesimo",
    "pessimo",
    "pessimo servizio",
    "queja",
    "ras le bol",
    "reclamacao",
    "reclamation",
    "reclamo",
    "refund now",
    "ridiculo",
    "ridiculous",
    "sauer",
    "scam",
    "schandalig",
    "schon gesagt",
    "schrecklich",
    "still waiting",
    "teleurgesteld",
    "terrible",
    "told you already",
    "truffa",
    "unacceptable",
    "unverschamt",
    "useless",
    "vergogna",
    "vergonha",
    "verguenza",
    "vreselijk",
    "waste of time",
    "worst",
    "wrong answer",
    "wutend",
    "ya lo dije",
    "ya te lo dije",
]);

/// Text in lower case without accents. Each run of other characters is one space, with one at each
/// end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoldedText(String);

impl FoldedText {
    pub fn fold(text: &str) -> Self {
        let mut plain = Vec::with_capacity(text.len() + 2);
        plain.push(b' ');
        for character in text.chars() {
            if character.is_ascii_alphanumeric() {
                plain.push(character.to_ascii_lowercase() as u8);
            } else if !character.is_ascii() && character.is_alphanumeric() {
                let lower = character.to_lowercase();
                let is_one = lower.len() == 1;
                for bare in lower.filter(|lower| is_one || lower.is_alphanumeric()).map(without_accent) {
                    plain.extend_from_slice(bare.encode_utf8(&mut [0; 4]).as_bytes());
                }
            } else if plain.last() != Some(&b' ') {
                plain.push(b' ');
            }
        }
        if plain.last() != Some(&b' ') {
            plain.push(b' ');
        }
        // Built from characters, so always valid UTF-8.
        let plain = String::from_utf8(plain).unwrap_or_default();
        Self(plain)
    }

    pub fn word_bytes(&self) -> impl Iterator<Item = &[u8]> {
        self.0.as_bytes().split(|byte| *byte == b' ').filter(|part| !part.is_empty())
    }

    pub fn asks_for_person(&self) -> bool {
        find_phrase(&self.0, &PERSON_PHRASES).is_some() && find_phrase(&self.0, &PERSON_EXCLUSIONS).is_none()
    }

    pub fn negative_phrase(&self) -> Option<&'static str> {
        find_phrase(&self.0, &NEGATIVE_PHRASES)
    }
}

fn find_phrase(text: &str, phrases: &Phrases) -> Option<&'static str> {
    text.as_bytes().windows(3).enumerate().filter(|(_, entry)| entry[0] == b' ').find_map(|(at, entry)| {
        let begun = phrases.starting_with(entry[1], entry[2]).iter();
        begun.copied().find(|phrase| {
            let rest = text[at + 1..].strip_prefix(phrase);
            rest.is_some_and(|text| text.starts_with(' '))
        })
    })
}

fn without_accent(letter: char) -> char {
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
        for phrase in
            [PERSON_PHRASES, NEGATIVE_PHRASES, PERSON_EXCLUSIONS].iter().flat_map(|phrases| phrases.all)
        {
            assert_eq!(FoldedText::fold(phrase).0.trim(), *phrase, "would never be found");
        }
        for phrases in [PERSON_PHRASES, NEGATIVE_PHRASES, PERSON_EXCLUSIONS] {
            assert!(phrases.all.is_sorted_by(|one, next| one < next), "would not be found");
            for phrase in phrases.all {
                assert!(
                    find_phrase(&FoldedText::fold(&format!("well, {phrase}!")).0, &phrases).is_some(),
                    "{phrase}"
                );
            }
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
            assert_eq!(FoldedText::fold(text).asks_for_person(), wanted, "{text}");
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
            assert_eq!(FoldedText::fold(text).negative_phrase(), found, "{text}");
        }
    }
}
