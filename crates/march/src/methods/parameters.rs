//! Parameters of methods.
//!
//! A line of the table has a key of `method = { name = …, … }` in scene files, the field of [`Parameters`] that holds
//! its value, its form and its description for the schema. The keys that a method takes are in its row of
//! [`super::METHODS`].

use exponential::Refresh;
use serde::{Deserialize, Serialize};

/// Parameter that some methods take.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Key in scene files.
    pub key: &'static str,
    /// Description in one sentence.
    pub description: &'static str,
    /// Form of its value.
    pub form: ParameterForm,
    /// Returns `true` if the parameter is given.
    pub given: fn(&Parameters) -> bool,
}

/// Form of the value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParameterForm {
    /// Number, within these limits if there are any.
    Number(Option<[f64; 2]>),
    /// Positive whole number.
    Count,
    /// Positive whole number, or one of these words.
    CountOrWord(&'static [&'static str]),
    /// List of numbers.
    List,
    /// Rows of numbers, and a hint for users who give a single number.
    Matrix(Option<&'static str>),
}

/// Declares [`Parameters`] and [`PARAMETERS`].
macro_rules! parameters {
    ($($key:literal $field:ident: $type:ty, $form:expr, $description:literal;)*) => {
        /// Values of the parameters of a method.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Parameters {
            $(
                #[doc = $description]
                #[serde(rename = $key, default, skip_serializing_if = "Option::is_none")]
                pub $field: Option<$type>,
            )*
        }

        /// All parameters of all methods.
        pub static PARAMETERS: [Parameter; [$($key),*].len()] = [$(Parameter {
            key: $key,
            description: $description,
            form: $form,
            given: |p| p.$field.is_some(),
        }),*];
    };
}

type Rows = Vec<Vec<f64>>;

parameters! {
    "beta" beta: f64, ParameterForm::Number(None), "Newmark's β.";
    "gamma" gamma: f64, ParameterForm::Number(None), "Newmark's γ.";
    "rho-inf" rho_inf: f64, ParameterForm::Number(Some([0.0, 1.0])),
        "Spectral radius at infinite frequency of α-methods, 0 (annihilates) to 1 (keeps).";
    "A" a: Rows, ParameterForm::Matrix(None), "Rows of the Runge–Kutta matrix of your own tableau.";
    "b" b: Vec<f64>, ParameterForm::List, "Weights of your own tableau.";
    "b-hat" b_hat: Vec<f64>, ParameterForm::List,
        "Weights of the embedded method of your own tableau, for error estimates.";
    "c" c: Vec<f64>, ParameterForm::List, "Abscissae of your own tableau; row sums of `A` if left out.";
    "alpha" alpha: Rows, ParameterForm::Matrix(Some("say rho-inf, the spectral radius at infinity, instead")),
        "Rows of the α matrix of your own Rosenbrock method.";
    "Gamma" gamma_matrix: Rows, ParameterForm::Matrix(None),
        "Rows of the Γ matrix of your own Rosenbrock method, diagonal included.";
    "modes" modes: u32, ParameterForm::Count,
        "Number of vibration modes that an exponential method treats exactly; 20 if left out, but at most half of the unknowns.";
    "refresh" refresh: Refresh, ParameterForm::CountOrWord(&["once", "angle"]),
        "When the modes are computed again: \"once\" at the start only, every so many steps, or \"angle\" (default) after a step that left them.";
}

impl Parameters {
    /// Returns the keys of the given parameters.
    pub fn given(&self) -> impl Iterator<Item = &'static str> {
        PARAMETERS.iter().filter(|p| (p.given)(self)).map(|p| p.key)
    }
}

#[cfg(test)]
mod tests {
    use super::super::METHODS;
    use super::*;

    /// Every key belongs to a method, and every key of a method is in the table.
    #[test]
    fn keys_of_methods_and_parameters_agree() {
        for p in &PARAMETERS {
            let taken = METHODS.iter().any(|m| m.parameters.contains(&p.key));
            assert!(taken, "no method takes {}", p.key);
        }
        for m in METHODS {
            for key in m.parameters {
                let known = PARAMETERS.iter().any(|p| p.key == *key);
                assert!(known, "{} takes {key}, which is not in the table", m.name);
            }
        }
    }

    /// Every method refuses every key that it does not take, by name.
    #[test]
    fn parameters_of_other_methods_are_refused_by_name() {
        for p in &PARAMETERS {
            let value = match p.form {
                ParameterForm::Number(_) => "0.5",
                ParameterForm::Count | ParameterForm::CountOrWord(_) => "3",
                ParameterForm::List => "[1.0]",
                ParameterForm::Matrix(_) => "[[0.5]]",
            };
            let given: Parameters =
                serde_json::from_str(&format!("{{{:?}: {value}}}", p.key)).unwrap();
            assert_eq!(given.given().collect::<Vec<_>>(), [p.key]);
            for m in METHODS.iter().filter(|m| !m.parameters.contains(&p.key)) {
                let error = super::super::find(m.name).unwrap();
                let error = error.stepper(&given, crate::Newton::Minimise).err();
                let sentence = error.map(|e| e.to_string()).unwrap_or_default();
                assert!(sentence.contains(p.key), "{} {}: {sentence}", m.name, p.key);
            }
        }
    }
}
