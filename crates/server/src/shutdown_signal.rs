//! Shutdown requests by Unix signals.

use std::time::{Duration, Instant};

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// Signals within this time count as one. A parent such as npx may forward a Ctrl-C that the terminal has already sent
/// to this process.
const DEBOUNCE: Duration = Duration::from_secs(1);

/// Number of shutdown requests received: the first shuts down gracefully, the second at once.
#[derive(Clone)]
pub(crate) struct ShutdownSignal(watch::Receiver<u8>);

impl ShutdownSignal {
    /// Listens for SIGINT, SIGTERM, and the SIGHUP of a closed terminal.
    pub fn listen() -> anyhow::Result<Self> {
        let (requests, receiver) = watch::channel(0);
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let mut hangup = signal(SignalKind::hangup())?;
        tokio::spawn(async move {
            let mut last: Option<Instant> = None;
            loop {
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                    _ = hangup.recv() => {}
                }
                if last.is_none_or(|last| last.elapsed() > DEBOUNCE) {
                    tracing::info!("stopping");
                    requests.send_modify(|count| *count = u8::saturating_add(*count, 1));
                }
                last = Some(Instant::now());
            }
        });
        Ok(Self(receiver))
    }

    /// Completes at the first request: accept nothing new, complete running requests.
    pub fn requested(&self) -> impl Future<Output = ()> + Send + use<> {
        self.wait_for(1)
    }

    /// Completes at the second request: stop at once.
    pub fn forced(&self) -> impl Future<Output = ()> + Send + use<> {
        self.wait_for(2)
    }

    fn wait_for(&self, requests: u8) -> impl Future<Output = ()> + Send + use<> {
        let mut receiver = self.0.clone();
        async move {
            // Fails only if the signal task has ended, as at the end of the runtime.
            let _ = receiver.wait_for(|count| *count >= requests).await;
        }
    }
}
