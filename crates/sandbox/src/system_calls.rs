//! System calls that the parser process may make.
//!
//! An allow-list: a deny-list would miss the calls of newer kernels, and a parser without threads needs few calls.

use std::io;

use seccompiler::{BpfProgram, Error, SeccompAction, SeccompFilter, TargetArch, apply_filter};

/// Memory, the descriptors that are open already, time, random numbers, and exit.
const ALLOWED: [i64; 30] = [
    libc::SYS_brk,
    libc::SYS_clock_gettime,
    libc::SYS_close,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_fcntl,
    libc::SYS_fstat,
    libc::SYS_futex,
    libc::SYS_getpid,
    libc::SYS_getrandom,
    libc::SYS_gettid,
    libc::SYS_gettimeofday,
    libc::SYS_lseek,
    libc::SYS_madvise,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_pread64,
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_restart_syscall,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sched_yield,
    libc::SYS_set_robust_list,
    libc::SYS_sigaltstack,
    libc::SYS_write,
    libc::SYS_writev,
];

/// Makes every system call of the current thread outside [`ALLOWED`] fail with `EPERM`.
///
/// Returns false if the kernel has no seccomp or the filter does not support the architecture; all calls are then allowed.
///
/// # Errors
/// Fails if the filter is invalid.
pub(crate) fn restrict() -> io::Result<bool> {
    let Ok(arch) = TargetArch::try_from(std::env::consts::ARCH) else { return Ok(false) };
    // EPERM instead of a signal: libraries probe for optional calls and do without them.
    let denied = SeccompAction::Errno(rustix::io::Errno::PERM.raw_os_error().unsigned_abs());
    let allowed = ALLOWED.into_iter().map(|call| (call, Vec::new())).collect();
    let filter = SeccompFilter::new(allowed, denied, SeccompAction::Allow, arch).map_err(io::Error::other)?;
    let program = BpfProgram::try_from(filter).map_err(io::Error::other)?;
    match apply_filter(&program) {
        Ok(()) => Ok(true),
        Err(Error::Prctl(_) | Error::Seccomp(_)) => Ok(false),
        Err(error) => Err(io::Error::other(error)),
    }
}
