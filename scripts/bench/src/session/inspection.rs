//! What a look at a running server means for its cells.

use super::Session;
use crate::candidate::Candidate;
use crate::executor::Inspection;
use crate::generator::{self, Load};
use crate::model::{Capabilities, Capability, CellKey, GeneratorKind, Mode, RequestKind, Verdict};

impl Session<'_> {
    /// Looks at the running server, once for it and its twin.
    pub(super) fn inspect(&mut self, candidate: &Candidate) {
        let inspection = self.executor.inspect(candidate);
        let twins = self
            .candidates
            .iter()
            .filter(|other| other.target.name == candidate.target.name);
        for twin in twins {
            self.note_inspection(twin, inspection.clone());
            self.skip_what_it_cannot(&twin.name);
        }
    }

    fn note_inspection(&mut self, candidate: &Candidate, inspection: Inspection) {
        let wrong = match &inspection.response {
            Err(reason) => Some((
                Verdict::Errors,
                format!("no whole response to a plain request: {reason}"),
            )),
            Ok(_) => inspection.wrong,
        };
        if let Some((_, reason)) = &wrong {
            self.warn(format!("{}: {reason}", candidate.name));
        }
        self.inspected.insert(candidate.name.clone(), wrong);
        let Some(target) = self
            .run
            .targets
            .iter_mut()
            .find(|target| target.name == candidate.name)
        else {
            return;
        };
        target.request = inspection.request;
        target.response = inspection.response.ok();
        target.capabilities = Some(inspection.capabilities);
        target.contract = inspection.contract;
    }

    /// Cells that this target or this generator cannot do are skipped with the reason, once for all rounds.
    fn skip_what_it_cannot(&mut self, target: &str) {
        let capabilities = self
            .run
            .target(target)
            .and_then(|target| target.capabilities.clone());
        let depth = self.run.plan.pipeline_depth;
        self.run.skip(target, |key| {
            let unable = capabilities.as_ref().and_then(|able| unable(able, key));
            unable.or_else(|| generator_cannot(key, depth))
        });
    }
}

fn unable(able: &Capabilities, key: &CellKey) -> Option<String> {
    let needed: &Capability = match (key.generator, key.mode) {
        (GeneratorKind::Ab, Mode::Keepalive) => &able.ab_keep_alive,
        (GeneratorKind::Ab, _) => &able.ab,
        // wrk never closes a connection: to a server that does not either, it would be kept.
        (GeneratorKind::Wrk, Mode::Close) => &able.server_closes,
        (_, Mode::Keepalive) => &able.keep_alive,
        (_, Mode::Close) => &able.close,
        (_, Mode::Pipeline) => &able.pipelining,
    };
    (!needed.able).then(|| needed.reason.clone().unwrap_or_else(|| "it cannot".into()))
}

fn generator_cannot(key: &CellKey, pipeline_depth: u32) -> Option<String> {
    let load = Load {
        mode: key.mode,
        pipeline_depth,
        connections: key.connections,
        rate: key.rate_percent,
        wrk_threads: None,
        requests: None,
        request: RequestKind::Minimal,
        fields: Vec::new(),
        path: "/".into(),
    };
    generator::of_kind(key.generator).cannot(&load)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::executor::mock::able;

    /// Otherwise a server that keeps its connections would be compared with servers that close theirs.
    #[test]
    fn wrk_cannot_close_for_a_server_that_does_not() {
        let mut able = able();
        able.server_closes = Capability {
            able: false,
            reason: Some("it keeps the connection".into()),
        };
        let skipped = |generator| {
            let key = CellKey {
                target: "a".into(),
                mode: Mode::Close,
                connections: 64,
                threads: 1,
                generator,
                rate_percent: None,
            };
            unable(&able, &key)
        };
        assert_eq!(
            skipped(GeneratorKind::Wrk).as_deref(),
            Some("it keeps the connection")
        );
        assert_eq!(skipped(GeneratorKind::Embedded), None);
    }
}
