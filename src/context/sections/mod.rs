//! The sections, one file each.

mod identity;
mod participants;
mod platform_rules;
mod project;
mod recent;
mod role;

pub(super) use identity::MAX_CHARS as IDENTITY_MAX_CHARS;

use crate::context::section::Section;

/// All sections in pack order. A new one is one file here and one line in this list.
pub(super) const ALL: &[&dyn Section] = &[
    &project::Project,
    &platform_rules::PlatformRules,
    &role::Role,
    &identity::Identity,
    &participants::Participants,
    &recent::Recent,
];

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn the_list_has_pack_order() {
        assert!(ALL.windows(2).all(|pair| pair[0].id() < pair[1].id()));
    }
}
