//! The parser process without the rest of the server: reads a broker's file on stdin and writes events to stdout.

fn main() -> std::process::ExitCode {
    import::sandboxed_parser::main()
}
