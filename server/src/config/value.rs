//! A setting's value as it was written, whatever the format.

use super::Dollars;

/// What TOML, JSON, the environment and the command line have in common.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Text(String),
    Whole(i64),
    Flag(bool),
    /// A list of tables, each as it was written.
    Tables(Vec<Vec<(String, Value)>>),
    Fraction(f64),
    Texts(Vec<String>),
    /// A list of other things than texts alone or tables alone.
    Mixed(Vec<Value>),
    /// Takes away what earlier layers say.
    Unset,
    /// Something no setting is: its name for the message.
    Other(&'static str),
}

impl Value {
    pub fn text(&self) -> Result<&str, String> {
        match self {
            Self::Text(text) => Ok(text),
            _ => Err(self.expected("a text")),
        }
    }

    /// Also from a text, since the environment and the command line have nothing else.
    pub fn whole(&self, least: u64) -> Result<u64, String> {
        let number = match self {
            Self::Whole(number) => u64::try_from(*number).ok(),
            Self::Text(text) => text.replace('_', "").parse().ok(),
            _ => None,
        };
        number
            .filter(|number| *number >= least)
            .ok_or_else(|| self.expected(&format!("a whole number of {least} or more")))
    }

    /// Also from a text.
    pub fn flag(&self) -> Result<bool, String> {
        match self {
            Self::Flag(flag) => Ok(*flag),
            Self::Text(text) if text == "true" => Ok(true),
            Self::Text(text) if text == "false" => Ok(false),
            _ => Err(self.expected("true or false")),
        }
    }

    /// A list, also as one text with commas in it.
    pub fn texts(&self) -> Result<Vec<String>, String> {
        let trimmed = |text: &str| text.trim().to_owned();
        match self {
            Self::Tables(tables) if tables.is_empty() => Ok(Vec::new()),
            Self::Texts(texts) => Ok(texts.iter().map(|text| trimmed(text)).collect()),
            Self::Text(text) => Ok(text.split(',').map(trimmed).filter(|text| !text.is_empty()).collect()),
            Self::Mixed(list) => Err(not_texts(list)),
            _ => Err(self.expected("a list of texts")),
        }
    }

    pub fn tables(&self) -> Result<&[Vec<(String, Value)>], String> {
        match self {
            Self::Tables(tables) => Ok(tables),
            _ => Err(self.expected("a list of tables")),
        }
    }

    /// Also from a text.
    pub fn dollars(&self) -> Result<Dollars, String> {
        let written = match self {
            Self::Text(text) => text.clone(),
            Self::Whole(number) => number.to_string(),
            Self::Fraction(number) => number.to_string(),
            _ => String::new(),
        };
        Dollars::parse(&written).ok_or_else(|| self.expected("an amount of dollars such as 2.50"))
    }

    fn expected(&self, what: &str) -> String {
        format!("expected {what}, got {}", self.described())
    }

    fn described(&self) -> String {
        match self {
            Self::Text(text) => format!("{text:?}"),
            Self::Whole(number) => number.to_string(),
            Self::Flag(flag) => flag.to_string(),
            Self::Tables(_) => "a list of tables".to_owned(),
            Self::Fraction(number) => number.to_string(),
            Self::Texts(_) | Self::Mixed(_) => "a list".to_owned(),
            Self::Unset => "nothing".to_owned(),
            Self::Other(kind) => (*kind).to_owned(),
        }
    }
}

/// Which entries of a list are no texts.
fn not_texts(list: &[Value]) -> String {
    let wrong = (1..).zip(list).filter(|(_, entry)| !matches!(entry, Value::Text(_)));
    let wrong: Vec<String> =
        wrong.map(|(number, entry)| format!("entry {number} is {}", entry.described())).collect();
    format!("expected a list of texts, but {}", wrong.join(", and "))
}
