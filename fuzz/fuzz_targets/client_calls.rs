#![no_main]

use barewire_fuzz::properties;

libfuzzer_sys::fuzz_target!(|data: &[u8]| properties::client_calls(data));
