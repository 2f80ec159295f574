//! Runs only the sandboxed encoder of screenshots, for tests.

fn main() -> std::process::ExitCode {
    journal::trader_journal::screenshot_encoder::main()
}
