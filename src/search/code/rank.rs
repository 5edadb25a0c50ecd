//! How well a file or a passage answers: rare words count more than common ones, names more than mentions.
//!
//! Pure. The measure is BM25 over the terms of the question, with additions for names and paths and factors for what
//! kind of file it is.

use super::language::{Kind, Place};
use super::words::{for_each_word, term_hashes};

const MAX_ATOMS: usize = 120;
/// BM25: how soon more of the same word stops counting, and how much length weighs.
const K1: f32 = 1.2;
const B: f32 = 0.6;
const DEFINED_BONUS: f32 = 0.9;
const NAME_BONUS: f32 = 2.2;
const FILE_NAME_BONUS: f32 = 1.0;
const FOLDER_BONUS: f32 = 0.35;
/// A path that was named in the question.
const NAMED_PATH_BONUS: f32 = 12.0;

/// One thing that is looked for.
#[derive(Debug, Clone)]
struct Atom {
    hash: u32,
    weight: f32,
    term: usize,
}

/// A question, ready to be compared.
#[derive(Debug, Clone)]
pub(super) struct Question {
    pub terms: Vec<String>,
    /// Sorted by hash.
    atoms: Vec<Atom>,
    about_tests: bool,
    about_vendored: bool,
}

/// That a word of the question is in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit {
    pub atom: usize,
    pub count: u32,
    pub defined: bool,
}

impl Question {
    pub fn new(terms: &[String]) -> Self {
        let mut atoms: Vec<Atom> = Vec::new();
        for (term, text) in terms.iter().enumerate() {
            let of_term = if looks_like_name(text) { 1.6 } else { 1.0 };
            for (hash, share) in term_hashes(text) {
                if let Some(known) = atoms.iter_mut().find(|atom| atom.hash == hash) {
                    known.weight = known.weight.max(share * of_term);
                } else if atoms.len() < MAX_ATOMS {
                    atoms.push(Atom { hash, weight: share * of_term, term });
                }
            }
        }
        atoms.sort_by_key(|atom| atom.hash);
        let has = |words: &[&str]| terms.iter().any(|term| words.contains(&term.to_lowercase().as_str()));
        Self {
            terms: terms.to_vec(),
            atoms,
            about_tests: has(&["test", "tests", "testing", "spec", "fixture", "fixtures", "mock", "테스트"]),
            about_vendored: has(&["vendor", "vendored", "third_party", "generated"]),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.atoms.is_empty()
    }

    pub fn hashes(&self) -> impl Iterator<Item = u32> {
        self.atoms.iter().map(|atom| atom.hash)
    }

    /// The words of the question that are in `text`, by atom.
    pub fn hits(&self, text: &str) -> Vec<Hit> {
        let mut hits: Vec<Hit> = Vec::new();
        for_each_word(text, &mut |word| {
            let Ok(atom) = self.atoms.binary_search_by_key(&word.hash, |atom| atom.hash) else { return };
            match hits.iter_mut().find(|hit| hit.atom == atom) {
                Some(hit) => {
                    hit.count += 1;
                    hit.defined |= word.defined;
                }
                None => hits.push(Hit { atom, count: 1, defined: word.defined }),
            }
        });
        hits
    }

    /// The terms behind hits, in the order of the question, each once.
    pub fn terms_of(&self, hits: &[Hit]) -> Vec<String> {
        let mut found: Vec<usize> =
            hits.iter().filter_map(|hit| self.atoms.get(hit.atom)).map(|atom| atom.term).collect();
        found.sort_unstable();
        found.dedup();
        found.iter().filter_map(|term| self.terms.get(*term)).cloned().collect()
    }

    /// Whether a term names this path, or its end.
    pub fn names_path(&self, path: &str) -> bool {
        self.terms.iter().any(|term| {
            let term = term.trim_start_matches("./");
            term.contains('.')
                && path.strip_suffix(term).is_some_and(|before| before.is_empty() || before.ends_with('/'))
        })
    }
}

/// A term that some programmer made up, not a word of everyday language.
fn looks_like_name(term: &str) -> bool {
    let mut parts = 0;
    super::words::split_identifier(term, |_| parts += 1);
    parts > 1 || term.contains(['/', '.', ':'])
}

/// How common each word of the question is among the files that were looked at.
#[derive(Debug, Clone)]
pub(super) struct Corpus {
    idf: Vec<f32>,
    mean_words: f32,
}

impl Corpus {
    /// `files_with` has a number per atom; `files` and `words` are sums over all files looked at.
    #[expect(clippy::cast_precision_loss, reason = "a score needs no exact counts")]
    pub fn new(files_with: &[u32], files: u32, words: u64) -> Self {
        let idf = files_with
            .iter()
            .map(|with| (1.0 + (files as f32 - *with as f32 + 0.5).max(0.5) / (*with as f32 + 0.5)).ln())
            .collect();
        Self { idf, mean_words: (words as f32 / (files.max(1) as f32)).max(1.0) }
    }

