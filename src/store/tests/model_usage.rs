//! A day's caps hold exactly across all processes of a data folder.

use crate::Store;
use crate::tests::channel;
use model::chance::Chance;
use model::ids::ChannelId;
use model::model_costs::{ModelCaps, ModelCost, ModelPrices, ModelUsage};

const DAY: i64 = 20_416;

fn cost(text: &str) -> ModelCost {
    ModelCost::parse(text).unwrap()
}

fn spent(store: &Store) -> ModelUsage {
    let rows = store.reader().unwrap().model_usage(DAY).unwrap();
    rows.iter().filter(|row| row.day == DAY).fold(ModelUsage::default(), |all, row| all.plus(&row.usage))
}

#[test]
fn what_is_reserved_counts_until_it_is_settled() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let prices = ModelPrices { input: cost("1"), output: cost("2"), ..ModelPrices::default() };
    let caps = ModelCaps::for_day(1_000_000, Some(cost("0.01")));
    let most = ModelUsage::from_tokens(&prices, 2_000, 2_000);
    assert_eq!(store.reserve_usage(DAY, &channel(), &most, &caps).unwrap(), Ok(()));
    assert_eq!(spent(&store).cost, cost("0.006"), "as if it took all it can");
    assert!(
        store.reserve_usage(DAY, &ChannelId::from("mail"), &most, &caps).unwrap().is_err(),
        "of all tabs"
    );
    assert_eq!(store.reserve_usage(DAY + 1, &channel(), &most, &caps).unwrap(), Ok(()), "another day");
    let taken = ModelUsage::from_tokens(&prices, 500, 100);
    assert_eq!(store.settle_usage(DAY, &channel(), &most, &taken).unwrap(), taken);
    assert_eq!(store.reserve_usage(DAY, &ChannelId::from("mail"), &most, &caps).unwrap(), Ok(()));
    let rows = store.reader().unwrap().model_usage(DAY).unwrap();
    assert_eq!(rows.iter().map(|row| row.asked).collect::<Vec<_>>(), [1, 1, 1]);
}

#[test]
fn two_processes_never_go_beyond_the_caps_together() {
    let folder = tempfile::tempdir().unwrap();
    let prices = ModelPrices { input: cost("2.5"), output: cost("10"), ..ModelPrices::default() };
    let caps = ModelCaps { tab_cost: Some(cost("0.2")), ..ModelCaps::for_day(400_000, Some(cost("0.37"))) };
    let asking = |number: u64| {
        let store = Store::open(folder.path()).unwrap();
        move || {
            let chance = Chance::seeded(number);
            let tab = ChannelId::from(format!("tab{number}").as_str());
            let mut refused = 0;
            while refused < 20 {
                let most = ModelUsage::from_tokens(&prices, 500 + chance.below(3_000), 500);
                match store.reserve_usage(DAY, &tab, &most, &caps).unwrap() {
                    Err(_) => refused += 1,
                    Ok(()) => {
                        assert!(spent(&store).cost <= cost("0.37"));
                        let taken = ModelUsage::from_tokens(
                            &prices,
                            chance.below(most.tokens_in + 1),
                            chance.below(most.tokens_out + 1),
                        );
                        let day = store.settle_usage(DAY, &tab, &most, &taken).unwrap();
                        assert!(day.cost <= cost("0.37") && day.total_tokens() <= caps.tokens, "{day:?}");
                    }
                }
            }
        }
    };
    let threads: Vec<_> = (0..3).map(|number| std::thread::spawn(asking(number))).collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    let store = Store::open(folder.path()).unwrap();
    assert!(spent(&store).cost > cost("0.3"), "the day was used");
    for row in store.reader().unwrap().model_usage(DAY).unwrap() {
        assert!(row.usage.cost <= cost("0.2"), "{row:?}");
    }
}
