//! Registry of the material laws by name.

use super::{
    Arap, Corotated, CorotatedFrozen, Lame, Linear, Material, MaterialError, MooneyRivlin,
    NeoHookean, StVenantKirchhoff, StableNeoHookean,
};

/// Registry entry of a material law: name, description, source and properties.
pub struct LawInfo {
    /// Name in scene files.
    pub name: &'static str,
    /// Description in one line.
    pub summary: &'static str,
    /// Source of the law.
    pub citation: &'static str,
    /// Alternative sets of keys that define the law in a scene file.
    pub keys: &'static [&'static [&'static str]],
    /// Whether the energy is finite at det F ≤ 0.
    pub survives_inversion: bool,
    /// Whether the energy is invariant under rotation of the deformed body.
    pub objective: bool,
    /// Creates the law from Lamé's moduli.
    pub make: fn(Lame) -> Law,
}

const MODULI: &[&[&str]] = &[&["young", "poisson"]];

/// All material laws.
pub const LAWS: &[LawInfo] = &[
    LawInfo {
        name: "stable-neo-hookean",
        summary: "rubber and flesh; finite energy at inversion; recommended",
        citation: "Smith, De Goes, Kim 2018, Stable Neo-Hookean Flesh Simulation",
        keys: MODULI,
        survives_inversion: true,
        objective: true,
        make: |lame| Law::StableNeoHookean(StableNeoHookean::new(lame)),
    },
    LawInfo {
        name: "neo-hookean",
        summary: "rubber with logarithmic volume term; infinite energy at inversion",
        citation: "Bonet, Wood 2008, Nonlinear Continuum Mechanics, eq. 6.27",
        keys: MODULI,
        survives_inversion: false,
        objective: true,
        make: |lame| Law::NeoHookean(NeoHookean::new(lame)),
    },
    LawInfo {
        name: "stvk",
        summary: "St. Venant–Kirchhoff: linear in the Green strain; softens under compression",
        citation: "Bonet, Wood 2008, Nonlinear Continuum Mechanics, 6.3",
        keys: MODULI,
        survives_inversion: true,
        objective: true,
        make: |lame| Law::StVenantKirchhoff(StVenantKirchhoff::new(lame)),
    },
    LawInfo {
        name: "linear",
        summary: "linear elasticity for small strains; not invariant under rotation",
        citation: "Hooke's law",
        keys: MODULI,
        survives_inversion: true,
        objective: false,
        make: |lame| Law::Linear(Linear::new(lame)),
    },
    LawInfo {
        name: "corotated",
        summary: "corotated linear elasticity with exact derivatives of the rotation",
        citation: "McAdams et al. 2011, Efficient elasticity for character skinning",
        keys: MODULI,
        survives_inversion: true,
        objective: true,
        make: |lame| Law::Corotated(Corotated::new(lame)),
    },
    LawInfo {
        name: "corotated-frozen",
        summary: "corotated, rotation frozen at the start of the step: quadratic within a step",
        citation: "Mueller, Gross 2004, Interactive Virtual Materials",
        keys: MODULI,
        survives_inversion: true,
        objective: true,
        make: |lame| Law::CorotatedFrozen(CorotatedFrozen::new(lame)),
    },
    LawInfo {
        name: "arap",
        summary: "as-rigid-as-possible: corotated with lambda = 0 (poisson sets the shear modulus only)",
        citation: "Sorkine, Alexa 2007; Chao et al. 2010",
        keys: MODULI,
        survives_inversion: true,
        objective: true,
        make: |lame| Law::Arap(Arap::new(lame)),
    },
    LawInfo {
        name: "mooney-rivlin",
        summary: "rubber with two deviatoric coefficients and a bulk modulus; infinite energy at inversion",
        citation: "Rivlin 1948; Bonet, Wood 2008, 6.5",
        keys: &[&["young", "poisson"], &["c10", "c01", "kappa"]],
        survives_inversion: false,
        objective: true,
        make: |lame| Law::MooneyRivlin(MooneyRivlin::new(lame)),
    },
];

/// A hyperelastic material law with its elastic moduli.
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

/// A function that is compiled once for each law; see [`Law::visit`].
pub trait LawVisitor {
    /// Return type.
    type Output;
    /// Calls the function with one law.
    fn visit<M: Material>(self, law: M) -> Self::Output;
}

impl Law {
    /// Creates the law called `name` with these moduli.
    pub fn new(name: &str, young: f64, poisson: f64) -> Result<Law, MaterialError> {
        let info = LawInfo::find(name)?;
        Ok((info.make)(Lame::from_young_poisson(young, poisson)?))
    }

    /// Creates `mooney-rivlin` from its coefficients, Pa.
    pub fn mooney_rivlin(c10: f64, c01: f64, kappa: f64) -> Result<Law, MaterialError> {
        MooneyRivlin::with_coefficients(c10, c01, kappa).map(Law::MooneyRivlin)
    }

    /// Calls `work` with the concrete type of the law, which compiles its loops for each law. It is always inlined: AVX2
    /// code is generated only inside functions compiled for AVX2.
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

    /// Weight of the law in local/global iterations, or `None`; see [`Material::projective_weight`].
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

    /// Returns `true` if states with det F ≤ 0 are forbidden; see [`Material::FORBIDS_INVERSION`].
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

    /// Returns `true` if the law uses [`Strain::frozen`](super::Strain::frozen).
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
    /// Returns the registry entry called `name`, or an error that lists the known names.
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
