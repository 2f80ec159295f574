//! Decision about documents by their signatures.

use crate::trades::v1::{DocumentSignature, SignatureState};

impl DocumentSignature {
    /// Returns true if the document, or what a reader sees of it, may not be what was signed. It is imported only if the
    /// trader agrees.
    pub fn is_altered(&self) -> bool {
        matches!(self.state(), SignatureState::Changed | SignatureState::Extended)
    }
}
