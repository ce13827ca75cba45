//! SIMD dispatch: kernels and laws are compiled twice, for the baseline instruction set and for AVX2.
//!
//! Both compute the same bytes, since no operation is fused or reordered; only the register width differs. The choice is
//! made once for each chunk of elements.

use crate::lanes::{Lanes, Mat3};
use crate::material::{Curvature, Hessian, Law, LawVisitor, Material, Strain};

/// An instruction set that the material laws are compiled for.
pub trait SimdTarget {
    /// [`Material::energy`], compiled for this target.
    fn energy(law: &Law, e: &Strain) -> Lanes;
    /// [`Material::stress`], compiled for this target.
    fn stress(law: &Law, e: &Strain) -> Mat3;
    /// [`Material::hessian`], compiled for this target.
    fn hessian(law: &Law, e: &Strain, c: Curvature, out: &mut Hessian);
}

struct Energy<'a>(&'a Strain<'a>);
impl LawVisitor for Energy<'_> {
    type Output = Lanes;
    #[inline(always)]
    fn visit<M: Material>(self, law: M) -> Lanes {
        law.energy(self.0)
    }
}

struct Stress<'a>(&'a Strain<'a>);
impl LawVisitor for Stress<'_> {
    type Output = Mat3;
    #[inline(always)]
    fn visit<M: Material>(self, law: M) -> Mat3 {
        law.stress(self.0)
    }
}

struct Stiffness<'a>(&'a Strain<'a>, Curvature, &'a mut Hessian);
impl LawVisitor for Stiffness<'_> {
    type Output = ();
    #[inline(always)]
    fn visit<M: Material>(self, law: M) {
        *self.2 = law.hessian(self.0, self.1);
    }
}

/// The baseline instruction set.
pub struct Baseline;

impl SimdTarget for Baseline {
    #[inline(never)]
    fn energy(law: &Law, e: &Strain) -> Lanes {
        law.visit(Energy(e))
    }

    #[inline(never)]
    fn stress(law: &Law, e: &Strain) -> Mat3 {
        law.visit(Stress(e))
    }

    #[inline(never)]
    fn hessian(law: &Law, e: &Strain, c: Curvature, out: &mut Hessian) {
        law.visit(Stiffness(e, c, out));
    }
}

/// AVX2, with 256-bit registers. Use it only inside functions compiled for AVX2, which may be called only if
/// [`has_avx2`] returns `true`.
#[cfg(target_arch = "x86_64")]
pub struct Avx2;

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::*;

    /// Energy, compiled for AVX2.
    #[target_feature(enable = "avx2")]
    pub fn energy(law: &Law, e: &Strain) -> Lanes {
        law.visit(Energy(e))
    }

    /// Stress, compiled for AVX2.
    #[target_feature(enable = "avx2")]
    pub fn stress(law: &Law, e: &Strain) -> Mat3 {
        law.visit(Stress(e))
    }

    /// Second derivative, compiled for AVX2.
    #[target_feature(enable = "avx2")]
    pub fn hessian(law: &Law, e: &Strain, c: Curvature, out: &mut Hessian) {
        law.visit(Stiffness(e, c, out));
    }
}

#[cfg(target_arch = "x86_64")]
impl SimdTarget for Avx2 {
    #[inline(always)]
    fn energy(law: &Law, e: &Strain) -> Lanes {
        // SAFETY: this machine has AVX2, see the type.
        unsafe { avx2::energy(law, e) }
    }

    #[inline(always)]
    fn stress(law: &Law, e: &Strain) -> Mat3 {
        // SAFETY: this machine has AVX2, see the type.
        unsafe { avx2::stress(law, e) }
    }

    #[inline(always)]
    fn hessian(law: &Law, e: &Strain, c: Curvature, out: &mut Hessian) {
        // SAFETY: this machine has AVX2, see the type.
        unsafe { avx2::hessian(law, e, c, out) }
    }
}

/// Returns `true` if this machine has AVX2.
#[inline]
pub fn has_avx2() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        std::arch::is_x86_feature_detected!("avx2")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
}

/// Evaluates `$call`, an expression generic in the type named `$machine`, compiled for the best instruction set of this
/// machine.
macro_rules! on_this_machine {
    ($machine:ident => $call:expr) => {{
        #[cfg(target_arch = "x86_64")]
        if $crate::potential::simd::has_avx2() {
            #[target_feature(enable = "avx2")]
            fn enter<R>(work: impl FnOnce() -> R) -> R {
                work()
            }
            type $machine = $crate::potential::simd::Avx2;
            // SAFETY: the machine has AVX2, as checked above.
            return unsafe {
                enter(
                    #[inline(always)]
                    || $call,
                )
            };
        }
        type $machine = $crate::potential::simd::Baseline;
        $call
    }};
}
pub(crate) use on_this_machine;
