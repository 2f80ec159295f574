//! `tradebahi`: the product in one binary.

use std::process::ExitCode;

use clap::Parser as _;
use server::config::{Cli, Command};
use server::database::Database;

fn main() -> ExitCode {
    // The reader of a broker's file is this binary again. It limits itself before any thread or runtime starts.
    // So is what looks at a resume.
    let first = std::env::args_os().nth(1).unwrap_or_default();
    if first == import::child::ARGUMENT {
        return import::child::main();
    }
    if first == careers::resume_check::ARGUMENT {
        return careers::resume_check::main();
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
        Command::Migrate { database, distribute: true } => server::database::distribute(&database).await,
        Command::Migrate { database, distribute: false } => Database::open(&database, 1).await?.close().await,
        Command::ServiceToken { database, command } => server::service_tokens::run(&database, command).await,
        Command::Applications(asked) => server::applications::run(*asked).await,
        Command::Import(asked) => server::import_file::run(&asked).await,
        Command::Backup(asked) => server::backup::run(&asked).await,
        Command::Restore(asked) => server::restore::run(&asked).await,
        Command::Health(at) => server::health::run(&at).await,
        Command::Openapi => {
            print!("{}", edge::API_DESCRIPTION);
            Ok(())
        }
    }
}
