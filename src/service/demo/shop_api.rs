//! API of the demo shop's own system, which its Data Connection calls. Only with `--demo`, on loopback.

use std::collections::HashMap;

use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Value, json};

use crate::demo::values::{list, text};
use crate::state::Service;
use api::connections;
use model::connections::Connection;
use model::time::{Clock, DAY, Timestamp};

/// Bearer key of the demo shop's API; opens nothing else.
pub const SHOP_KEY: &str = "harbor-shop-demo-key";

const ORDERS: &str = include_str!("../../../assets/demo/orders.json");
const CONNECTION: &str = include_str!("../../../assets/demo/connections.toml");

/// Returns the Data Connection to the shop of a service at `address`, such as `127.0.0.1:8787`.
pub fn connection(address: &str) -> Option<Connection> {
    let text = CONNECTION.replace("127.0.0.1:0", address);
    let (mut read, _) = connections::read(&text);
    read.pop()
}

pub fn routes() -> Router<Service> {
    Router::new().route("/customer", get(customer)).route("/orders/{number}/parcel", get(parcel))
}

fn is_authorized(headers: &HeaderMap) -> bool {
    let shown = headers.get(header::AUTHORIZATION).and_then(|header| header.to_str().ok());
    shown == Some(&format!("Bearer {SHOP_KEY}"))
}

fn respond(status: StatusCode, body: Value) -> Response {
    (status, Json(body)).into_response()
}

fn customers() -> Vec<Value> {
    let all: Value = serde_json::from_str(ORDERS).unwrap_or(Value::Null);
    list(&all, "customers").to_vec()
}

fn iso_day(at: Timestamp) -> String {
    at.to_string().chars().take(10).collect()
}

/// Finds the customer by the phone number, mail address or chat id that the channel has verified.
fn find_owner(asked: &HashMap<String, String>) -> Option<Value> {
    let is_theirs = |value: &Value| {
        ["phone", "email", "chat_id"].iter().any(|name| {
            let who = asked.get("customer").or_else(|| asked.get(*name));
            who.is_some_and(|who| text(value, name).as_ref() == Some(who))
        })
    };
    customers().into_iter().find(is_theirs)
}

/// `GET /shop/customer?customer=…`
async fn customer(
    State(service): State<Service>,
    Query(asked): Query<HashMap<String, String>>,
    headers: HeaderMap,
) -> Response {
    if !is_authorized(&headers) {
        return respond(StatusCode::UNAUTHORIZED, json!({"error": "a bearer key is wanted"}));
    }
    let Some(found) = find_owner(&asked) else {
        return respond(StatusCode::OK, json!({"customer": null, "orders": []}));
    };
    let now = service.clock.now();
    let order = |value: &Value| {
        let days = value["days_ago"].as_i64().unwrap_or(0);
        json!({
            "number": value["number"], "state": value["state"], "item": value["item"], "total": value["total"],
            "currency": "EUR", "placed": iso_day(now.plus(-days * DAY)),
        })
    };
    let orders: Vec<Value> = list(&found, "orders").iter().map(order).collect();
    let told = json!({"customer": {"club": found["club"], "spent": found["spent"]}, "orders": orders});
    respond(StatusCode::OK, told)
}

/// `GET /shop/orders/{number}/parcel?customer=…`. Another customer's order is answered like an unknown one.
async fn parcel(
    State(service): State<Service>,
    Path(number): Path<String>,
    Query(asked): Query<HashMap<String, String>>,
    headers: HeaderMap,
) -> Response {
    if !is_authorized(&headers) {
        return respond(StatusCode::UNAUTHORIZED, json!({"error": "a bearer key is wanted"}));
    }
    let found = find_owner(&asked).unwrap_or_default();
    match list(&found, "orders").iter().find(|value| value["number"] == number.as_str()) {
        None => respond(StatusCode::NOT_FOUND, json!({"error": "no such order"})),
        Some(order) => {
            let expected = iso_day(service.clock.now().plus(2 * DAY));
            let told = json!({"carrier": "Quay Post", "place": order["state"], "expected": expected});
            respond(StatusCode::OK, told)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_connection_reads_and_customers_are_there() {
        let shop = connection("127.0.0.1:8787").expect("a connection");
        assert_eq!(shop.base_url, "http://127.0.0.1:8787/shop");
        assert_eq!(shop.private_hosts, ["127.0.0.1:8787"]);
        assert!(customers().len() > 10);
    }
}
