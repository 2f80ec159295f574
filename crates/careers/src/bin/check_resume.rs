//! The child alone: looks at the resume on stdin and says what is wrong with it.

fn main() -> std::process::ExitCode {
    careers::check::main()
}
