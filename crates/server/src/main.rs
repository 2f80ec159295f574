//! The `tradebahi` binary: parses the command line and runs one command.

use std::process::ExitCode;

use server::config::{Cli, Command, Import};
use server::database::Database;

fn main() -> ExitCode {
    // The parser processes of broker files and emails, the resume check and the encoder of screenshots are this binary,
    // started with a special argument. They limit themselves before any thread or runtime starts.
    let first_argument = std::env::args_os().nth(1).unwrap_or_default();
    if first_argument == import::sandboxed_parser::ARGUMENT {
        return import::sandboxed_parser::main();
    }
    if first_argument == server::import_mailbox::email_parser::ARGUMENT {
        return server::import_mailbox::email_parser::main();
    }
    if first_argument == careers::resume_check::ARGUMENT {
        return careers::resume_check::main();
    }
    if first_argument == journal::trader_journal::screenshot_encoder::ARGUMENT {
        return journal::trader_journal::screenshot_encoder::main();
    }
    match Cli::read_arguments().read_secrets().and_then(run) {
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
        Command::Sessions { database, command } => server::sessions::run(&database, command).await,
        Command::Keys { database, encryption, command } => server::keys::run(&database, &encryption, command).await,
        Command::Applications(arguments) => server::applications::run(*arguments).await,
        Command::Import(Import { file: Some(file), json, .. }) => server::import_file::run(&file, json).await,
        Command::Import(Import { json, from_mailbox, .. }) => server::import_mailbox::run(&from_mailbox, json).await,
        Command::Backup(arguments) => server::backup::run(&arguments).await,
        Command::Restore(arguments) => server::restore::run(&arguments).await,
        Command::Health(addresses) => server::health::run(&addresses).await,
        Command::Openapi => {
            print!("{}", edge::API_DESCRIPTION);
            Ok(())
        }
    }
}
