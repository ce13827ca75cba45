//! Explicit and diagonally implicit Runge–Kutta tableaux. Rows of A are written up to the diagonal.

/// Butcher tableau with a lower triangular A; c = A·1 and the number of stages follow from it.
#[derive(Clone, Copy, Debug)]
pub struct RungeKuttaTable {
    /// Coefficients a_ij, row by row up to and including the diagonal.
    pub a: &'static [&'static [f64]],
    /// Weights of the result.
    pub b: &'static [f64],
    /// Weights of the embedded method of another order, for error estimates.
    pub embedded: Option<&'static [f64]>,
}

/// Forward Euler [Euler 1768].
pub const FORWARD_EULER: RungeKuttaTable = RungeKuttaTable {
    a: &[&[0.0]],
    b: &[1.0],
    embedded: None,
};

/// Explicit midpoint rule [Runge 1895].
pub const EXPLICIT_MIDPOINT: RungeKuttaTable = RungeKuttaTable {
    a: &[&[0.0], &[0.5, 0.0]],
    b: &[0.0, 1.0],
    embedded: Some(&[1.0, 0.0]),
};

/// Classical Runge–Kutta method [Kutta 1901].
pub const RK4: RungeKuttaTable = RungeKuttaTable {
    a: &[&[0.0], &[0.5, 0.0], &[0.0, 0.5, 0.0], &[0.0, 0.0, 1.0, 0.0]],
    b: &[1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0],
    embedded: None,
};

/// Backward Euler [Löschner et al. 2020, eq. 3].
pub const BACKWARD_EULER: RungeKuttaTable = RungeKuttaTable {
    a: &[&[1.0]],
    b: &[1.0],
    embedded: None,
};

/// Implicit midpoint rule: Gauss–Legendre with one stage [Dinev et al. 2018, eqs. 5–6].
pub const IMPLICIT_MIDPOINT: RungeKuttaTable = RungeKuttaTable {
    a: &[&[0.5]],
    b: &[1.0],
    embedded: None,
};

/// Trapezoidal rule: Lobatto IIIA with two stages [Linearized Force Error, §3.3].
pub const TRAPEZOID: RungeKuttaTable = RungeKuttaTable {
    a: &[&[0.0], &[0.5, 0.5]],
    b: &[0.5, 0.5],
    embedded: None,
};

/// SDIRK2 with two stages [Alexander 1977]. With g = 1 − √2/2: A = [g; 1−g, g], b = [1−g, g].
/// Embedded: Ellsiepen's first-order weights [1−w, w], w = 2 − 5√2/4.
pub const SDIRK2: RungeKuttaTable = RungeKuttaTable {
    a: &[
        &[0.2928932188134525],
        &[0.7071067811865476, 0.2928932188134525],
    ],
    b: &[0.7071067811865476, 0.2928932188134525],
    embedded: Some(&[0.7677669529663688, 0.23223304703363118]),
};

/// SDIRK3 with three stages [Alexander 1977]. g ≈ 0.4359 solves g³ − 3g² + 3/2 g − 1/6 = 0; b₁ = −(6g² − 16g + 1)/4, b₂
/// = (6g² − 20g + 5)/4, b₃ = g; c₂ = (1 + g)/2.
/// Embedded: the only second-order weights on the first two stages, [g/(1−g), (1−2g)/(1−g), 0].
pub const SDIRK3: RungeKuttaTable = RungeKuttaTable {
    a: &[
        &[0.435866521508459],
        &[0.2820667392457705, 0.435866521508459],
        &[1.20849664917601, -0.644363170684469, 0.435866521508459],
    ],
    b: &[1.20849664917601, -0.644363170684469, 0.435866521508459],
    embedded: Some(&[0.7726301276675511, 0.22736987233244893, 0.0]),
};

/// TR-BDF2 [Bank et al. 1985; Ascher et al. 2021, eq. 9]: a trapezoidal step of γh with γ = 2 − √2, then BDF2; both
/// stages have the diagonal d = 1 − √2/2. With w = √2/4: A = [0; d, d; w, w, d].
/// Embedded: [(1−w)/3, (3w+1)/3, d/3], order 3 [Hosea & Shampine 1996].
pub const TR_BDF2: RungeKuttaTable = RungeKuttaTable {
    a: &[
        &[0.0],
        &[0.2928932188134525, 0.2928932188134525],
        &[0.3535533905932738, 0.3535533905932738, 0.2928932188134525],
    ],
    b: &[0.3535533905932738, 0.3535533905932738, 0.2928932188134525],
    embedded: Some(&[0.21548220313557542, 0.6868867239266071, 0.09763107293781749]),
};

