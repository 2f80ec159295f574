//! Forms of the income tax return.

/// Form of the return of a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReturnForm {
    /// For income without a business.
    Itr2,
    /// For income with a business.
    Itr3,
}

impl ReturnForm {
    pub fn name(self) -> &'static str {
        match self {
            Self::Itr2 => "ITR-2",
            Self::Itr3 => "ITR-3",
        }
    }
}
