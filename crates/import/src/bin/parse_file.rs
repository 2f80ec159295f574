//! The child alone: reads a broker's file on stdin and writes what it holds to stdout.

fn main() -> std::process::ExitCode {
    import::child::main()
}
