//! What is taken from the command before it starts: privileges, rights on files, and more than its share of the machine.

use std::collections::BTreeSet;
use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope,
};
use rustix::process::{Resource, Rlimit, setrlimit};
use rustix::thread::{
    CapabilitiesSecureBits, CapabilitySet, CapabilitySets, remove_capability_from_bounding_set,
    set_capabilities, set_capabilities_secure_bits, set_no_new_privs,
};

use super::super::order::{Limits, Namespaces, Network, Rights, Tree};
use super::{Refused, Step};

/// The newest rules that are asked for; an older kernel keeps those it knows.
const RULES: ABI = ABI::V6;
/// The highest capability there may be.
const LAST_CAPABILITY: u32 = 63;

pub(super) fn limit(limits: Limits) -> Result<(), Refused> {
    let most = |most| Rlimit { current: Some(most), maximum: Some(most) };
    setrlimit(Resource::Core, most(0)).step("limits")?;
    setrlimit(Resource::Nproc, most(limits.processes)).step("limits")?;
    setrlimit(Resource::Data, most(limits.memory)).step("limits")?;
    setrlimit(Resource::Fsize, most(limits.file_size)).step("limits")
}

/// The kernel does not count the processes of one who is root outside; since 6.14 it limits each space's numbers.
pub(super) fn limit_processes_of_this_space(limits: Limits) {
    let _ = fs::write("/proc/sys/kernel/pid_max", limits.processes.to_string());
}

/// No capability is left, and no program can give one.
pub(super) fn give_up_privileges() -> Result<(), Refused> {
    set_no_new_privs(true).step("privileges")?;
    let bits = CapabilitiesSecureBits::NO_ROOT | CapabilitiesSecureBits::NO_ROOT_LOCKED;
    // Whoever has no privilege can't set them, and needs none of them.
    let _ = set_capabilities_secure_bits(bits);
    for bit in 0..=LAST_CAPABILITY {
        let _ = remove_capability_from_bounding_set(CapabilitySet::from_bits_retain(1 << bit));
    }
    let none = CapabilitySet::empty();
    let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
    set_capabilities(None, sets).step("privileges")
}

/// The second wall behind the mounts: writes in the trial tree, the temporary folder and devices only. A kernel without it
/// leaves the first.
pub(super) fn restrict_namespaces(spaces: &Namespaces) -> Result<(), Refused> {
    let trees = spaces.trees.iter().map(|tree| match tree {
        Tree::Overlay { at, .. } | Tree::Copy { at, .. } => at.as_path(),
    });
    let writable = trees.chain(spaces.writable.iter().map(Utf8PathBuf::as_path));
    let places = ["/tmp", "/var/tmp", "/dev", "/proc"].map(Utf8Path::new);
    // A network of its own needs no second wall, and servers of its own must work in it.
    let created = ruleset(Network::Shared).step("rights")?;
    let created = allow(created, [Utf8Path::new("/")], AccessFs::from_read(RULES)).step("rights")?;
    let created = allow(created, writable.chain(places), AccessFs::from_all(RULES)).step("rights")?;
    created.restrict_self().map(|_| ()).step("rights")
}

/// The only wall: whatever the kernel can't refuse is a reason not to run the command.
pub(super) fn restrict(rights: &Rights) -> Result<(), Refused> {
    let created = ruleset(rights.network).step("rights")?;
    let readable = all_but(&rights.hidden);
    let created = allow(created, readable.iter().map(Utf8PathBuf::as_path), AccessFs::from_read(RULES));
    let devices = ["/dev/null", "/dev/zero", "/dev/full", "/dev/tty"].map(Utf8Path::new);
    let writable = rights.writable.iter().map(Utf8PathBuf::as_path).chain(devices);
    let created = allow(created.step("rights")?, writable, AccessFs::from_all(RULES)).step("rights")?;
    match created.restrict_self().step("rights")?.ruleset {
        RulesetStatus::NotEnforced => Err(Refused::new("rights", "this kernel has no Landlock")),
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Ok(()),
    }
}

fn ruleset(network: Network) -> Result<RulesetCreated, landlock::RulesetError> {
    let ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(RULES))?
        .scope(Scope::from_all(RULES))?;
    match network {
        Network::Shared => ruleset.create(),
        Network::None => ruleset.handle_access(AccessNet::from_all(RULES))?.create(),
    }
}

/// Places that can't be opened are passed over: nothing is allowed there.
fn allow<'a>(
    ruleset: RulesetCreated,
    places: impl IntoIterator<Item = &'a Utf8Path>,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, landlock::RulesetError> {
    let rules = places.into_iter().filter_map(|place| {
        // Of a file only what a file can be asked for.
        let access = if place.is_dir() { access } else { access & AccessFs::from_file(RULES) };
        Some(Ok::<_, landlock::RulesetError>(PathBeneath::new(PathFd::new(place).ok()?, access)))
    });
    ruleset.add_rules(rules)
}

/// The topmost places that together are everything but the hidden ones. Folders that hold a hidden one are left out
/// themselves, since a right on a folder is one on all that is in it.
fn all_but(hidden: &[Utf8PathBuf]) -> Vec<Utf8PathBuf> {
    let hidden: Vec<Utf8PathBuf> = hidden.iter().filter_map(|place| place.canonicalize_utf8().ok()).collect();
    let mut open = BTreeSet::new();
    let mut folders = vec![Utf8PathBuf::from("/")];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir_utf8().into_iter().flatten().flatten() {
            let path = entry.into_path();
            if hidden.contains(&path) || path.is_symlink() {
                continue;
            }
            if hidden.iter().any(|hidden| hidden.starts_with(&path)) {
                folders.push(path);
            } else {
                open.insert(path);
            }
        }
    }
    open.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_but_the_hidden_is_open() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
        for made in ["home/.ssh", "home/.cache/deep", "other"] {
            fs::create_dir_all(root.join(made)).unwrap();
        }
        let open = all_but(&[root.join("home/.ssh"), root.join("home/.cache/deep"), root.join("gone")]);
        let has = |place: &str| open.contains(&root.join(place));
        assert!(has("other") && !has("home") && !has("home/.ssh") && !has("home/.cache"));
        assert!(open.contains(&"/usr".into()) && !open.contains(&"/".into()));
    }
}
