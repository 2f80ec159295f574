//! Reasons for rejecting a resume.

/// Reason why a file is not accepted as a resume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// The file is damaged, exceeds a limit, or could not be checked.
    Unreadable,
    /// The content does not match the file extension, or is also valid as another format.
    Mislabelled,
    /// The file is protected with a password.
    Encrypted,
    /// The file contains macros, scripts or other files, or loads content from elsewhere.
    Macros,
}

impl Rejection {
    pub(crate) const ALL: [Self; 4] = [Self::Unreadable, Self::Mislabelled, Self::Encrypted, Self::Macros];

    /// Returns the name that the parser process writes.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Unreadable => "unreadable",
            Self::Mislabelled => "mislabelled",
            Self::Encrypted => "encrypted",
            Self::Macros => "macros",
        }
    }

    /// Parses a name that [`Rejection::name`] returned.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rejection| rejection.name() == name)
    }
}
