//! Who may talk to the server: requests for a loopback host, from its own page or no page at all, with the token.

use axum::http::{HeaderMap, StatusCode, Uri, header};

/// Number of random bytes of a token.
const TOKEN_BYTES: usize = 16;

/// Port and token of a server.
#[derive(Clone, Debug)]
pub struct Access {
    port: u16,
    token: String,
}

/// Reason why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The `Host` header names another host: the request may come from a name that was bound to this address.
    Host,
    /// The `Origin` header names another page.
    Origin,
    /// The token is missing or wrong.
    Token,
}

impl Refusal {
    /// Returns the status of the reply: 401 for the token, 403 otherwise.
    pub fn status(self) -> StatusCode {
        match self {
            Refusal::Token => StatusCode::UNAUTHORIZED,
            Refusal::Host | Refusal::Origin => StatusCode::FORBIDDEN,
        }
    }

    /// Returns the sentence of the reply.
    pub fn sentence(self) -> &'static str {
        match self {
            Refusal::Host => "this server answers only as 127.0.0.1 or localhost",
            Refusal::Origin => "requests from other pages are refused",
            Refusal::Token => {
                "the token is missing or wrong; open the address that `supple view` printed"
            }
        }
    }
}

impl Access {
    /// Creates the access rules of a server on a port, with a new random token.
    pub fn new(port: u16) -> std::io::Result<Access> {
        let mut bytes = [0u8; TOKEN_BYTES];
        getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
        let token = bytes.iter().map(|b| format!("{b:02x}")).collect();
        Ok(Access { port, token })
    }

    /// Returns the token.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Returns the address of the page.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/?token={}", self.port, self.token)
    }

    /// Checks a request.
    pub fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        let text = |name| headers.get(name).map(|v| v.to_str().unwrap_or_default());
        // HTTP/1.1 requires the header; without it nothing is known about the name that was asked for.
        if !text(header::HOST).is_some_and(|host| self.is_own_host(host)) {
            return Err(Refusal::Host);
        }
        let own = |origin: &str| {
            let host = origin.strip_prefix("http://");
            host.is_some_and(|host| self.is_own_host(host))
        };
        if !text(header::ORIGIN).is_none_or(own) {
            return Err(Refusal::Origin);
        }
        let pairs = uri.query().unwrap_or_default().split('&');
        let mut tokens = pairs.filter_map(|pair| pair.strip_prefix("token="));
        match tokens.next() {
            Some(token) if self.is_token(token) => Ok(()),
            _ => Err(Refusal::Token),
        }
    }

    fn is_own_host(&self, host: &str) -> bool {
        let names = ["127.0.0.1", "localhost", "[::1]"];
        let mut named = names.iter().filter_map(|name| host.strip_prefix(name));
        named.any(|rest| rest.strip_prefix(':') == Some(&self.port.to_string()))
    }

    /// Compares without an early end, so that the time of the reply says nothing about the token.
    fn is_token(&self, given: &str) -> bool {
        let (given, token) = (given.as_bytes(), self.token.as_bytes());
        let differs = given.iter().zip(token).fold(0, |all, (a, b)| all | (a ^ b));
        given.len() == token.len() && differs == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(host: &str, origin: Option<&str>, path: &str) -> Result<(), Refusal> {
        let access = Access {
            port: 8080,
            token: "abc".into(),
        };
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, origin.parse().unwrap());
        }
        access.check(&path.parse().unwrap(), &headers)
    }

    #[test]
    fn own_pages_with_the_token_pass() {
        for host in ["127.0.0.1:8080", "localhost:8080", "[::1]:8080"] {
            assert_eq!(check(host, None, "/?token=abc"), Ok(()));
            let origin = format!("http://{host}");
            assert_eq!(check(host, Some(&origin), "/x?field=a&token=abc"), Ok(()));
        }
    }

    #[test]
    fn others_are_refused_with_their_reason() {
        let host = "127.0.0.1:8080";
        for path in [
            "/",
            "/?token=",
            "/?token=abd",
            "/?token=abcd",
            "/?xtoken=abc",
        ] {
            assert_eq!(check(host, None, path), Err(Refusal::Token), "{path}");
        }
        let hosts = [
            "evil.example:8080",
            "127.0.0.1",
            "127.0.0.1:80",
            "localhost.evil.example:8080",
            "127.0.0.1:80800",
        ];
        for host in hosts {
            assert_eq!(
                check(host, None, "/?token=abc"),
                Err(Refusal::Host),
                "{host}"
            );
        }
        for origin in [
            "http://evil.example",
            "null",
            "https://127.0.0.1:8080",
            "http://127.0.0.1:80",
        ] {
            let refused = check(host, Some(origin), "/?token=abc");
            assert_eq!(refused, Err(Refusal::Origin), "{origin}");
        }
    }

    #[test]
    fn tokens_are_random() {
        let [a, b] = [Access::new(1).unwrap(), Access::new(1).unwrap()];
        assert_eq!(a.token().len(), 32);
        assert_ne!(a.token(), b.token());
    }
}
