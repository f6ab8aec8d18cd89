//! Runs `parse_grok` of the crate `vrl` over the lines of a file again and again; prints the lines of a pass that matched and the
//! nanoseconds of the quickest pass. The pattern library is the crate's own.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use vrl::compiler::runtime::Runtime;
use vrl::compiler::{compile, TargetValue, TimeZone};
use vrl::value::{Secrets, Value};

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let body = std::fs::read_to_string(&arguments[1]).expect("the file is read");
    let expression = std::fs::read_to_string(&arguments[2]).expect("the expression is read");
    let limit = Duration::from_millis(arguments[3].parse().expect("milliseconds"));
    let source = format!("parse_grok!(.line, s'{expression}')");
    let program = compile(&source, &vrl::stdlib::all())
        .unwrap_or_else(|errors| panic!("the program is accepted: {errors:?}"))
        .program;
    let lines: Vec<Value> = body.split('\n').map(Value::from).collect();
    let mut runtime = Runtime::default();
    let mut target = TargetValue {
        value: Value::Object(BTreeMap::new()),
        metadata: Value::Object(BTreeMap::new()),
        secrets: Secrets::new(),
    };
    let zone = TimeZone::default();
    let mut best = Duration::MAX;
    let mut matched = 0usize;
    let began = Instant::now();
    while began.elapsed() < limit {
        let start = Instant::now();
        matched = 0;
        for line in &lines {
            target.value.insert(vrl::path!("line"), line.clone());
            if runtime.resolve(&mut target, &program, &zone).is_ok() {
                matched += 1;
            }
        }
        best = best.min(start.elapsed());
    }
    println!("{} 0 {}", matched, best.as_nanos());
}
