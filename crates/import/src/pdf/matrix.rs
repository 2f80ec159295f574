//! Affine transformation of the PDF coordinate system.

use lopdf::Object;

/// Matrix `[a b c d e f]` of ISO 32000-1, 8.3.3.
#[derive(Clone, Copy)]
pub(super) struct Matrix([f32; 6]);

impl Matrix {
    pub const IDENTITY: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    pub fn translation(x: f32, y: f32) -> Self {
        Self([1.0, 0.0, 0.0, 1.0, x, y])
    }

    /// Parses six numbers.
    pub fn from_operands(operands: &[Object]) -> Option<Self> {
        let numbers: Vec<f32> = operands.iter().map(Object::as_float).collect::<Result<_, _>>().ok()?;
        numbers.try_into().ok().map(Self)
    }

    /// Returns the matrix that applies `self` first, then `next`.
    pub fn then(self, next: Self) -> Self {
        let ([a, b, c, d, e, f], [na, nb, nc, nd, ne, nf]) = (self.0, next.0);
        Self([
            a * na + b * nc,
            a * nb + b * nd,
            c * na + d * nc,
            c * nb + d * nd,
            e * na + f * nc + ne,
            e * nb + f * nd + nf,
        ])
    }

    pub fn origin(self) -> (f32, f32) {
        let [.., e, f] = self.0;
        (e, f)
    }

    /// Returns the horizontal and the vertical scale; none if it rotates or mirrors horizontally.
    pub fn upright_scale(self) -> Option<(f32, f32)> {
        let [a, b, c, d, ..] = self.0;
        let is_upright = a > 0.0 && b.abs() <= a * 0.01 && c.abs() <= d.abs().max(a) && a.is_finite() && d.is_finite();
        is_upright.then_some((a, d.abs()))
    }
}
