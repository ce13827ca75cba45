//! Contact that is enforced at the end of a step, instead of by forces: points of contact as rows over the unknowns.

use super::At;

pub use sparse::blocks::NO_UNKNOWN;

/// Point of contact between two surfaces, as of the start of a step.
///
/// The relative velocity is Σ wₚ vₚ over at most four points, such as a vertex (w = 1) and the corners of a triangle; the
/// weights of everything that takes part, obstacles included, sum to zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// Unknowns of the three components of each point; [`NO_UNKNOWN`] for prescribed components.
    pub unknowns: [[u32; 3]; 4],
    /// Weights of the points.
    pub weights: [f64; 4],
    /// Unit normal, along which the relative velocity of surfaces that separate is positive, and two tangents.
    pub axes: [[f64; 3]; 3],
    /// Gap at the start of the step, m; negative if the surfaces overlap.
    pub gap: f64,
    /// Relative displacement in the step of everything that is prescribed: Σ wₚ Δxₚ over prescribed components, m.
    pub carried_displacement: [f64; 3],
    /// Relative velocity at the end of the step of everything that is prescribed, m/s.
    pub carried_velocity: [f64; 3],
    /// Coefficient of friction.
    pub friction: f64,
    /// Whether a normal impulse acted here in the last step.
    pub was_active: bool,
    /// Number by which the system recognises the point.
    pub key: u64,
}

/// Which points of contact are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactSearch {
    /// Those that touch or overlap at the start of the step.
    Touching,
    /// Those that could touch within the step.
    Reachable,
}

/// Impulse at a point of contact in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactImpulse {
    /// Components along the axes of the point, N s; the first is not negative.
    pub impulse: [f64; 3],
    /// Sliding speed at the end of the step, m/s.
    pub slip: f64,
    /// Gap at the end of the step, m.
    pub gap: f64,
}

/// System whose contact is enforced at the end of a step.
pub trait StepContact {
    /// Finds the points of contact of a step from `from` to `end`, which does not know of contact, in a fixed order.
    fn contact_points(
        &mut self,
        from: At,
        end: At,
        search: ContactSearch,
        out: &mut Vec<ContactPoint>,
    );

    /// Records the impulses of an attempt of a step of length `h`; they become history with the next
    /// [`System::commit`](crate::System::commit) at the time of its end, `t`.
    fn record_impulses(
        &mut self,
        t: f64,
        h: f64,
        points: &[ContactPoint],
        impulses: &[ContactImpulse],
    );

    /// Sets the constant force on the unknowns that acts in the stages from now on, N; `None` for none.
    fn set_contact_force(&mut self, force: Option<&[f64]>);
}
