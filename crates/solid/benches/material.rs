//! Nanoseconds per element of every law: energy, stress, exact and definite second derivative, with AVX2 if available.
//!
//! `cargo bench -p supple-solid --bench material`. One thread, best of many runs. `small` states are stretched by a few per
//! cent; `large` ones have stretches between 0.2 and 2 and, if the law allows it, are inverted.

use base::random::Random;
use solid::lanes::{Lanes, Mat3};
use solid::material::{Curvature, LAWS, Law, LawVisitor, Material, Strain};
use solid::small3;
use std::hint::black_box;
use std::time::Instant;

const GROUPS: usize = 512;

struct Times([f64; 4]);

struct Bench<'a> {
    strains: &'a [Strain<'a>],
}

impl LawVisitor for Bench<'_> {
    type Output = Times;
    fn visit<M: Material>(self, law: M) -> Times {
        let s = self.strains;
        Times([
            best(s.len(), || energies(law, s)),
            best(s.len(), || stresses(law, s)),
            best(s.len(), || curvatures(law, s, Curvature::Exact)),
            best(s.len(), || curvatures(law, s, Curvature::Definite)),
        ])
    }
}

/// Declares a loop over strains and a copy of it compiled for AVX2, as in the element kernels.
macro_rules! kernel {
    ($name:ident, $wide:ident, ($($arg:ident: $ty:ty),*), $law:ident, $s:ident => $work:expr) => {
        fn $name<M: Material>(law: M, strains: &[Strain] $(, $arg: $ty)*) {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                fn $wide<M: Material>($law: M, strains: &[Strain] $(, $arg: $ty)*) {
                    for $s in strains {
                        black_box(&$work);
                    }
                }
                if std::arch::is_x86_feature_detected!("avx2") {
                    // SAFETY: the machine was asked
                    return unsafe { $wide(law, strains $(, $arg)*) };
                }
            }
            let $law = law;
            for $s in strains {
                black_box(&$work);
            }
        }
    };
}
kernel!(energies, energies_wide, (), law, s => law.energy(s));
kernel!(stresses, stresses_wide, (), law, s => law.stress(s));
kernel!(curvatures, curvatures_wide, (c: Curvature), law, s => law.hessian(s, c));

fn svds(strains: &[Strain]) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        fn wide(strains: &[Strain]) {
            for s in strains {
                black_box(&small3::svd(&small3::plus_identity(&s.g)));
            }
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the machine was asked
            return unsafe { wide(strains) };
        }
    }
    for s in strains {
        black_box(&small3::svd(&small3::plus_identity(&s.g)));
    }
}

/// Best time, ns per element.
fn best(groups: usize, mut run: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..60 {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed().as_secs_f64());
    }
    best * 1e9 / (groups * Lanes::WIDTH) as f64
}

fn uniform(dice: &mut Random, a: f64, b: f64) -> Lanes {
    Lanes(std::array::from_fn(|_| dice.between(a, b)))
}

fn random_rotation(dice: &mut Random) -> Mat3 {
    small3::rotation(
        &small3::mat3(|_, _| Lanes::ZERO).map(|row| row.map(|_| uniform(dice, -1.0, 1.0))),
    )
}

fn strains(low: f64, high: f64, inverted: bool) -> Vec<Strain<'static>> {
    let mut dice = Random::new(7);
    (0..GROUPS)
        .map(|_| {
            let (u, v) = (random_rotation(&mut dice), random_rotation(&mut dice));
            let mut s = [(); 3].map(|()| uniform(&mut dice, low, high));
            if inverted {
                s[2] *= uniform(&mut dice, -0.5, 1.0);
            }
            let f = small3::mul_transpose(&small3::mat3(|i, j| u[i][j] * s[j]), &v);
            let g = small3::mat3(|i, j| if i == j { f[i][j] - 1.0 } else { f[i][j] });
            let frozen = Box::leak(Box::new(small3::mul_transpose(&u, &v)));
            Strain { g, frozen }
        })
        .collect()
}

fn main() {
    println!(
        "{:<20} {:>8} {:>8} {:>8} {:>9}   ns per element, {GROUPS} groups of {}",
        "law",
        "energy",
        "stress",
        "exact",
        "definite",
        Lanes::WIDTH
    );
    for (strain_size, low, high) in [("small", 0.95, 1.05), ("large", 0.2, 2.0)] {
        for info in LAWS {
            let Ok(law) = Law::new(info.name, 1e6, 0.4) else {
                continue;
            };
            let strains = strains(low, high, strain_size == "large" && info.survives_inversion);
            let Times([e, s, x, d]) = law.visit(Bench { strains: &strains });
            println!(
                "{:<20} {e:>8.1} {s:>8.1} {x:>8.1} {d:>9.1}   {strain_size}",
                info.name
            );
        }
        let strains = strains(low, high, strain_size == "large");
        println!(
            "{:<20} {:>8.1}   {strain_size}",
            "svd",
            best(strains.len(), || svds(&strains))
        );
    }
}
