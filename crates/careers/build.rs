//! Embeds every file of `openings/`, so that a new opening needs no code change.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=openings");
    let mut files: Vec<_> = std::fs::read_dir("openings")?.collect::<Result<_, _>>()?;
    files.sort_by_key(std::fs::DirEntry::file_name);
    let mut list = "const FILES: &[&str] = &[\n".to_owned();
    for file in files {
        let path = format!("/{}", file.path().display());
        writeln!(list, "    include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {path:?})),")?;
    }
    std::fs::write(Path::new(&std::env::var("OUT_DIR")?).join("openings.rs"), list + "];\n")?;
    Ok(())
}