    fn idf(&self, atom: usize) -> f32 {
        self.idf.get(atom).copied().unwrap_or(1.0)
    }
}

/// What is compared: a whole file, or a passage of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate<'a> {
    pub hits: &'a [Hit],
    pub words: u32,
    /// Words a text of this sort has on average; `None` takes the corpus' mean.
    pub usual_words: Option<f32>,
    /// Hits in the name of what is defined.
    pub name_hits: &'a [Hit],
    pub path_hits: &'a PathHits,
    pub kind: Kind,
    pub place: Place,
}

/// Hits in a path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PathHits {
    pub file: Vec<Hit>,
    pub folders: Vec<Hit>,
    pub named: bool,
}

impl PathHits {
    pub fn of(question: &Question, path: &str) -> Self {
        let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
        // The ending says what every file of a language says.
        let file = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        Self { file: question.hits(file), folders: question.hits(folders), named: question.names_path(path) }
    }

    pub fn is_empty(&self) -> bool {
        self.file.is_empty() && self.folders.is_empty() && !self.named
    }
}

/// The score; 0 when nothing matches.
#[expect(clippy::cast_precision_loss, reason = "a score needs no exact counts")]
pub(super) fn score(question: &Question, corpus: &Corpus, candidate: &Candidate<'_>) -> f32 {
    let usual = candidate.usual_words.unwrap_or(corpus.mean_words);
    let length = 1.0 - B + B * (candidate.words as f32 / usual);
    let worth =
        |hit: &Hit| question.atoms.get(hit.atom).map_or(0.0, |atom| atom.weight) * corpus.idf(hit.atom);
    let mut sum = 0.0;
    for hit in candidate.hits {
        let count = hit.count as f32;
        let mut part = count * (K1 + 1.0) / (count + K1 * length);
        if hit.defined {
            part += DEFINED_BONUS;
        }
        sum += worth(hit) * part;
    }
    let extra = |hits: &[Hit], bonus: f32| hits.iter().map(|hit| worth(hit) * bonus).sum::<f32>();
    sum += extra(candidate.name_hits, NAME_BONUS);
    sum += extra(&candidate.path_hits.file, FILE_NAME_BONUS);
    sum += extra(&candidate.path_hits.folders, FOLDER_BONUS);
    if candidate.path_hits.named {
        sum += NAMED_PATH_BONUS;
    }
    sum * coverage(question, candidate) * factor(question, candidate)
}

/// A text that has many of the terms beats one that has a single one often.
#[expect(clippy::cast_precision_loss, reason = "a question has few terms")]
fn coverage(question: &Question, candidate: &Candidate<'_>) -> f32 {
    let all = [candidate.hits, candidate.name_hits, &candidate.path_hits.file].concat();
    let found = question.terms_of(&all).len();
    if candidate.path_hits.named {
        return 1.0;
    }
    0.4 + 0.6 * (found as f32 / question.terms.len().max(1) as f32)
}

