//! Pages that were fetched not long ago.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::fetch::Fetched;

const KEPT: Duration = Duration::from_secs(15 * 60);
/// More pages are not kept: the oldest goes.
const MOST: usize = 40;

/// By address.
#[derive(Debug, Default)]
pub(super) struct Cache {
    pages: Mutex<HashMap<String, (Instant, Fetched)>>,
}

impl Cache {
    pub(super) fn get(&self, url: &str) -> Option<Fetched> {
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        pages.retain(|_, (at, _)| at.elapsed() < KEPT);
        pages.get(url).map(|(_, page)| page.clone())
    }

    pub(super) fn put(&self, url: &str, page: &Fetched) {
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        if pages.len() >= MOST {
            let oldest = pages.iter().min_by_key(|(_, (at, _))| *at).map(|(url, _)| url.clone());
            oldest.and_then(|url| pages.remove(&url));
        }
        pages.insert(url.to_owned(), (Instant::now(), page.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_page_is_kept_for_a_quarter_of_an_hour() {
        let (cache, page) = (Cache::default(), Fetched::Elsewhere("x".into()));
        cache.put("a", &page);
        tokio::time::advance(KEPT / 2).await;
        assert_eq!(cache.get("a"), Some(page));
        tokio::time::advance(KEPT / 2).await;
        assert_eq!(cache.get("a"), None);
    }

    #[tokio::test(start_paused = true)]
    async fn the_oldest_makes_room() {
        let cache = Cache::default();
        for number in 0..=MOST {
            cache.put(&number.to_string(), &Fetched::Elsewhere(String::new()));
            tokio::time::advance(Duration::from_secs(1)).await;
        }
        assert_eq!((cache.get("0"), cache.get("1").is_some()), (None, true));
    }
}
