//! Every law by name: one line here and one file beside it make a law.

use super::{
    Arap, Corotated, CorotatedFrozen, Lame, Linear, Material, MaterialError, MooneyRivlin,
    NeoHookean, StVenantKirchhoff, StableNeoHookean,
};

/// A law as listings, schemas and tests see it.
pub struct LawInfo {
    /// The name users write.
    pub name: &'static str,
    /// One line for a listing.
    pub summary: &'static str,
    /// Where it comes from.
    pub citation: &'static str,
    /// Sets of keys that define it, any one of them.
    pub keys: &'static [&'static [&'static str]],
    /// Whether states with det F ≤ 0 have a finite energy.
    pub survives_inversion: bool,
    /// Whether the energy is unchanged by rotating the deformed body.
    pub objective: bool,
    /// Makes it from Lamé's moduli.
    pub make: fn(Lame) -> Law,
}

const MODULI: &[&[&str]] = &[&["young", "poisson"]];

/// All laws.
pub const LAWS: &[LawInfo] = &[
    LawInfo {
        name: "stable-neo-hookean",
        summary: "rubber and flesh that survive inversion; the default choice",
        citation: "Smith, De Goes, Kim 2018, Stable Neo-Hookean Flesh Simulation",
        keys: MODULI,
        survives_inversion: true,
        objective: true,
        make: |lame| Law::StableNeoHookean(StableNeoHookean::new(lame)),
    },
    LawInfo {
        name: "neo-hookean",
        summary: "rubber with a logarithmic volume term; infinite energy at inversion",
        citation: "Bonet, Wood 2008, Nonlinear Continuum Mechanics, eq. 6.27",
        keys: MODULI,
        survives_inversion: false,
        objective: true,
        make: |lame| Law::NeoHookean(NeoHookean::new(lame)),
    },
    LawInfo {
        name: "stvk",
        summary: "Saint-Venant-Kirchhoff: Hooke's law in Green's strain; softens when squashed",
        citation: "Bonet, Wood 2008, Nonlinear Continuum Mechanics, 6.3",
        keys: MODULI,
        survives_inversion: true,
        objective: true,
        make: |lame| Law::StVenantKirchhoff(StVenantKirchhoff::new(lame)),
    },
    LawInfo {
        name: "linear",
        summary: "small-strain elasticity; for frequencies and tiny motions, grows under rotation",
        citation: "Hooke's law",
        keys: MODULI,
        survives_inversion: true,
        objective: false,
        make: |lame| Law::Linear(Linear::new(lame)),
    },
    LawInfo {
        name: "corotated",
        summary: "linear elasticity with the rotation taken off, exact derivatives",
        citation: "McAdams et al. 2011, Efficient elasticity for character skinning",
        keys: MODULI,
        survives_inversion: true,
        objective: true,
        make: |lame| Law::Corotated(Corotated::new(lame)),
    },
    LawInfo {
        name: "corotated-frozen",
        summary: "corotated with the rotation of the step's start: quadratic within a step",
        citation: "Mueller, Gross 2004, Interactive Virtual Materials",
        keys: MODULI,
        survives_inversion: true,
        objective: true,
        make: |lame| Law::CorotatedFrozen(CorotatedFrozen::new(lame)),
    },
    LawInfo {
        name: "arap",
        summary: "as rigid as possible: corotated without volume stiffness (poisson only sets the shear modulus)",
        citation: "Sorkine, Alexa 2007; Chao et al. 2010",
        keys: MODULI,
        survives_inversion: true,
        objective: true,
        make: |lame| Law::Arap(Arap::new(lame)),
    },
    LawInfo {
        name: "mooney-rivlin",
        summary: "rubber with two shape coefficients and a bulk modulus; infinite energy at inversion",
        citation: "Rivlin 1948; Bonet, Wood 2008, 6.5",
        keys: &[&["young", "poisson"], &["c10", "c01", "kappa"]],
        survives_inversion: false,
        objective: true,
        make: |lame| Law::MooneyRivlin(MooneyRivlin::new(lame)),
    },
];

/// Any one of the laws.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// `stable-neo-hookean`.
    StableNeoHookean(StableNeoHookean),
    /// `neo-hookean`.
    NeoHookean(NeoHookean),
    /// `stvk`.
    StVenantKirchhoff(StVenantKirchhoff),
    /// `linear`.
    Linear(Linear),
    /// `corotated`.
    Corotated(Corotated),
    /// `corotated-frozen`.
    CorotatedFrozen(CorotatedFrozen),
    /// `arap`.
    Arap(Arap),
    /// `mooney-rivlin`.
    MooneyRivlin(MooneyRivlin),
}

