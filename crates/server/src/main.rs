//! `tradebahi`: the product in one binary.

use std::process::ExitCode;

use clap::Parser as _;
use server::config::{Cli, Command};

fn main() -> ExitCode {
    // The reader of a broker's file is this binary again. It limits itself before any thread or runtime starts.
    if std::env::args_os().nth(1).is_some_and(|first| first == "parse-file") {
        return import::child::main();
    }
    let command = Cli::parse().command;
    match run(command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tradebahi: {error:#}");
            ExitCode::FAILURE
        }
    }
}

#[tokio::main]
async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Serve(settings) => {
            server::log::start(settings.log_format);
            server::serve(&settings).await
        }
        Command::Migrate(settings) => server::database::Database::open(&settings, 1).await?.close().await,
        Command::Openapi => {
            print!("{}", include_str!("../../../openapi.yaml"));
            Ok(())
        }
    }
}