/// TR-BDF2 with γ = ½ [Bathe 2007; Ascher et al. 2021, eq. 8]: a trapezoidal step of h/2, then BDF2. R(z) = (12 +
/// 5z)/(12 − 7z + z²), so it is L-stable, contrary to [Löschner et al. 2020, §5.1] (docs/references.md, E4).
/// Embedded: Simpson's weights, the only third-order ones on these stages.
pub const TR_BDF2_BATHE: RungeKuttaTable = RungeKuttaTable {
    a: &[
        &[0.0],
        &[0.25, 0.25],
        &[0.3333333333333333, 0.3333333333333333, 0.3333333333333333],
    ],
    b: &[0.3333333333333333, 0.3333333333333333, 0.3333333333333333],
    embedded: Some(&[0.16666666666666666, 0.6666666666666666, 0.16666666666666666]),
};

/// SDIRK-NCS23 with two stages [Nørsett 1974; Crouzeix 1975]. g = (3 + √3)/6, A = [g; 1−2g, g]; R(∞) = 1 − √3:
/// A-stable, not L-stable (docs/references.md, E4).
pub const SDIRK_NCS23: RungeKuttaTable = RungeKuttaTable {
    a: &[
        &[0.7886751345948129],
        &[-0.5773502691896257, 0.7886751345948129],
    ],
    b: &[0.5, 0.5],
    embedded: None,
};

/// SDIRK-NC34 with three stages [Nørsett 1974; Crouzeix 1975]. g = cos(π/18)/√3 + ½, d = 1/(6(2g−1)²), A = [g; ½−g, g;
/// 2g, 1−4g, g], b = [d, 1−2d, d]; |R(∞)| = 0.630 (docs/references.md, E4).
pub const SDIRK_NC34: RungeKuttaTable = RungeKuttaTable {
    a: &[
        &[1.0685790213016289],
        &[-0.5685790213016289, 1.0685790213016289],
        &[2.1371580426032577, -3.2743160852065154, 1.0685790213016289],
    ],
    b: &[0.12888640051572042, 0.7422271989685592, 0.12888640051572042],
    embedded: None,
};

/// SDIRK(3,3,4,5) after [Franco, Gómez & Rández 1997], derived by us (docs/references.md, E18): order 3, dispersion
/// order 4, dissipation order 5 and A-stability fix g = cos(π/18)/√3 + ½ and R(z); we chose the free nodes c₂ = ½, c₃ =
/// 0. |R(∞)| = 0.630.
pub const SDIRK_3345: RungeKuttaTable = RungeKuttaTable {
    a: &[
        &[1.0685790213016289],
        &[-0.5685790213016289, 1.0685790213016289],
        &[1.6371580426032577, -2.7057370639048863, 1.0685790213016289],
    ],
    b: &[0.13715804260325762, 0.7068715861427277, 0.15597037125401464],
    embedded: None,
};

/// SDIRK(4,3,4,7) after [Franco, Gómez & Rández 1997], derived by us (docs/references.md, E18): order 3, dispersion
/// order 4, dissipation order 7 and A-stability fix g and R(z); we chose the five free parameters. |R(∞)| = 0.596.
pub const SDIRK_4347: RungeKuttaTable = RungeKuttaTable {
    a: &[
        &[1.2805797612753054],
        &[-0.5305797612753055, 1.2805797612753054],
        &[0.4036810941276076, -1.3509275220695798, 1.2805797612753054],
        &[
            0.19398391753582844,
            1.227809594099235,
            -2.702373272910369,
            1.2805797612753054,
        ],
    ],
    b: &[
        0.0215797899719377,
        0.4495675215021066,
        0.40556914974835456,
        0.12328353877760116,
    ],
    embedded: None,
};

/// Fourth-order method with the R(z) of [`SDIRK_4347`], derived by us (docs/references.md, E18).
pub const SDIRK_4447: RungeKuttaTable = RungeKuttaTable {
    a: &[
        &[1.2805797612753054],
        &[-0.5600670725847791, 1.2805797612753054],
        &[0.40101014838885596, -1.348256576330828, 1.2805797612753054],
        &[
            0.4652490306378528,
            0.6352942436883487,
            -2.381123035601507,
            1.2805797612753054,
        ],
    ],
    b: &[
        0.027677552043686823,
        0.47709159327046136,
        0.3624184211767906,
        0.13281243350906122,
    ],
    embedded: None,
};

/// ILDDDIRK22 with zero dissipation and minimal dispersion, after [Giri & Sen 2020], derived by us (docs/references.md,
/// E18): |R(iν)| = 1 requires a₁₁ + a₂₂ = ½, and the phase error is smallest for a₁₁ = a₂₂; equal weights make it two
/// half steps of the midpoint rule.
pub const ILDDIRK22: RungeKuttaTable = RungeKuttaTable {
    a: &[&[0.25], &[0.5, 0.25]],
    b: &[0.5, 0.5],
    embedded: None,
};