fn factor(question: &Question, candidate: &Candidate<'_>) -> f32 {
    let mut factor: f32 = match candidate.kind {
        Kind::Code => 1.0,
        Kind::Prose => 0.5,
        Kind::Data => 0.35,
        Kind::Binary | Kind::MachineMade => 0.0,
    };
    if candidate.path_hits.named {
        return factor.max(0.8);
    }
    if candidate.place.test && !question.about_tests {
        factor *= 0.6;
    }
    if candidate.place.vendored && !question.about_vendored {
        factor *= 0.4;
    }
    if candidate.place.generated && !question.about_vendored {
        factor *= 0.4;
    }
    factor
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::code::language::{of_name, place};

    fn order(terms: &[&str], files: &[(&str, &str)]) -> Vec<String> {
        let terms: Vec<String> = terms.iter().map(|term| (*term).to_owned()).collect();
        let question = Question::new(&terms);
        let all: Vec<(Vec<Hit>, u32)> = files
            .iter()
            .map(|(_, text)| {
                let mut words = 0;
                for_each_word(text, &mut |_| words += 1);
                (question.hits(text), words)
            })
            .collect();
        let files_with: Vec<u32> = (0..question.atoms.len())
            .map(|atom| all.iter().filter(|(hits, _)| hits.iter().any(|hit| hit.atom == atom)).count() as u32)
            .collect();
        let words = all.iter().map(|(_, words)| u64::from(*words)).sum();
        let corpus = Corpus::new(&files_with, files.len() as u32, words);
        let mut scored: Vec<(f32, &str)> = Vec::new();
        for ((path, _), (hits, words)) in files.iter().zip(&all) {
            let candidate = Candidate {
                hits,
                words: *words,
                usual_words: None,
                name_hits: &[],
                path_hits: &PathHits::of(&question, path),
                kind: of_name(path).kind,
                place: place(path),
            };
            scored.push((score(&question, &corpus, &candidate), path));
        }
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
        scored.iter().filter(|(score, _)| *score > 0.0).map(|(_, path)| (*path).to_owned()).collect()
    }

    #[test]
    fn the_better_answer_comes_first() {
        type Case<'a> = (&'a str, &'a [&'a str], &'a [(&'a str, &'a str)], &'a [&'a str]);
        let cases: &[Case<'_>] = &[
            (
                "a definition beats mentions",
                &["parse_config"],
                &[
                    ("a.rs", "parse_config(x); let y = 1; let z = 2;"),
                    ("b.rs", "fn parse_config(x) { let y = 1; }"),
                ],
                &["b.rs", "a.rs"],
            ),
            (
                "the whole name beats its parts",
                &["parse_config"],
                &[("a.rs", "parse the config; config parse"), ("b.rs", "parseConfig(); other words here")],
                &["b.rs", "a.rs"],
            ),
            (
                "rare words count more",
                &["value", "zygote"],
                &[
                    ("a.rs", "value value value"),
                    ("b.rs", "zygote one two"),
                    ("c.rs", "value"),
                    ("d.rs", "value"),
                ],
                &["b.rs", "a.rs", "c.rs", "d.rs"],
            ),
            (
                "the file's name counts",
                &["login"],
                &[
                    ("src/a.rs", "login page"),
                    ("src/login.rs", "login page"),
                    ("src/login/z.rs", "login page"),
                ],
                &["src/login.rs", "src/login/z.rs", "src/a.rs"],
            ),
            (
                "tests, copies and prose come later",
                &["token"],
                &[
                    ("docs/token.md", "token text"),
                    ("tests/token.rs", "token text"),
                    ("src/token.rs", "token text"),
                    ("vendor/token.rs", "token text"),
                ],
                &["src/token.rs", "tests/token.rs", "docs/token.md", "vendor/token.rs"],
            ),
            (
                "tests that are asked for stay",
                &["token", "tests"],
                &[("src/token.rs", "token text"), ("tests/token.rs", "token text tests")],
                &["tests/token.rs", "src/token.rs"],
            ),
            (
                "a named path leads",
                &["src/b.rs"],
                &[("src/a.rs", "src b rs b b"), ("src/b.rs", "nothing of it"), ("lib/src/bb.rs", "other")],
                &["src/b.rs"],
            ),
            (
                "Korean with endings",
                &["인증"],
                &[("a.py", "# 로그인"), ("b.py", "# 인증을 처리한다")],
                &["b.py"],
            ),
            ("ties go by path", &["word"], &[("b.rs", "word"), ("a.rs", "word")], &["a.rs", "b.rs"]),
            ("nothing", &["missing"], &[("a.rs", "word")], &[]),
        ];
        for (name, terms, files, wanted) in cases {
            let mut got = order(terms, files);
            got.truncate(wanted.len().max(1));
            assert_eq!(got, *wanted, "{name}");
        }
    }
}
