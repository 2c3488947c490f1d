//! Category of a thread, by words in its first mail.
//!
//! The categories are this service's choice (docs/choices.md, "Email"). The first rule with a word that
//! begins a word of the text decides.

/// Categories with the beginnings of their words, in several languages.
const CATEGORY_RULES: [(&str, &[&str]); 8] = [
    (
        "billing",
        &[
            "invoice",
            "receipt",
            "payment",
            "charged",
            "factura",
            "pago",
            "fatura",
            "pagamento",
            "rechnung",
            "facture",
        ],
    ),
    (
        "returns",
        &["return", "refund", "exchange", "devoluc", "devolver", "reembols", "trocar", "retour", "rückgabe"],
    ),
    ("warranty", &["warranty", "guarantee", "garant"]),
    ("appointments", &["appointment", "booking", "reschedul", "cita", "consulta", "rendez-vous", "termin"]),
    ("rentals", &["rental", "rent ", "hire", "alquil", "alugu", "location de", "miet", "verleih"]),
    (
        "repairs",
        &["repair", "brake", "puncture", "service my", "repara", "freno", "conserto", "travão", "réparation"],
    ),
    (
        "orders",
        &[
            "order",
            "deliver",
            "tracking",
            "shipping",
            "pedido",
            "envío",
            "encomenda",
            "commande",
            "bestellung",
        ],
    ),
    (
        "sales",
        &[
            "price",
            "quote",
            "in stock",
            "offer",
            "buy",
            "precio",
            "presupuesto",
            "preço",
            "orçamento",
            "prix",
        ],
    ),
];
const OTHER_CATEGORY: &str = "other";

pub fn categorize(subject: &str, text: &str) -> &'static str {
    let text = format!("{subject}\n{text}").to_lowercase();
    let speaks = |word: &str| {
        text.match_indices(word).any(|(at, _)| !text[..at].ends_with(|text: char| text.is_alphanumeric()))
    };
    CATEGORY_RULES
        .iter()
        .find(|(_, words)| words.iter().any(|word| speaks(word)))
        .map_or(OTHER_CATEGORY, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_decide() {
        let cases = [
            ("Invoice for order 1042", "", "billing"),
            ("Question", "Where is my ORDER?", "orders"),
            ("Pregunta", "¿Dónde está mi pedido?", "orders"),
            ("Brakes", "The brake lever broke", "repairs"),
            ("The border", "A reborder", "other"),
            ("", "", "other"),
        ];
        for (subject, text, expected) in cases {
            assert_eq!(categorize(subject, text), expected, "{subject} {text}");
        }
    }
}
