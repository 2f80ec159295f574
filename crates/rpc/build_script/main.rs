//! Generates clients, servers and messages from `proto/`, the table of access rules, and the JSON of messages.

mod json;

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use protox::Compiler;
use protox::prost_reflect::{DescriptorPool, DynamicMessage, MethodDescriptor};

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new("../../proto");
    let files = ["access", "analytics", "auth", "careers", "imports", "journal", "json", "trader_journal", "trades"]
        .map(|name| format!("tradebahi/{name}/v1/{name}.proto"));
    println!("cargo:rerun-if-changed={}", root.display());
    let mut compiler = Compiler::new([root])?;
    compiler.include_imports(true).include_source_info(true).open_files(files)?;
    let out = std::env::var("OUT_DIR")?;
    std::fs::write(Path::new(&out).join("tradebahi.bin"), compiler.encode_file_descriptor_set())?;
    let pool = compiler.descriptor_pool();
    std::fs::write(Path::new(&out).join("access.rs"), access_table(&pool)?)?;
    std::fs::write(Path::new(&out).join("json_names.rs"), json::enum_names(&pool)?)?;
    json::derive_json(tonic_prost_build::configure(), &pool)?.compile_fds(compiler.file_descriptor_set())?;
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
        let [public, session, analytics] = ["public", "session", "analytics"].map(|name| is_set(access, name));
        let scope = access.get_field_by_name("scope").and_then(|scope| scope.as_str().map(str::to_owned));
        let scope = scope.filter(|scope| !scope.is_empty());
        if !(public || session || analytics || scope.is_some()) {
            return Err(format!("the option `access` of {path} admits no caller").into());
        }
        writeln!(
            table,
            "    Access {{ path: {path:?}, public: {public}, session: {session}, analytics: {analytics}, scope: {scope:?} }},"
        )?;
    }
    Ok(table + "];\n")
}

fn is_set(access: &DynamicMessage, name: &str) -> bool {
    access.get_field_by_name(name).and_then(|value| value.as_bool()).unwrap_or_default()
}
