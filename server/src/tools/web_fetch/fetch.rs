//! Fetching a page: nothing but checked addresses is connected to, and little is read.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures::StreamExt as _;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{ACCEPT, CONTENT_TYPE, LOCATION};
use reqwest::{Client, Response};
use url::Url;

use super::{address, page};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// From the first connection to the last byte.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Bytes of a page.
const LARGEST: usize = 10 * 1024 * 1024;
/// Redirects within one host.
const MOST_HOPS: usize = 5;

/// What came of an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fetched {
    /// As Markdown or plain text. `cut`: there was more than is read.
    Page { text: String, cut: bool },
    /// It leads to another host, which was not asked.
    Elsewhere(String),
}

/// The way to the network. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Fetcher {
    may_reach: fn(IpAddr) -> bool,
    client: Arc<OnceLock<Client>>,
}

impl Fetcher {
    /// `may_reach` says which addresses are connected to.
    pub(super) fn new(may_reach: fn(IpAddr) -> bool) -> Self {
        Self { may_reach, client: Arc::default() }
    }

    /// Whether the address by itself says that it is none of the public network; text for the model.
    pub(super) fn check(&self, url: &Url) -> Result<(), String> {
        match address::literal(url) {
            Some(address) if !(self.may_reach)(address) => Err(format!(
                "{url} is not on the public network, so it is not fetched, and no rule can allow it."
            )),
            Some(_) | None => Ok(()),
        }
    }

    /// The error is text for the model.
    pub(super) async fn fetch(&self, url: Url) -> Result<Fetched, String> {
        let failed = format!("{url} did not answer within {} seconds.", TIMEOUT.as_secs());
        tokio::time::timeout(TIMEOUT, self.follow(url)).await.unwrap_or(Err(failed))
    }

    async fn follow(&self, mut url: Url) -> Result<Fetched, String> {
        for _ in 0..=MOST_HOPS {
            self.check(&url)?;
            let request = self
                .client()?
                .get(url.clone())
                .header(ACCEPT, "text/markdown, text/html, text/plain, */*;q=0.5");
            let response = request
                .send()
                .await
                .map_err(|error| format!("{url} could not be fetched: {}.", cause(&error)))?;
            let status = response.status();
            if !status.is_redirection() {
                return if status.is_success() {
                    read(&url, response).await
                } else {
                    Err(format!("{url} answered {status}."))
                };
            }
            let to = response.headers().get(LOCATION).and_then(|to| to.to_str().ok());
            let to = to
                .and_then(|to| url.join(to).ok())
                .ok_or_else(|| format!("{url} leads nowhere ({status})."))?;
            if !address::is_same_host(&url, &to) || to.scheme() != url.scheme() {
                return Ok(Fetched::Elsewhere(to.into()));
            }
            url = to;
        }
        Err(format!("{url} leads on and on: more than {MOST_HOPS} redirects."))
    }

    fn client(&self) -> Result<&Client, String> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        // Without a proxy: behind one, nobody could say which address is connected to.
        let client = Client::builder()
            .user_agent(concat!("copydesk/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT_TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .dns_resolver(Arc::new(Checked { may_reach: self.may_reach }))
            .build()
            .map_err(|error| format!("The HTTP client could not be set up: {error}."))?;
        Ok(self.client.get_or_init(|| client))
    }
}

/// Looks names up, and gives only the addresses that may be reached: what was checked is what is connected to, however often
/// the name's owner changes its mind.
struct Checked {
    may_reach: fn(IpAddr) -> bool,
}

impl Resolve for Checked {
    fn resolve(&self, name: Name) -> Resolving {
        let may_reach = self.may_reach;
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await;
            let found: Vec<SocketAddr> = found.map_err(|_| nameless(name.as_str()))?.collect();
            let reached: Vec<SocketAddr> = found.into_iter().filter(|found| may_reach(found.ip())).collect();
            if reached.is_empty() {
                let error = io::Error::other(format!("{} is not on the public network", name.as_str()));
                return Err(error.into());
            }
            let reached: Addrs = Box::new(reached.into_iter());
            Ok(reached)
        })
    }
}

/// The C library's own words for it tell nobody what to do.
fn nameless(name: &str) -> io::Error {
    io::Error::other(format!(
        "the name `{name}` is not known here; it may be misspelt, or this machine offline"
    ))
}

async fn read(url: &Url, response: Response) -> Result<Fetched, String> {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.unwrap_or("text/html").to_ascii_lowercase();
    if !page::is_text(&kind) {
        return Err(format!("{url} is no text but {kind}, so it is not shown."));
    }
    let (mut bytes, mut cut) = (Vec::new(), false);
    let mut body = response.bytes_stream();
    while let Some(piece) = body.next().await {
        let piece = piece.map_err(|error| format!("{url} broke off: {}.", cause(&error)))?;
        let room = LARGEST.saturating_sub(bytes.len());
        cut = piece.len() > room;
        bytes.extend_from_slice(piece.get(..room).unwrap_or(&piece));
        if cut {
            break;
        }
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    // A parser of pages may take its time over a large one.
    let text = tokio::task::spawn_blocking(move || page::markdown(&kind, text)).await;
    let text = text.map_err(|_| format!("{url} could not be read as a page."))?;
    Ok(Fetched::Page { text, cut })
}

/// The innermost reason: the outer ones only say that a request failed.
fn cause(error: &reqwest::Error) -> String {
    let mut inner: &dyn std::error::Error = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    inner.to_string()
}
