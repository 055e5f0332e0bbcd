//! The application of `examples/firmware/thermo` on tokio.

use std::time::Duration;

use barewire::transport::AsyncStdio;
use thermo::{Thermo, Timer};

struct Tokio;

impl Timer for Tokio {
    async fn wait(&self, milliseconds: u32) {
        tokio::time::sleep(Duration::from_millis(milliseconds.into())).await;
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    AsyncStdio::new().serve(Thermo::new(Tokio)).await
}