/// Work to be compiled once for each law; see [`Law::visit`].
pub trait LawVisitor {
    /// What the work returns.
    type Output;
    /// The work, for one law.
    fn visit<M: Material>(self, law: M) -> Self::Output;
}

impl Law {
    /// The law called `name` with these moduli.
    pub fn new(name: &str, young: f64, poisson: f64) -> Result<Law, MaterialError> {
        let info = LawInfo::find(name)?;
        Ok((info.make)(Lame::from_young_poisson(young, poisson)?))
    }

    /// `mooney-rivlin` by its coefficients.
    pub fn mooney_rivlin(c10: f64, c01: f64, kappa: f64) -> Result<Law, MaterialError> {
        MooneyRivlin::with_coefficients(c10, c01, kappa).map(Law::MooneyRivlin)
    }

    /// Hands the law's own type to `work`, so that its loops are compiled for each law.
    /// Always inlined: code for wide registers is made only inside functions compiled for them.
    #[inline(always)]
    pub fn visit<W: LawVisitor>(&self, work: W) -> W::Output {
        match *self {
            Law::StableNeoHookean(law) => work.visit(law),
            Law::NeoHookean(law) => work.visit(law),
            Law::StVenantKirchhoff(law) => work.visit(law),
            Law::Linear(law) => work.visit(law),
            Law::Corotated(law) => work.visit(law),
            Law::CorotatedFrozen(law) => work.visit(law),
            Law::Arap(law) => work.visit(law),
            Law::MooneyRivlin(law) => work.visit(law),
        }
    }

    /// The weight of a law that fits local/global iterations; see [`Material::projective_weight`].
    pub fn projective_weight(&self) -> Option<f64> {
        struct Projective;
        impl LawVisitor for Projective {
            type Output = Option<f64>;
            fn visit<M: Material>(self, law: M) -> Option<f64> {
                law.projective_weight()
            }
        }
        self.visit(Projective)
    }

    /// Whether states with det F ≤ 0 are forbidden; see [`Material::FORBIDS_INVERSION`].
    pub fn forbids_inversion(&self) -> bool {
        struct ForbidsInversion;
        impl LawVisitor for ForbidsInversion {
            type Output = bool;
            fn visit<M: Material>(self, _: M) -> bool {
                M::FORBIDS_INVERSION
            }
        }
        self.visit(ForbidsInversion)
    }

    /// Whether the law needs [`Strain::frozen`](super::Strain::frozen).
    pub fn freezes_rotation(&self) -> bool {
        struct Freezes;
        impl LawVisitor for Freezes {
            type Output = bool;
            fn visit<M: Material>(self, _: M) -> bool {
                M::FREEZES_ROTATION
            }
        }
        self.visit(Freezes)
    }
}

impl LawInfo {
    /// The law called `name`.
    pub fn find(name: &str) -> Result<&'static LawInfo, MaterialError> {
        LAWS.iter()
            .find(|law| law.name == name)
            .ok_or_else(|| MaterialError::Unknown {
                name: name.into(),
                known: LAWS
                    .iter()
                    .map(|law| law.name)
                    .collect::<Vec<_>>()
                    .join(", "),
            })
    }
}
