//! `[time]` and `[solver]`: how a scene advances.

use march::methods::{Form, PARAMETERS, Parameter, Parameters};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// How the scene advances in time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Time {
    /// Integration method: a name, or a table with the name and its parameters.
    #[serde(default)]
    pub method: Method,
    /// Time step (s); with a step-size control, the first one, which is estimated if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub step: Option<f64>,
    /// Simulated time at which the run ends (s).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub until: f64,
    /// Frames written per second of simulated time (1/s).
    #[serde(default = "fps")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub fps: f64,
    /// Simulated time between checkpoints (s); without it only the end is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub checkpoint_every: Option<f64>,
    /// Begin a scattered body with backward Euler where the method would not calm it down.
    #[serde(default = "calm_start", skip_serializing_if = "is_calm")]
    pub calm_start: bool,
    /// Choose steps from an error estimate instead of keeping `step`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<Control>,
    /// Energy tracking around the method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stabilise: Option<Stabilise>,
}

impl Time {
    /// The step (s); if step control is to find it, the time between two frames.
    pub fn nominal_step(&self) -> f64 {
        self.step.unwrap_or(self.until.min(1.0 / self.fps))
    }
}

fn fps() -> f64 {
    30.0
}

fn calm_start() -> bool {
    true
}

fn is_calm(calm: &bool) -> bool {
    *calm
}

/// An integration method and its parameters; each method knows which it takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "MethodSyntax", into = "MethodSyntax")]
pub struct Method {
    /// Name in the registry of methods.
    pub name: String,
    /// Parameters written beside the name.
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
    /// Name of a method, with its usual parameters.
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
            "description": "Name in the registry of methods (`supple list methods`); `dirk` is your own tableau.",
            "type": "string",
        }));
        keys.extend(PARAMETERS.iter().map(|p| (p.key.into(), described(p))));
        keys.insert(
            "modes".into(),
            json!({
                "description": "Number of vibration modes treated exactly.",
                "type": "integer",
                "x-later": "vibration modes treated exactly are",
            }),
        );
        schemars::json_schema!({
            "description": "A method and its parameters.",
            "type": "object",
            "properties": keys,
            "required": ["name"],
            "additionalProperties": false,
        })
    }
}

/// The schema of a method's parameter.
fn described(p: &Parameter) -> Value {
    let number = json!({ "type": "number", "format": "double" });
    let list = json!({ "type": "array", "items": number });
    let mut schema = match p.form {
        Form::Number(None) => number,
        Form::Number(Some([least, most])) => {
            json!({ "type": "number", "format": "double", "minimum": least, "maximum": most })
        }
        Form::List => list,
        Form::Matrix(None) => json!({ "type": "array", "items": list }),
        Form::Matrix(Some(instead)) => {
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

/// Choice of steps from an error estimate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Control {
    /// Which estimate chooses the step; auto if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<ControlKind>,
    /// Error allowed (m), 0.001 if left out: in a step, or, under auto and doubling, in a second of steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tolerance: Option<f64>,
    /// Factor kept below the step the estimate allows, above 0 and at most 1.
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
    /// Power of tolerance over error by which the step changes; the method's own if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub exponent: Option<f64>,
}

impl Control {
    /// The kind of control.
    pub fn kind(&self) -> ControlKind {
        self.kind.unwrap_or(ControlKind::Auto)
    }
}

/// Estimates that can choose the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ControlKind {
    /// The larger of the force error and the embedded or doubling estimate.
    Auto,
    /// Difference of the force from its linearisation.
    ForceError,
    /// Difference from the method's embedded companion.
    Embedded,
    /// Speed of the fastest node.
    Speed,
    /// Change of length of mesh edges.
    Stretch,
    /// One step against two halves.
    Doubling,
    /// Halve when a step fails, grow when it goes well.
    Retreat,
    /// Steps of one length; one that fails ends the run.
    Fixed,
}

impl ControlKind {
    /// The word used in scene files.
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

/// Energy tracking around the method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Stabilise {
    /// How the energy is brought back.
    #[serde(default)]
    pub kind: StabiliseKind,
    /// Relative error of energy allowed.
    #[serde(default = "stabilise_tolerance")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tolerance: f64,
    /// What becomes of angular momentum where energy is blended back; keep.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub angular_momentum: Option<AngularMomentum>,
}

/// What blending does to the angular momentum of parts that nothing holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AngularMomentum {
    /// That of the method's own step stays.
    Keep,
    /// Blended like all else, as printed.
    Blend,
}

/// Ways to bring energy back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StabiliseKind {
    /// Blend in backward or forward Euler, positions and velocities.
    #[default]
    Blend,
    /// Scale the velocities; for comparison, as kinetic energy cannot be less than zero.
    Project,
}

fn stabilise_tolerance() -> f64 {
    0.01
}

/// How the equations of a step are solved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Solver {
    /// Form of the nonlinear iteration.
    pub newton: Newton,
    /// Residual force relative to the force scale of the step.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub tolerance: f64,
    /// Share of the step's own error that the iteration may leave, where that allows to stop earlier; 0.01 is careful.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub accuracy: Option<f64>,
    /// When second derivatives are made definite, where the iteration descends the incremental potential.
    pub projection: Projection,
    /// How long factors of Newton's matrix serve.
    pub factors: Factors,
    /// Iterations without progress after which a step is given up.
    #[schemars(range(min = 1, max = 100_000))]
    pub max_iterations: u32,
    /// Iterations of the local/global solver in a step.
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

/// Forms of the nonlinear iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Newton {
    /// Descend the incremental potential with a line search; robust.
    Minimise,
    /// Plain Newton on the residual.
    Residual,
    /// Newton on the residual, measured by the step it asks for; for forces without potential.
    LeastSquares,
    /// Alternate local projections with one global solve.
    LocalGlobal,
}

/// When second derivatives are made definite, element by element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Projection {
    /// By turns where the exact ones give no descent; fewest iterations.
    OnDemand,
    /// In every iteration.
    Always,
    /// Never: a multiple of the diagonal is added where the exact ones give no descent.
    Never,
}

/// How long factors of Newton's matrix serve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Factors {
    /// Over steps, as long as they are worth more than new ones; fastest.
    Keep,
    /// No longer than a step: what is counted is what the method asks for, as papers count.
    EachStep,
}

/// Solvers of the linear equations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Linear {
    /// Cholesky, falling back to LU when the matrix is indefinite.
    Auto,
    /// Sparse Cholesky.
    Cholesky,
    /// Sparse LU.
    Lu,
    /// Preconditioned conjugate gradients.
    Cg,
}
