//! `[time]` and `[solver]`: time integration and solution of the equations of a step.

use march::methods::{PARAMETERS, Parameter, ParameterForm, Parameters, STATIC};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Time integration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Time {
    /// Integration method: a name, or a table with the name and its parameters.
    #[serde(default)]
    pub method: Method,
    /// Time step (s); with step control, the first step, which is estimated if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub step: Option<f64>,
    /// Number of load steps of `method = "static"`, 10 if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub steps: Option<u32>,
    /// End time (s); under `method = "static"` the pseudo-time of the full loads, 1 if left out.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub until: f64,
    /// Number of frames per second of simulated time (1/s).
    #[serde(default = "fps")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub fps: f64,
    /// Simulated time between checkpoints (s); if left out, only the end is saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub checkpoint_every: Option<f64>,
    /// Rannacher start-up: start a scattered body with backward Euler if the method would not damp it.
    #[serde(default = "calm_start", skip_serializing_if = "is_default_start")]
    pub calm_start: bool,
    /// Step control: choose steps from an error estimate instead of using `step`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<Control>,
    /// Energy tracking around the method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stabilise: Option<Stabilise>,
}

impl Time {
    /// Returns whether the scene is one of statics.
    pub fn is_static(&self) -> bool {
        self.method.name == STATIC.name
    }

    /// Returns the number of frames per second: one a load step in statics.
    pub fn frame_rate(&self) -> f64 {
        match self.is_static() {
            true => 1.0 / self.nominal_step(),
            false => self.fps,
        }
    }

    /// Returns the step (s), or the time between two frames if `step` was left out; in statics the load step.
    pub fn nominal_step(&self) -> f64 {
        if self.is_static() {
            return self.until / f64::from(self.steps.unwrap_or(DEFAULT_LOAD_STEPS));
        }
        self.step.unwrap_or(self.until.min(1.0 / self.fps))
    }
}

/// Number of load steps if the scene does not give it.
const DEFAULT_LOAD_STEPS: u32 = 10;

fn fps() -> f64 {
    30.0
}

fn calm_start() -> bool {
    true
}

fn is_default_start(calm_start: &bool) -> bool {
    *calm_start
}

/// An integration method and its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "MethodSyntax", into = "MethodSyntax")]
pub struct Method {
    /// Name in the registry of methods.
    pub name: String,
    /// Parameters of the method; each method checks which ones it takes.
    pub params: Parameters,
}

impl Default for Method {
    fn default() -> Self {
        Method {
            name: "sdirk2".into(),
            params: Parameters::default(),
        }
    }
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum MethodSyntax {
    /// Name of a method, with default parameters.
    Name(String),
    /// Name of a method, with parameters.
    Table(MethodTable),
}

/// `name` and the keys of [`Parameters`].
#[derive(Clone, Serialize, Deserialize)]
struct MethodTable {
    name: String,
    #[serde(flatten)]
    params: serde_json::Map<String, Value>,
}

impl JsonSchema for MethodTable {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "MethodTable".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let mut keys = serde_json::Map::new();
        keys.insert("name".into(), json!({
            "description": "Name in the registry of methods (`supple list methods`); `dirk` is your own tableau, `static` is no integrator but statics.",
            "type": "string",
        }));
        keys.extend(PARAMETERS.iter().map(|p| (p.key.into(), described(p))));
        schemars::json_schema!({
            "description": "A method and its parameters.",
            "type": "object",
            "properties": keys,
            "required": ["name"],
            "additionalProperties": false,
        })
    }
}

