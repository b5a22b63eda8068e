//! What was spent: the tokens of each model, and what they cost.

use std::collections::BTreeMap;

use crate::config::{Dollars, Price, Prices};
use crate::conversation::Usage;

/// Tokens by the name of the model that took and gave them. Each answer is counted once, however many records it has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spending {
    models: BTreeMap<String, Usage>,
}

/// What it comes to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Of the models whose price is known.
    pub amount: Dollars,
    /// The models whose price is not.
    pub unknown: Vec<String>,
}

impl Spending {
    pub fn add(&mut self, model: &str, usage: Usage) {
        if usage != Usage::default() {
            *self.models.entry(model.to_owned()).or_default() += usage;
        }
    }

    pub fn add_all(&mut self, other: &Self) {
        other.models.iter().for_each(|(model, usage)| self.add(model, *usage));
    }

    pub fn total(&self) -> Usage {
        let mut total = Usage::default();
        self.models.values().for_each(|usage| total += *usage);
        total
    }

    /// By model, by name.
    pub fn by_model(&self) -> impl Iterator<Item = (&str, Usage)> {
        self.models.iter().map(|(model, usage)| (model.as_str(), *usage))
    }

    /// `None`: nothing was spent.
    pub fn cost(&self, prices: &Prices) -> Option<Cost> {
        let mut cost = Cost::default();
        for (model, usage) in &self.models {
            match prices.of(model) {
                Some(price) => cost.amount.0 = cost.amount.0.saturating_add(of(*usage, price).0),
                None => cost.unknown.push(model.clone()),
            }
        }
        (!self.models.is_empty()).then_some(cost)
    }
}

fn of(usage: Usage, price: &Price) -> Dollars {
    let parts = [
        (usage.input_tokens, price.input),
        (usage.output_tokens, price.output),
        (usage.cache_creation_input_tokens, price.cache_write),
        (usage.cache_read_input_tokens, price.cache_read),
    ];
    let sum: u128 = parts.iter().map(|(tokens, price)| u128::from(*tokens) * u128::from(price.0)).sum();
    Dollars(u64::try_from(sum / 1_000_000).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(input_tokens: u64, output_tokens: u64) -> Usage {
        Usage { input_tokens, output_tokens, ..Usage::default() }
    }

    #[test]
    fn tokens_cost_by_their_kind_and_model() {
        let mut spent = Spending::default();
        assert_eq!(spent.cost(&Prices::default()), None);
        let cached = Usage {
            cache_creation_input_tokens: 100_000,
            cache_read_input_tokens: 1_000_000,
            ..Usage::default()
        };
        spent.add("claude-sonnet-5-20260101", usage(1_000_000, 100_000));
        spent.add("claude-sonnet-5-20260101", cached);
        spent.add("claude-opus-5", usage(0, 1_000));
        let cost = spent.cost(&Prices::default()).expect("a cost");
        // 2 + 1 + 0.25 + 0.2, and 0.025.
        assert_eq!((cost.amount.to_string().as_str(), cost.unknown.len()), ("3.475", 0));
        assert_eq!(spent.total().output_tokens, 101_000);
    }

    #[test]
    fn a_model_without_a_price_is_named() {
        let mut spent = Spending::default();
        spent.add("llama", usage(5, 5));
        spent.add("free", usage(0, 0));
        let cost = spent.cost(&Prices::default()).expect("a cost");
        assert_eq!((cost.amount, cost.unknown), (Dollars(0), vec!["llama".to_owned()]));
        let priced = Prices::default().with(&["llama = 1/1".to_owned()]).expect("prices");
        assert_eq!(spent.cost(&priced).expect("a cost").amount, Dollars(10));
    }
}
