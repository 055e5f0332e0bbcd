//! One error for each mistake: none for want of what the macro would have written.
#![allow(unused_variables)]

use barewire::engine::{AsyncHandler, Completion, CompletionReply, Handler, Outcome, CallError};
use barewire::{Argument, Output};

struct App;

#[barewire::server]
impl App {
    #[tool]
    fn read(&self) -> u8 {
        1
    }

    #[handler]
    fn complete<'a>(
        &mut self,
        completion: Completion<'a>,
        reply: CompletionReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        Ok(reply.all(["a"]))
    }
}

struct Waiting;

#[barewire::server]
impl Waiting {
    #[tool]
    async fn wait(&self) {}
}

#[derive(Argument)]
struct Pair(u8, u8);

#[derive(Argument)]
struct Generic<T>(T);

#[derive(Output)]
enum Data {
    A(u8),
}

struct Other;

#[barewire::server]
impl Other {
    /// Takes a pair.
    #[tool]
    fn take(&self, pair: Pair, generic: Generic<u8>) -> Data {
        Data::A(1)
    }
}

fn serve(app: impl Handler) {}

fn serve_async(app: impl AsyncHandler) {}

fn main() {
    serve(App);
    serve_async(Waiting);
    serve(Other);
}