/// Returns the JSON Schema of a parameter of a method.
fn described(p: &Parameter) -> Value {
    let number = json!({ "type": "number", "format": "double" });
    let list = json!({ "type": "array", "items": number });
    let mut schema = match p.form {
        ParameterForm::Number(None) => number,
        ParameterForm::Number(Some([least, most])) => {
            json!({ "type": "number", "format": "double", "minimum": least, "maximum": most })
        }
        ParameterForm::Count => json!({ "type": "integer", "format": "uint32", "minimum": 1 }),
        ParameterForm::CountOrWord(words) => json!({
            "anyOf": [
                { "type": "integer", "format": "uint32", "minimum": 1 },
                { "type": "string", "enum": words },
            ],
        }),
        ParameterForm::List => list,
        ParameterForm::Matrix(None) => json!({ "type": "array", "items": list }),
        ParameterForm::Matrix(Some(instead)) => {
            json!({ "type": "array", "items": list, "x-instead": instead })
        }
    };
    schema["description"] = p.description.into();
    schema
}

impl TryFrom<MethodSyntax> for Method {
    type Error = serde_json::Error;

    fn try_from(words: MethodSyntax) -> Result<Self, Self::Error> {
        Ok(match words {
            MethodSyntax::Name(name) => Method {
                name,
                params: Parameters::default(),
            },
            MethodSyntax::Table(t) => Method {
                name: t.name,
                params: Parameters::deserialize(Value::Object(t.params))?,
            },
        })
    }
}

impl From<Method> for MethodSyntax {
    fn from(Method { name, params }: Method) -> Self {
        // Options of numbers and lists always have a JSON form.
        match serde_json::to_value(params) {
            Ok(Value::Object(params)) if !params.is_empty() => {
                MethodSyntax::Table(MethodTable { name, params })
            }
            _ => MethodSyntax::Name(name),
        }
    }
}

/// Step control.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Control {
    /// Kind of control; `auto` if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<ControlKind>,
    /// Error tolerance (m), 0.001 if left out: per step, or per second of motion under `auto` and `doubling`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tolerance: Option<f64>,
    /// Safety factor: fraction of the tolerance to aim at, above 0 and at most 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub safety: Option<f64>,
    /// Smallest step (s); a millionth of `step` if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub min: Option<f64>,
    /// Largest step (s); the whole run if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub max: Option<f64>,
    /// Exponent of tolerance/error in the factor by which the step changes; derived from the order if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub exponent: Option<f64>,
    /// Largest number of bonds that may break at the end of a step; a shorter step is tried if more would. Unlimited if
    /// left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub break_limit: Option<u64>,
}

impl Control {
    /// Returns the kind of control, `Auto` if none is written.
    pub fn kind(&self) -> ControlKind {
        self.kind.unwrap_or(ControlKind::Auto)
    }

    /// Returns whether the control chooses the steps, instead of only halving those that fail.
    pub fn chooses_steps(&self) -> bool {
        !matches!(self.kind(), ControlKind::Retreat | ControlKind::Fixed)
    }
}

/// Kinds of step control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ControlKind {
    /// The larger of the force error and the embedded or doubling estimate.
    Auto,
    /// Error of the linearised force [Linearized Force Error, eq. 8].
    ForceError,
    /// Embedded error estimate.
    Embedded,
    /// Speed limit: the fastest node travels the tolerance.
    Speed,
    /// Stretch limit: largest change of length of a mesh edge.
    Stretch,
    /// Step doubling: one step against two half steps.
    Doubling,
    /// Step halving: halve the step if it fails, restore it later.
    Retreat,
    /// Fixed step; a failed step ends the run.
    Fixed,
}

impl ControlKind {
    /// Returns the name used in scene files.
    pub const fn name(self) -> &'static str {
        match self {
            ControlKind::Auto => "auto",
            ControlKind::ForceError => "force-error",
            ControlKind::Embedded => "embedded",
            ControlKind::Speed => "speed",
            ControlKind::Stretch => "stretch",
            ControlKind::Doubling => "doubling",
            ControlKind::Retreat => "retreat",
            ControlKind::Fixed => "fixed",
        }
    }
}

/// Conservation of energy around the method, by energy tracking [Dinev et al. 2018] or projections.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Stabilise {
    /// How the energy error is corrected.
    #[serde(default)]
    pub kind: StabiliseKind,
    /// Relative tolerance of the energy.
    #[serde(default = "stabilise_tolerance")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tolerance: f64,
    /// Angular momentum of blended steps; `keep` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub angular_momentum: Option<AngularMomentum>,
    /// Whether the energy that is kept includes that of contact; `include` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact_energy: Option<ContactEnergy>,
}

