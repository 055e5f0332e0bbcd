//! With `std` the future of a link can be sent to another thread.

use std::convert::Infallible;

use barewire::engine::{AsyncCall, AsyncHandler, Fixed, Full, Handler, Options, Peer, Server, ToolAnswer};
use barewire::mcp::{Implementation, LoggingLevel, Tool};
use barewire::transport::AsyncLink;
use embedded_io_async_v0_7::{ErrorType, Read, Write};

#[test]
fn the_future_can_be_sent_to_another_thread() {
    fn is_send<T: Send>(_: &T) {}

    struct Plain(u32);

    struct Tables;

    impl Handler for Tables {
        fn info(&self) -> Implementation<'_> {
            Implementation::new("plain", "1")
        }

        fn tools(&self) -> &[Tool<'_>] {
            const { &[Tool::new("t", "A tool.")] }
        }
    }

    impl Handler for Plain {
        fn info(&self) -> Implementation<'_> {
            Tables.info()
        }
    }

    impl AsyncHandler for Plain {
        type Tables = Tables;
        const TABLES: Tables = Tables;

        async fn call_async(&mut self, call: AsyncCall<'_>, peer: &Peer<'_>) -> impl ToolAnswer {
            self.0 += 1;
            crate::async_kit::pause().await;
            peer.progress(1);
            peer.log(LoggingLevel::Info, None, "one").await;
            let _ = peer.ask("roots", &barewire::mcp::InputRequest::Roots, |_| ()).await;
            call.string("v").and_then(|v| v.as_str()).unwrap_or("none")
        }
    }

    struct Null;

    impl ErrorType for Null {
        type Error = Infallible;
    }

    impl Read for Null {
        async fn read(&mut self, _: &mut [u8]) -> Result<usize, Infallible> {
            Ok(0)
        }
    }

    impl Write for Null {
        async fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
            Ok(bytes.len())
        }

        async fn flush(&mut self) -> Result<(), Infallible> {
            Ok(())
        }
    }

    let server = Server::with_storage(Fixed::<Full, 2>::new()).with_options(Options::DEFAULT);
    let mut link = AsyncLink::with_server(server, Plain(0), [0; 64], [0; 128]);
    is_send(&link.run_async(&mut Null));
}
