use crate::connections::{from_json, read, to_json, write};

const SHOP: &str = r#"
[[connection]]
name = "shop"
description = "Orders and deliveries"
base_url = "https://shop.example/api"
timeout_seconds = 5
per_minute = 30
private_hosts = ["shop.internal"]
auth = { type = "oauth2_client_credentials", token_url = "https://id.example/token", client_id = "desk" }

[[connection.endpoint]]
name = "orders"
path = "/customers/{phone}/orders"
instructions = "The customer's last orders."
automatic = true
parameter = [
  { name = "phone", in = "path", from = "contact" },
  { name = "limit", in = "query", type = "integer", constant = "5" },
]

[[connection.endpoint.field]]
name = "orders"
label = "Orders"
path = "$.orders"
column = [
  { label = "no", path = "$.id" },
  { label = "total", path = "$.total", format = "cents", currency = "EUR" },
]

[[connection.endpoint]]
name = "find"
method = "POST"
path = "/find"
contact = ["email", "chat_id"]
assistant_may_change = true
parameter = [
  { name = "order", in = "body", required = true, ask = "Order number" },
  { name = "customer", in = "body", from = "contact" },
  { name = "number", in = "body", from = "contact.metadata.customer" },
]
field = [{ name = "placed", path = "$.placed", format = "date" }]
"#;

#[test]
fn what_is_written_is_read_again() {
    let (connections, wrong) = read(SHOP);
    assert_eq!(wrong, [] as [&str; 0]);
    assert_eq!(connections[0].endpoints.len(), 2);
    assert!(connections[0].endpoints[1].assistant_may_change);
    let (again, wrong) = read(&write(&connections));
    assert_eq!((again, wrong), (connections.clone(), Vec::new()));
    assert_eq!(from_json(&to_json(&connections[0])).as_ref(), Ok(&connections[0]));
    for kind in [
        "type = \"none\"",
        "type = \"bearer\"",
        "type = \"api_key_header\", header = \"X-Key\"",
        "type = \"api_key_query\", parameter = \"key\"",
        "type = \"basic_auth\", user = \"desk\"",
        "type = \"custom_header\", header = \"Authorization\", prefix = \"Token \"",
    ] {
        let text =
            format!("[[connection]]\nname = \"a\"\nbase_url = \"https://a.example\"\nauth = {{ {kind} }}\n");
        let (read_once, wrong) = read(&text);
        assert_eq!(wrong, [] as [&str; 0], "{kind}");
        assert!(kind.contains(read_once[0].auth.word()));
        assert_eq!(read(&write(&read_once)).0, read_once);
    }
}

#[test]
fn mistakes_say_where_and_what() {
    for (from, to, said) in [
        ("timeout_seconds", "timeout_second", "line 6: unknown field `timeout_second`, expected one of"),
        ("automatic = true", "automatik = true", "unknown field `automatik`"),
        ("client_id = \"desk\"", "client_secret = \"s3cret\"", "unknown field `client_secret`"),
        (
            "in = \"query\"",
            "in = \"header\"",
            "line 18: connection \"shop\": endpoint \"orders\": in = \"header\" is not known; use one of: path, query, body",
        ),
        ("type = \"integer\"", "type = \"int\"", "use one of: text, integer"),
        ("format = \"cents\"", "format = \"euro\"", "use one of: text, money, cents, date"),
        (
            "from = \"contact\"",
            "from = \"customer\"",
            "line 17: connection \"shop\": endpoint \"orders\": from = \"customer\" is not known; use contact, or a field of it",
        ),
        (
            "contact = [\"email\", \"chat_id\"]",
            "contact = \"id\"",
            "line 34: connection \"shop\": endpoint \"find\": contact = \"id\" is not known; use one of: phone, email",
        ),
        (
            "contact = [\"email\", \"chat_id\"]",
            "contact = \"name\"",
            "line 34: connection \"shop\": endpoint \"find\": customers choose their name themselves, so it identifies nobody: use phone",
        ),
        (
            "\"chat_id\"]",
            "\"username\"]",
            "line 34: connection \"shop\": endpoint \"find\": customers choose their username",
        ),
        (
            "\"chat_id\"]",
            "\"metadata.id\"]",
            "line 34: connection \"shop\": endpoint \"find\": metadata.id was typed in",
        ),
        (
            "from = \"contact.metadata.customer\"",
            "from = \"contact.name\"",
            "line 39: connection \"shop\": endpoint \"find\": customers choose their name themselves, so it identifies nobody: use phone",
        ),
        (
            "{ name = \"phone\", in = \"path\", from = \"contact\" }",
            "{ name = \"phone\", in = \"path\", constant = \"7\" }",
            "line 16: connection \"shop\": endpoint \"orders\": no parameter identifies the customer",
        ),
        (", constant = \"5\"", "", "needs one of: from, constant, ask"),
        (
            "constant = \"5\"",
            "constant = \"five\"",
            "line 18: connection \"shop\": endpoint \"orders\": \"limit\" must be a whole number",
        ),
        ("$.total", "$.total[", "is not a path"),
        ("method = \"POST\"", "method = \"post\"", "use one of: GET, POST"),
        (
            "/customers/{phone}",
            "/customers/{number}",
            "line 13: connection \"shop\": endpoint \"orders\": the path has {number}",
        ),
        ("per_minute = 30", "per_minute = 0", "line 7: connection \"shop\": per_minute must be 1 to 6000"),
        ("oauth2_client", "oauth", "unknown variant"),
        ("name = \"shop\"", "name = 7", "line 3: invalid type"),
    ] {
        let (read, wrong) = read(&SHOP.replacen(from, to, 1));
        assert!(read.is_empty(), "{to}");
        assert!(wrong.iter().any(|text| text.contains(said)), "{to}: {wrong:?}");
        assert!(!wrong.concat().contains("s3cret"), "what is not known is not repeated");
    }
    let (read_twice, wrong) = read(&format!("{SHOP}{SHOP}"));
    assert_eq!((read_twice.len(), wrong.len()), (1, 1));
    assert!(wrong[0].starts_with("line 44: connection \"shop\": two connections are named"), "{wrong:?}");
    assert_eq!(read(""), (Vec::new(), Vec::new()));
}