/// What the energy that is kept does with the energy of contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ContactEnergy {
    /// Keep the sum of all energies.
    Include,
    /// Leave the energy of contact out [Dinev et al. 2018].
    Exclude,
}

/// What blending does to the angular momentum of free bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AngularMomentum {
    /// Keep the angular momentum of the unblended step.
    Keep,
    /// Blend it too [Dinev et al. 2018, Algorithm 1].
    Blend,
}

/// Corrections of the energy error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StabiliseKind {
    /// Blend in backward or forward Euler, positions and velocities.
    #[default]
    Blend,
    /// Scale the velocities; for comparison only: fails if the potential energy alone is too large.
    Project,
    /// Move positions and velocities to the nearest state with the right energy and momenta [Dinev et al. 2018b].
    Fepr,
    /// Constrain the energy by a Lagrange multiplier [Hughes, Caughey & Liu 1978]; for comparison only: motion may get
    /// stuck.
    Multiplier,
}

impl StabiliseKind {
    /// Returns the word in scene files.
    pub const fn name(self) -> &'static str {
        match self {
            StabiliseKind::Blend => "blend",
            StabiliseKind::Project => "project",
            StabiliseKind::Fepr => "fepr",
            StabiliseKind::Multiplier => "multiplier",
        }
    }
}

fn stabilise_tolerance() -> f64 {
    0.01
}

/// Solution of the nonlinear and linear equations of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Solver {
    /// Form of the nonlinear iteration.
    pub newton: Newton,
    /// Tolerance of the residual force, relative to the force scale of the step.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub tolerance: f64,
    /// Fraction of the step's own error at which the iteration may stop early; 0.01 is conservative. If left out, 0.01 in stages in which a barrier acts, for methods that end on a stage, and off elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub accuracy: Option<f64>,
    /// When element Hessians are projected to positive semi-definite.
    pub projection: Projection,
    /// How long factors of Newton's matrix are reused.
    pub factors: Factors,
    /// Number of iterations without progress after which a step fails.
    #[schemars(range(min = 1, max = 100_000))]
    pub max_iterations: u32,
    /// Number of iterations of the local/global solver in a stage.
    #[schemars(range(min = 1, max = 100_000))]
    pub iterations: u32,
    /// Solver of the linear equations.
    pub linear: Linear,
}

impl Default for Solver {
    fn default() -> Self {
        Solver {
            newton: Newton::Minimise,
            tolerance: 1e-8,
            accuracy: None,
            projection: Projection::OnDemand,
            factors: Factors::Keep,
            max_iterations: 50,
            iterations: 10,
            linear: Linear::Auto,
        }
    }
}

/// Nonlinear iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Newton {
    /// Minimise the incremental potential with a line search; robust.
    Minimise,
    /// Newton's method on the residual.
    Residual,
    /// Scaled least squares on the residual; for forces without potential.
    LeastSquares,
    /// Alternate local projections and global solves with a constant matrix.
    LocalGlobal,
}

/// When element Hessians are projected to positive semi-definite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Projection {
    /// Only if the exact Hessian gives no descent direction, alternating with a diagonal shift; fewest iterations.
    OnDemand,
    /// In every iteration.
    Always,
    /// Never; a multiple of the diagonal is added if the exact Hessian gives no descent direction.
    Never,
}

/// How long factors of Newton's matrix are reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Factors {
    /// Reuse over steps while it is cheaper than a new factorization; fastest.
    Keep,
    /// Factor in every step: counts are comparable with those of papers.
    EachStep,
}

/// Solvers of the linear equations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Linear {
    /// Cholesky, or LU if the matrix is indefinite; conjugate gradients for bodies of many bonds.
    Auto,
    /// Sparse Cholesky.
    Cholesky,
    /// Sparse LU.
    Lu,
    /// Preconditioned conjugate gradients.
    Cg,
}
