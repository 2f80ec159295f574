//! Generates clients, servers and messages from `proto/`, and the table of access rules.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use protox::Compiler;
use protox::prost_reflect::{DescriptorPool, DynamicMessage, MethodDescriptor};

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new("../../proto");
    let files = ["access", "analytics", "auth", "careers", "imports", "journals", "trades"]
        .map(|name| format!("tradebahi/{name}/v1/{name}.proto"));
    println!("cargo:rerun-if-changed={}", root.display());
    let mut compiler = Compiler::new([root])?;
    compiler.include_imports(true).include_source_info(true).open_files(files)?;
    let out = std::env::var("OUT_DIR")?;
    std::fs::write(Path::new(&out).join("tradebahi.bin"), compiler.encode_file_descriptor_set())?;
    std::fs::write(Path::new(&out).join("access.rs"), access_table(&compiler.descriptor_pool())?)?;
    tonic_prost_build::configure().compile_fds(compiler.file_descriptor_set())?;
    Ok(())
}

/// Generates a Rust constant with the access rule of every rpc, sorted by path.
fn access_table(pool: &DescriptorPool) -> Result<String, Box<dyn Error>> {
    let mut rpcs: Vec<(String, MethodDescriptor)> = pool
        .services()
        .flat_map(|service| service.methods().collect::<Vec<_>>())
        .map(|method| (format!("/{}/{}", method.parent_service().full_name(), method.name()), method))
        .collect();
    rpcs.sort_by(|(one, _), (other, _)| one.cmp(other));
    let option =
        pool.get_extension_by_name("tradebahi.access.v1.access").ok_or("the option `access` is not defined")?;
    let mut table = "/// Access rules of all rpcs, sorted by path.\npub const RPCS: &[Access] = &[\n".to_owned();
    for (path, method) in rpcs {
        let options = method.options();
        let access = options.get_extension(&option);
        let access = access.as_message().filter(|_| options.has_extension(&option));
        let access = access.ok_or_else(|| format!("{path} has no option `access`"))?;
        let [open, session, analytics] = ["open", "session", "analytics"].map(|name| is_set(access, name));
        let scope = access.get_field_by_name("scope").and_then(|scope| scope.as_str().map(str::to_owned));
        let scope = scope.filter(|scope| !scope.is_empty());
        if !(open || session || analytics || scope.is_some()) {
            return Err(format!("the option `access` of {path} admits no caller").into());
        }
        writeln!(
            table,
            "    Access {{ path: {path:?}, open: {open}, session: {session}, analytics: {analytics}, scope: {scope:?} }},"
        )?;
    }
    Ok(table + "];\n")
}

fn is_set(access: &DynamicMessage, name: &str) -> bool {
    access.get_field_by_name(name).and_then(|value| value.as_bool()).unwrap_or_default()
}
