//! Generates the clients, servers and messages of every service from `proto/`.

use std::error::Error;
use std::path::Path;

use prost::Message;

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new("../../proto");
    let files = ["auth", "imports", "trades"].map(|name| format!("tradebahi/{name}/v1/{name}.proto"));
    println!("cargo:rerun-if-changed={}", root.display());
    let descriptors = protox::compile(files, [root])?;
    let out = std::env::var("OUT_DIR")?;
    std::fs::write(Path::new(&out).join("tradebahi.bin"), descriptors.encode_to_vec())?;
    tonic_prost_build::configure().compile_fds(descriptors)?;
    Ok(())
}
