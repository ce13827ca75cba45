//! Planned runs of a comparison: every method of a list with every step.

/// Methods that are compared by default: common first-order, classical second-order and higher-order methods.
pub const DEFAULT_METHODS: &[&str] = &[
    "backward-euler",
    "s-backward-euler",
    "bdf2",
    "newmark",
    "sdirk2",
    "tr-bdf2",
    "sdirk3",
    "rodas4",
];

/// Splits a list of methods such as `a, { name = "b", beta = 0.3 }, c` at its outer commas.
pub fn split_method_list(list: &str) -> Vec<String> {
    let (mut depth, mut quoted) = (0i32, false);
    let mut parts = vec![String::new()];
    for letter in list.chars() {
        match letter {
            '"' => quoted = !quoted,
            '{' | '[' if !quoted => depth += 1,
            '}' | ']' if !quoted => depth -= 1,
            ',' if !quoted && depth <= 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(letter);
        }
    }
    let words = parts.iter().map(|p| p.trim().to_string());
    words.filter(|p| !p.is_empty()).collect()
}

/// A run of a comparison: method, step, display name and folder.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedRun {
    /// TOML value of `time.method`.
    pub method: String,
    /// Step, s.
    pub step: f64,
    /// Display name of the method: its name and parameters.
    pub name: String,
    /// Name of the output folder below `runs`.
    pub folder: String,
}

impl PlannedRun {
    /// Plans a run of every method with every step length, each method from its longest step to its shortest; duplicates are
    /// removed.
    pub fn all(methods: &[String], steps: &[f64]) -> Vec<PlannedRun> {
        let mut steps = steps.to_vec();
        steps.sort_by(|a, b| b.total_cmp(a));
        steps.dedup();
        let mut plans: Vec<PlannedRun> = Vec::new();
        for method in methods {
            let name = name(method);
            for &step in &steps {
                let folder = format!("{}@{step}", plain(&name));
                if plans.iter().all(|p| p.folder != folder) {
                    plans.push(PlannedRun {
                        method: method.clone(),
                        step,
                        name: name.clone(),
                        folder,
                    });
                }
            }
        }
        plans
    }
}

/// Returns the display name of a method: `newmark beta=0.3` for `{ name = "newmark", beta = 0.3 }`, a name unchanged.
fn name(method: &str) -> String {
    let Some(inside) = method
        .trim()
        .strip_prefix('{')
        .and_then(|m| m.strip_suffix('}'))
    else {
        return method.trim().trim_matches('"').to_string();
    };
    let (mut name, mut rest) = (String::new(), String::new());
    for pair in split_method_list(inside) {
        let (key, value) = pair.split_once('=').unwrap_or((&pair, ""));
        match key.trim() {
            "name" => name = value.trim().trim_matches('"').to_string(),
            key => {
                let value: String = value.split_whitespace().collect();
                rest.push_str(&format!(" {key}={value}"));
            }
        }
    }
    name + &rest
}

/// Replaces characters that are not portable in file names.
fn plain(name: &str) -> String {
    let letter = |c: char| match c {
        c if c.is_ascii_alphanumeric() || "-_.=+".contains(c) => c,
        _ => '_',
    };
    name.chars().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::{PlannedRun, split_method_list};

    #[test]
    fn lists_are_split_at_outer_commas_only() {
        assert_eq!(split_method_list("sdirk2, bdf2,,"), ["sdirk2", "bdf2"]);
        let own = r#"{ name = "newmark", beta = 0.3 },{ name = "dirk", A = [[0.5, 0], [1, 2]], b = [1, 0] }, rk4"#;
        assert_eq!(
            split_method_list(own),
            [
                r#"{ name = "newmark", beta = 0.3 }"#,
                r#"{ name = "dirk", A = [[0.5, 0], [1, 2]], b = [1, 0] }"#,
                "rk4"
            ]
        );
        assert_eq!(split_method_list(r#"{ name = "a,{b" },c"#).len(), 2);
    }

    #[test]
    fn plans_have_names_and_folders() {
        let methods =
            split_method_list(r#"sdirk2, { name = "newmark", beta = 0.3, gamma = 0.6 }, sdirk2"#);
        let plans = PlannedRun::all(&methods, &[0.005, 0.01, 0.005]);
        let folders: Vec<&str> = plans.iter().map(|p| p.folder.as_str()).collect();
        assert_eq!(
            folders,
            [
                "sdirk2@0.01",
                "sdirk2@0.005",
                "newmark_beta=0.3_gamma=0.6@0.01",
                "newmark_beta=0.3_gamma=0.6@0.005"
            ]
        );
        assert_eq!(plans[2].name, "newmark beta=0.3 gamma=0.6");
    }
}
