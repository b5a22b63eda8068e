//! What models cost: dollars for a million tokens. The table is a setting, since prices change.

use std::collections::BTreeMap;
use std::fmt;

/// An amount of money in millionths of a dollar, so that sums are exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dollars(pub u64);

/// Of one model, for a million tokens of each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    pub input: Dollars,
    pub output: Dollars,
    pub cache_write: Dollars,
    pub cache_read: Dollars,
}

/// By the name of a model, or the beginning of it: `claude-sonnet-5` is also `claude-sonnet-5-20260101`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prices(BTreeMap<String, Price>);

/// Models whose prices are known here, with the dollars for input and output.
const KNOWN: [(&str, u64, u64); 4] = [
    ("claude-opus-5", 5, 25),
    ("claude-sonnet-5", 2, 10),
    ("claude-haiku-4-5", 1, 5),
    ("claude-fable-5", 10, 50),
];

impl Dollars {
    pub const fn whole(dollars: u64) -> Self {
        Self(dollars * 1_000_000)
    }

    /// `2`, `2.5` or `$2.50`; what is finer than a millionth is dropped.
    pub fn parse(written: &str) -> Option<Self> {
        let written = written.trim().trim_start_matches('$');
        let (whole, fraction) = written.split_once('.').unwrap_or((written, ""));
        let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
        if whole.is_empty() || !digits(whole) || !digits(fraction) {
            return None;
        }
        let millionths: String = fraction.chars().chain("000000".chars()).take(6).collect();
        let whole: u64 = whole.parse().ok()?;
        whole.checked_mul(1_000_000)?.checked_add(millionths.parse().ok()?).map(Self)
    }

    /// For wires that have no exact numbers.
    #[allow(clippy::cast_precision_loss, reason = "no sum of a task has sixteen digits")]
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / 1_000_000.0
    }
}

impl fmt::Display for Dollars {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{}.{:06}", self.0 / 1_000_000, self.0 % 1_000_000);
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

impl Price {
    /// The usual ones of a cache: a quarter more to write, a tenth to read.
    pub const fn of(input: Dollars, output: Dollars) -> Self {
        Self { input, output, cache_write: Dollars(input.0 / 4 * 5), cache_read: Dollars(input.0 / 10) }
    }
}

impl Prices {
    /// The price of the model with the longest matching name.
    pub fn of(&self, model: &str) -> Option<&Price> {
        let matching = self.0.iter().filter(|(name, _)| model.starts_with(name.as_str()));
        matching.max_by_key(|(name, _)| name.len()).map(|(_, price)| price)
    }

    /// These, and those that `written` adds or changes: `claude-x = 3/15, local = 0/0`. Behind input and output may stand the
    /// prices of writing and reading the cache: `3/15/3.75/0.3`.
    pub fn with(&self, written: &[String]) -> Result<Self, String> {
        let mut prices = self.clone();
        for entry in written {
            let wrong = || format!("expected prices such as \"claude-x = 3/15\", got {entry:?}");
            let (model, price) = entry.split_once('=').ok_or_else(wrong)?;
            let dollars: Option<Vec<Dollars>> = price.split('/').map(Dollars::parse).collect();
            let price = match dollars.ok_or_else(wrong)?.as_slice() {
                [input, output] => Price::of(*input, *output),
                [input, output, cache_write, cache_read] => Price {
                    input: *input,
                    output: *output,
                    cache_write: *cache_write,
                    cache_read: *cache_read,
                },
                _ => return Err(wrong()),
            };
            if model.trim().is_empty() {
                return Err(wrong());
            }
            prices.0.insert(model.trim().to_owned(), price);
        }
        Ok(prices)
    }
}

impl Default for Prices {
    fn default() -> Self {
        let known = KNOWN.map(|(model, input, output)| {
            (model.to_owned(), Price::of(Dollars::whole(input), Dollars::whole(output)))
        });
        Self(known.into())
    }
}

/// As the setting has it.
impl fmt::Display for Prices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, (model, price)) in self.0.iter().enumerate() {
            let comma = if number == 0 { "" } else { ", " };
            let Price { input, output, cache_write, cache_read } = price;
            write!(f, "{comma}{model} = {input}/{output}/{cache_write}/{cache_read}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dollars_are_read_and_written_exactly() {
        for (written, want) in
            [("2", "2"), ("2.50", "2.5"), ("$0.000001", "0.000001"), (" 12.3456789 ", "12.345678")]
        {
            assert_eq!(Dollars::parse(written).expect("dollars").to_string(), want);
        }
        for wrong in ["", "-1", "1,5", "two", ".5", "1e9", "99999999999999999999"] {
            assert_eq!(Dollars::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_model_has_the_price_of_the_longest_name_it_begins_with() {
        let written = ["claude = 1/1".to_owned(), "claude-sonnet-5-fast=4/20/5/0.4".to_owned()];
        let prices = Prices::default().with(&written).expect("prices");
        let input = |model: &str| prices.of(model).map(|price| price.input.to_string());
        assert_eq!(input("claude-sonnet-5-20260101").as_deref(), Some("2"));
        assert_eq!(input("claude-sonnet-5-fast").as_deref(), Some("4"));
        assert_eq!(input("claude-2").as_deref(), Some("1"));
        assert_eq!(input("llama"), None);
        let sonnet = prices.of("claude-sonnet-5").expect("known");
        assert_eq!(
            (sonnet.cache_write.to_string(), sonnet.cache_read.to_string()),
            ("2.5".into(), "0.2".into())
        );
    }

    #[test]
    fn what_is_no_price_is_refused() {
        for wrong in ["claude-x", "claude-x = 3", "claude-x = a/b", " = 1/2", "x = 1/2/3"] {
            assert!(Prices::default().with(&[wrong.to_owned()]).is_err(), "{wrong}");
        }
    }
}
