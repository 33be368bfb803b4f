//! A server on loopback that answers by the path, well or badly, and remembers what it was sent.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// A request as it came over the wire.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    pub(crate) line: String,
    /// Names in small letters.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Seen {
    /// All values of a header.
    pub(crate) fn all(&self, name: &str) -> Vec<&str> {
        self.headers.iter().filter(|(n, _)| n == name).map(|(_, value)| value.as_str()).collect()
    }
}

/// It serves until the process ends.
pub(crate) struct Server {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Server {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, seen) = (listener.local_addr().unwrap(), Arc::<Mutex<Vec<Seen>>>::default());
        let noted = Arc::clone(&seen);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let noted = Arc::clone(&noted);
                thread::spawn(move || serve(&stream, &noted));
            }
        });
        Self { address, seen }
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// `http://127.0.0.1:port`, and that path.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

fn serve(mut stream: &TcpStream, noted: &Mutex<Vec<Seen>>) {
    let Some(seen) = read(stream) else { return };
    noted.lock().unwrap().push(seen.clone());
    let path = seen.line.split(' ').nth(1).unwrap_or("/").to_owned();
    let port = stream.local_addr().map_or(0, |address| address.port());
    let whole = |status: &str, headers: &str, body: &str| {
        format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {}\r\n{headers}\r\n{body}", body.len())
    };
    let answer = match path.split_once('/').map_or("", |(_, rest)| rest).split(['/', '?']).next().unwrap_or("") {
        "echo" => whole("200 OK", "content-type: text/plain\r\nx-two: 1\r\nx-two: 2\r\n", &seen.body),
        "redirect" => whole("302 Found", &format!("location: http://127.0.0.1:{port}/secret\r\n"), ""),
        "broken" => whole("500 Internal Server Error", "", "no"),
        "cut" => "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nonly this".to_owned(),
        "garbage" => "SSH-2.0-OpenSSH\r\n\r\n".to_owned(),
        "slow" => {
            // Until the other side has had enough.
            let _ = stream.read(&mut [0; 1]);
            return;
        }
        _ => whole("404 Not Found", "", ""),
    };
    let _ = stream.write_all(answer.as_bytes());
}

fn read(stream: &TcpStream) -> Option<Seen> {
    let mut reader = BufReader::new(stream);
    let mut seen = Seen::default();
    reader.read_line(&mut seen.line).ok().filter(|read| *read > 0)?;
    seen.line.truncate(seen.line.trim_end().len());
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        seen.headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let length = seen.all("content-length").first().and_then(|value| value.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    seen.body = String::from_utf8_lossy(&body).into_owned();
    Some(seen)
}
