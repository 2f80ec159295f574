//! Refresh token rotation with reuse detection: the rules. `store/token_rotation.rs` applies them.

use time::Duration;

use crate::token::TokenHash;

/// Time in which a token that was used is exchanged again while none of its successors was used: a response may be lost,
/// and two tabs may refresh at the same time. Longer than the total timeout of a request at the edge, after which a
/// browser retries.
pub(crate) const REISSUE_GRACE: Duration = Duration::seconds(12);

/// Refresh token that a client presents, with the state of its session.
pub(crate) struct PresentedToken {
    pub(crate) hash: TokenHash,
    /// Token that this one was issued for.
    pub(crate) predecessor: Option<TokenHash>,
    /// Token that the session was last refreshed with.
    pub(crate) last_used: Option<TokenHash>,
    /// True if the token is expired or its session has ended.
    pub(crate) is_expired: bool,
    /// True if the session was last refreshed longer than [`REISSUE_GRACE`] ago.
    pub(crate) is_grace_over: bool,
}

/// Decision about a presented refresh token.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RotationDecision {
    /// Issue the next token.
    Issue,
    /// Reject the token: it is expired.
    Expired,
    /// End the session: a retired token was presented, so two parties may have tokens of the session.
    Reused,
}

impl PresentedToken {
    /// Decides what to do with the token.
    ///
    /// A token is valid if it was issued for the token used last, and remains valid for [`REISSUE_GRACE`] after its use
    /// unless one of its successors is used before. All tokens issued for one token are equally valid, because the
    /// server cannot know which response the browser stored; the first of them that is used retires the others.
    pub(crate) fn decide(&self) -> RotationDecision {
        if self.is_expired {
            return RotationDecision::Expired;
        }
        let is_first_use = self.predecessor == self.last_used;
        let is_repeated_use = self.last_used.as_ref() == Some(&self.hash) && !self.is_grace_over;
        if is_first_use || is_repeated_use { RotationDecision::Issue } else { RotationDecision::Reused }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_used_token_and_its_successors_are_valid() {
        // first → second → third; sibling was issued for first as well.
        let [first, second, sibling, third] = ["first", "second", "sibling", "third"].map(TokenHash::from_token);
        let predecessor_of = |hash: &TokenHash| {
            let predecessors = [(&second, &first), (&sibling, &first), (&third, &second)];
            predecessors.into_iter().find(|(issued, _)| *issued == hash).map(|(_, predecessor)| predecessor.clone())
        };
        for (last_used, hash, want) in [
            (None, &first, RotationDecision::Issue),
            (Some(&first), &first, RotationDecision::Issue),
            (Some(&first), &second, RotationDecision::Issue),
            (Some(&first), &sibling, RotationDecision::Issue),
            (Some(&second), &second, RotationDecision::Issue),
            (Some(&second), &third, RotationDecision::Issue),
            (Some(&second), &first, RotationDecision::Reused),
            (Some(&second), &sibling, RotationDecision::Reused),
            (Some(&third), &second, RotationDecision::Reused),
        ] {
            let (predecessor, last_used) = (predecessor_of(hash), last_used.cloned());
            let presented =
                PresentedToken { hash: hash.clone(), predecessor, last_used, is_expired: false, is_grace_over: false };
            assert_eq!(presented.decide(), want);
            let is_reissue = presented.last_used.as_ref() == Some(hash);
            let late = PresentedToken { is_grace_over: true, ..presented };
            assert_eq!(late.decide(), if is_reissue { RotationDecision::Reused } else { want });
            assert_eq!(PresentedToken { is_expired: true, ..late }.decide(), RotationDecision::Expired);
        }
    }
}
