//! Runs only the sandboxed resume check, for tests.

fn main() -> std::process::ExitCode {
    careers::resume_check::main()
}
