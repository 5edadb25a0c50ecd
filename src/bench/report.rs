//! What a measurement tells: figures with units and targets, as a table or as one line of JSON.

use serde_json::{Value, json};

/// Figures of one measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    name: &'static str,
    figures: Vec<Figure>,
}

#[derive(Clone, Debug, PartialEq)]
struct Figure {
    name: String,
    value: f64,
    unit: &'static str,
    /// The most it may be.
    most: Option<f64>,
}

impl Report {
    pub fn new(name: &'static str) -> Self {
        Self { name, figures: Vec::new() }
    }

    /// A figure without a target.
    pub fn tell(&mut self, name: impl Into<String>, value: f64, unit: &'static str) {
        self.figures.push(Figure { name: name.into(), value, unit, most: None });
    }

    /// A figure that may be at most `most`.
    pub fn hold(&mut self, name: impl Into<String>, value: f64, unit: &'static str, most: f64) {
        self.figures.push(Figure { name: name.into(), value, unit, most: Some(most) });
    }

    /// Every target was met.
    pub fn is_met(&self) -> bool {
        self.figures.iter().all(|figure| figure.most.is_none_or(|most| figure.value <= most))
    }

    /// Lines for a person.
    pub fn table(&self) -> String {
        let width = self.figures.iter().map(|figure| figure.name.chars().count()).max().unwrap_or(0);
        let mut text = format!("bench {}", self.name);
        for figure in &self.figures {
            let Figure { name, value, unit, most } = figure;
            let target = most.map_or_else(String::new, |most| {
                format!("   at most {most} {unit}: {}", if *value <= most { "met" } else { "MISSED" })
            });
            text.push_str(&format!("\n  {name:<width$}  {value:>10.3} {unit}{target}"));
        }
        text
    }

    /// One line.
    pub fn json(&self) -> String {
        let figures: Vec<Value> = self
            .figures
            .iter()
            .map(|figure| {
                json!({
                    "name": figure.name, "value": figure.value, "unit": figure.unit, "most": figure.most,
                    "met": figure.most.map(|most| figure.value <= most),
                })
            })
            .collect();
        json!({ "bench": self.name, "met": self.is_met(), "figures": figures }).to_string()
    }
}

/// Measured values of one kind.
#[derive(Clone, Debug, Default)]
pub struct Values(Vec<f64>);

impl Values {
    pub fn push(&mut self, value: f64) {
        self.0.push(value);
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn median(&self) -> f64 {
        self.percentile(50.0)
    }

    pub fn max(&self) -> f64 {
        self.percentile(100.0)
    }

    /// The smallest value that `percent` of all do not exceed; 0 without values.
    pub fn percentile(&self, percent: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let rank = (percent / 100.0 * sorted.len() as f64).ceil() as usize;
        sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_occurred() {
        let mut values = Values::default();
        assert_eq!(values.median(), 0.0);
        (1..=200).rev().for_each(|value| values.push(f64::from(value)));
        let found = [50.0, 95.0, 99.0, 100.0].map(|percent| values.percentile(percent));
        assert_eq!(found, [100.0, 190.0, 198.0, 200.0]);
    }

    #[test]
    fn a_missed_target_shows_in_both_forms() {
        let mut report = Report::new("x");
        report.tell("told", 1.0, "ms");
        report.hold("held", 2.0, "ms", 3.0);
        assert!(report.is_met() && !report.table().contains("MISSED"));
        report.hold("too much", 4.0, "ms", 3.0);
        assert!(!report.is_met() && report.table().contains("MISSED"));
        let json: Value = serde_json::from_str(&report.json()).unwrap();
        assert_eq!(
            (&json["met"], &json["figures"][1]["met"], &json["figures"][0]["met"]),
            (&json!(false), &json!(true), &Value::Null)
        );
    }
}
