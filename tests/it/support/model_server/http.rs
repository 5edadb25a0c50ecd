//! HTTP/1.1 by hand: reading one request, writing an answer or a stream of chunks.

use std::io;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// A head longer than this is refused.
const MAX_HEAD_BYTES: usize = 64 * 1024;
/// A body longer than this is refused.
const MAX_BODY_BYTES: usize = 64 * 1024 * 1024;

/// One request, read whole.
#[derive(Debug)]
pub struct Request {
    pub method: String,
    /// Path without the query.
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    /// The first header of that name (lower case).
    pub fn header(&self, name: &str) -> Option<&str> {
        find(&self.headers, name)
    }

    /// Does the client want this to be the connection's last request?
    pub fn closes(&self) -> bool {
        self.header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"))
    }
}

fn find<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

/// One connection and the bytes read ahead on it.
pub struct Wire {
    stream: TcpStream,
    ahead: Vec<u8>,
}

impl Wire {
    /// Small writes leave at once: the tests look at where bytes are cut.
    pub fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        Ok(Self { stream, ahead: Vec::new() })
    }

    /// The next request, or `None` when the client closed between two requests.
    pub async fn request(&mut self) -> io::Result<Option<Request>> {
        let Some(head) = self.head().await? else { return Ok(None) };
        let mut lines = head.split("\r\n");
        let mut first = lines.next().unwrap_or_default().split(' ');
        let (Some(method), Some(target)) = (first.next(), first.next()) else {
            return Err(broken("no request line"));
        };
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        if find(&headers, "expect").is_some_and(|value| value.eq_ignore_ascii_case("100-continue")) {
            self.stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await?;
        }
        let chunked = find(&headers, "transfer-encoding")
            .is_some_and(|value| value.to_ascii_lowercase().contains("chunked"));
        let body = if chunked {
            self.chunked_body().await?
        } else {
            let length = find(&headers, "content-length").unwrap_or("0");
            self.take(length.parse().map_err(|_e| broken("content-length is no number"))?).await?
        };
        let path = target.split('?').next().unwrap_or_default().to_owned();
        Ok(Some(Request { method: method.to_owned(), path, headers, body }))
    }

    async fn more(&mut self) -> io::Result<usize> {
        self.stream.read_buf(&mut self.ahead).await
    }

    async fn head(&mut self) -> io::Result<Option<String>> {
        loop {
            if let Some(end) = self.ahead.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                let head: Vec<u8> = self.ahead.drain(..end + 4).take(end).collect();
                return String::from_utf8(head).map(Some).map_err(|_e| broken("head is not UTF-8"));
            }
            if self.ahead.len() > MAX_HEAD_BYTES {
                return Err(broken("head too long"));
            }
            if self.more().await? == 0 {
                return if self.ahead.is_empty() { Ok(None) } else { Err(broken("head cut short")) };
            }
        }
    }

    async fn take(&mut self, length: usize) -> io::Result<Vec<u8>> {
        if length > MAX_BODY_BYTES {
            return Err(broken("body too long"));
        }
        while self.ahead.len() < length {
            if self.more().await? == 0 {
                return Err(broken("body cut short"));
            }
        }
        Ok(self.ahead.drain(..length).collect())
    }

    async fn line(&mut self) -> io::Result<String> {
        loop {
            if let Some(end) = self.ahead.windows(2).position(|bytes| bytes == b"\r\n") {
                let line: Vec<u8> = self.ahead.drain(..end + 2).take(end).collect();
                return String::from_utf8(line).map_err(|_e| broken("line is not UTF-8"));
            }
            if self.more().await? == 0 {
                return Err(broken("line cut short"));
            }
        }
    }

    async fn chunked_body(&mut self) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let line = self.line().await?;
            let digits = line.split(';').next().unwrap_or_default().trim();
            let size = usize::from_str_radix(digits, 16).map_err(|_e| broken("chunk size is no number"))?;
            if size == 0 {
                while !self.line().await?.is_empty() {}
                return Ok(body);
            }
            if body.len() + size > MAX_BODY_BYTES {
                return Err(broken("body too long"));
            }
            body.extend(self.take(size).await?);
            self.line().await?;
        }
    }

    /// A complete answer. A `HEAD` request gets the head of it only.
    pub async fn whole(
        &mut self,
        status: u16,
        headers: &[(&str, &str)],
        body: &[u8],
        head_only: bool,
    ) -> io::Result<()> {
        let mut out = head_text(status, headers);
        out.push_str(&format!("content-length: {}\r\n\r\n", body.len()));
        let mut out = out.into_bytes();
        if !head_only {
            out.extend_from_slice(body);
        }
        self.stream.write_all(&out).await
    }

    /// The head of a stream; chunks follow.
    pub async fn stream_head(&mut self, headers: &[(&str, &str)]) -> io::Result<()> {
        let mut out = head_text(200, headers);
        out.push_str("cache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n");
        self.stream.write_all(out.as_bytes()).await
    }

    /// One chunk, in one write.
    pub async fn chunk(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut out = format!("{:x}\r\n", bytes.len()).into_bytes();
        out.extend_from_slice(bytes);
        out.extend_from_slice(b"\r\n");
        self.stream.write_all(&out).await
    }

    /// The end of a stream.
    pub async fn stream_end(&mut self) -> io::Result<()> {
        self.stream.write_all(b"0\r\n\r\n").await
    }

    /// Returns when the client has closed the connection.
    pub async fn client_left(&mut self) {
        while self.more().await.is_ok_and(|read| read > 0) {}
    }
}

fn head_text(status: u16, headers: &[(&str, &str)]) -> String {
    let mut out = format!("HTTP/1.1 {status} {}\r\n", reason(status));
    for (name, value) in headers {
        out.push_str(&format!("{name}: {value}\r\n"));
    }
    out
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        204 => "No Content",
        400 => "Bad Request",
        401 => "Unauthorized",
        404 => "Not Found",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        529 => "Overloaded",
        _ => "Status",
    }
}
