//! The table of the parameters that methods take.
//!
//! A line of the table is a key of `method = { name = …, … }` in scene files, the field of [`Parameters`] that holds its
//! value, what the schema says of it, and what refusals call it. Which method takes which key is in its row of
//! [`super::METHODS`].

use serde::{Deserialize, Serialize};

/// A parameter that some methods take.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// The key in scene files.
    pub key: &'static str,
    /// Describes the parameter in a sentence.
    pub description: &'static str,
    /// What values it takes.
    pub form: ParameterForm,
    /// Whether it is given.
    pub given: fn(&Parameters) -> bool,
}

/// What values a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParameterForm {
    /// A number, within these limits if there are any.
    Number(Option<[f64; 2]>),
    /// A list of numbers.
    List,
    /// Rows of numbers; what to say instead of one number.
    Matrix(Option<&'static str>),
}

/// Declares [`Parameters`] and [`PARAMETERS`].
macro_rules! parameters {
    ($($key:literal $field:ident: $type:ty, $form:expr, $description:literal;)*) => {
        /// Values for a method's parameters.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Parameters {
            $(
                #[doc = $description]
                #[serde(rename = $key, default, skip_serializing_if = "Option::is_none")]
                pub $field: Option<$type>,
            )*
        }

        /// Every parameter there is.
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
}

impl Parameters {
    /// The keys of the parameters that are given.
    pub fn given(&self) -> impl Iterator<Item = &'static str> {
        PARAMETERS.iter().filter(|p| (p.given)(self)).map(|p| p.key)
    }
}

#[cfg(test)]
mod tests {
    use super::super::METHODS;
    use super::*;

    /// No key is for nobody, and no method asks for a key that is not in the table.
    #[test]
    fn methods_and_parameters_know_each_other() {
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

    /// Every key is refused by name by every method that does not take it.
    #[test]
    fn parameters_of_other_methods_are_refused_by_name() {
        for p in &PARAMETERS {
            let value = match p.form {
                ParameterForm::Number(_) => "0.5",
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
