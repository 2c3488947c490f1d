//! Keeps the memory of this process, above all keys, out of core dumps and from debuggers run by the same
//! user.
//!
//! A debugger run by root can still attach.

/// Does nothing on systems without a way to do so.
pub fn disable_core_dumps() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)
    {
        tracing::warn!(%error, "this process can be dumped");
    }
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        // Programs it starts may raise theirs again.
        let limit = Rlimit { current: Some(0), ..getrlimit(Resource::Core) };
        if let Err(error) = setrlimit(Resource::Core, limit) {
            tracing::warn!(%error, "this process may leave a core dump");
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::process::{DumpableBehavior, Resource, dumpable_behavior, getrlimit};

    #[test]
    fn nothing_is_dumped() {
        super::disable_core_dumps();
        assert_eq!(dumpable_behavior(), Ok(DumpableBehavior::NotDumpable));
        assert_eq!(getrlimit(Resource::Core).current, Some(0));
    }
}
