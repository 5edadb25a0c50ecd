//! Reads arguments about what a project keeps beside its conversations, and about profiles.

use std::path::PathBuf;
use std::str::FromStr;

use crate::cli::args::known::{
    AdoptFrom, AgreementWish, ArtifactNew, ArtifactWish, BranchWish, FindingNew, FindingWish, Known,
    PlanChange, PlanWish, ProfileNew, Profiles, StepChange, WorktreeWish,
};
use crate::cli::args::{FileFrom, TextFrom, UsageError, Words, conversation_id, unicode, wrong};
use crate::cli::usage::Spec;
use crate::model::id::ConversationId;
use crate::model::knowledge::Severity;
use crate::model::pack::{Mode, Supply};
use crate::model::plan::{PlanPhase, SubtaskState};
use crate::model::project::TextKind;

/// First words of the commands read here.
pub(in crate::cli) const GROUPS: &[&str] =
    &["plan", "finding", "agreement", "artifact", "branch", "link", "skill", "role", "persona"];

impl Words {
    pub(in crate::cli::args) fn known(
        &mut self,
        group: &str,
        word: &str,
        spec: &Spec,
    ) -> Result<Known, UsageError> {
        Ok(match (group, word) {
            ("plan", _) => Known::Plan(self.plan(word, spec)?),
            ("finding", _) => Known::Finding(self.finding(word, spec)?),
            ("agreement", "list") => Known::Agreement(AgreementWish::List),
            ("agreement", "remove") => Known::Agreement(AgreementWish::Remove(self.id("AGREEMENT", spec)?)),
            ("agreement", _) => {
                let conversation = self.conversation(spec)?;
                Known::Agreement(AgreementWish::Add { text: self.text_from(spec)?, conversation })
            }
            ("artifact", _) => Known::Artifact(self.artifact(word, spec)?),
            ("branch", _) => Known::Branch(self.branch(word, spec)?),
            ("link", "list") => Known::LinkList(self.conversation(spec)?),
            ("link", _) => {
                let conversation = self.text_place("CONVERSATION", spec)?;
                let linked = self.text_place("LINKED", spec)?;
                Known::Link {
                    conversation: conversation_id(&conversation, spec)?,
                    linked: conversation_id(&linked, spec)?,
                    on: word == "add",
                }
            }
            (group, "add") => Known::NewText {
                kind: match group {
                    "role" => TextKind::Role,
                    "persona" => TextKind::Persona,
                    _ => TextKind::Skill,
                },
                name: self.text_place("NAME", spec)?,
                text: self.file_place(spec)?,
            },
            (_, "list") => Known::SkillList(self.conversation(spec)?),
            (_, word) => Known::SkillSwitch {
                skill: self.text_place("NAME", spec)?,
                conversation: self.conversation(spec)?,
                on: match word {
                    "on" => Some(true),
                    "off" => Some(false),
                    _ => None,
                },
            },
        })
    }

    fn plan(&mut self, word: &str, spec: &Spec) -> Result<PlanWish, UsageError> {
        if word == "add" {
            let (change, conversation) = (self.plan_change(spec)?, self.conversation(spec)?);
            let in_use = self.flags.remove("--use");
            if change.title.is_none() {
                return Err(wrong("--title is missing".into(), spec.usage));
            }
            if in_use && conversation.is_none() {
                return Err(wrong("--use needs --conversation".into(), spec.usage));
            }
            return Ok(PlanWish::Add { change, conversation, in_use });
        }
        if word == "list" {
            return Ok(PlanWish::List);
        }
        let plan = self.id("PLAN", spec)?;
        Ok(match word {
            "show" => PlanWish::Show(plan),
            "export" => PlanWish::Export(plan),
            "edit" => {
                let change = self.plan_change(spec)?;
                if change == PlanChange::default() {
                    return Err(wrong("nothing to change is named".into(), spec.usage));
                }
                PlanWish::Edit(plan, change)
            }
            "step" => {
                let number = self.text_place("N", spec)?;
                let number = count(&number, "the number of a step", spec)?;
                PlanWish::Step { plan, number, change: self.step_change(spec)? }
            }
            "use" => PlanWish::Use { plan, conversation: self.conversation(spec)? },
            "unuse" => PlanWish::Unuse(plan),
            _ => PlanWish::Remove(plan),
        })
    }

    fn plan_change(&mut self, spec: &Spec) -> Result<PlanChange, UsageError> {
        Ok(PlanChange {
            title: self.words("--title", spec)?,
            description: self.words("--description", spec)?,
            outcome: self.words("--outcome", spec)?,
            phase: self.one_of("--phase", PlanPhase::parse, &words(PlanPhase::ALL, PlanPhase::word), spec)?,
            constraints: self.list("--constraint", spec)?,
            non_goals: self.list("--non-goal", spec)?,
            steps: self.list("--step", spec)?.unwrap_or_default().iter().map(|text| step(text)).collect(),
            document: self
                .values
                .remove("--document")
                .and_then(|mut given| given.pop())
                .map(|file| if file == "-" { FileFrom::Stdin } else { FileFrom::Path(PathBuf::from(file)) }),
        })
    }

    fn step_change(&mut self, spec: &Spec) -> Result<StepChange, UsageError> {
        let known = words(SubtaskState::ALL, SubtaskState::word);
        let state = match self.next_text("STATE", spec)? {
            None => None,
            Some(word) => Some(
                SubtaskState::parse(&word)
                    .ok_or_else(|| wrong(format!("the state {word} is none of {known}"), spec.usage))?,
            ),
        };
        let after = match self.words("--after", spec)?.as_deref().map(str::trim) {
            None => None,
            Some("" | "none") => Some(Vec::new()),
            Some(numbers) => {
                let read = |text: &str| count(text.trim(), "the number of a step", spec);
                Some(numbers.split(',').map(read).collect::<Result<_, _>>()?)
            }
        };
        let (title, details) = (self.words("--title", spec)?, self.words("--details", spec)?);
        let change = StepChange { state, title, details, after };
        if change == StepChange::default() {
            return Err(wrong(format!("a state is missing: one of {known}"), spec.usage));
        }
        Ok(change)
    }

    fn finding(&mut self, word: &str, spec: &Spec) -> Result<FindingWish, UsageError> {
        Ok(match word {
            "list" => FindingWish::List {
                open_only: self.flags.remove("--open"),
                plan: self.id_value("--plan", spec)?,
            },
            "add" => {
                let severity =
                    self.one_of("--severity", Severity::parse, &words(Severity::ALL, Severity::word), spec)?;
                let file = self.values.remove("--file").and_then(|mut given| given.pop()).map(PathBuf::from);
                let new = FindingNew {
                    severity: severity.unwrap_or_default(),
                    file: file.filter(|file| !file.as_os_str().is_empty()),
                    line: self.count_value("--line", "a line's number", spec)?,
                    plan: self.id_value("--plan", spec)?,
                    step: self.count_value("--step", "the number of a step", spec)?,
                    text: self.text_from(spec)?,
                };
                if new.line.is_some() && new.file.is_none() {
                    return Err(wrong("--line needs --file".into(), spec.usage));
                }
                if new.step.is_some() && new.plan.is_none() {
                    return Err(wrong("--step needs --plan".into(), spec.usage));
                }
                FindingWish::Add(new)
            }
            "settle" => FindingWish::Settle {
                finding: self.id("FINDING", spec)?,
                resolution: self.words("--resolution", spec)?.unwrap_or_default(),
            },
            "reopen" => FindingWish::Reopen(self.id("FINDING", spec)?),
            _ => FindingWish::Remove(self.id("FINDING", spec)?),
        })
    }

    fn file_place(&mut self, spec: &Spec) -> Result<Option<FileFrom>, UsageError> {
        Ok(match self.next_raw() {
            None => None,
            Some(place) if place == "-" => Some(FileFrom::Stdin),
            Some(place) if place.is_empty() => return Err(wrong("FILE is empty".into(), spec.usage)),
            Some(place) => Some(FileFrom::Path(PathBuf::from(place))),
        })
    }

    fn artifact(&mut self, word: &str, spec: &Spec) -> Result<ArtifactWish, UsageError> {
        if word == "list" {
            return Ok(ArtifactWish::List);
        }
        if word == "add" {
            let missing = || wrong("--title is missing".into(), spec.usage);
            return Ok(ArtifactWish::Add(ArtifactNew {
                title: self.words("--title", spec)?.ok_or_else(missing)?,
                language: self.words("--language", spec)?.unwrap_or_default(),
                conversation: self.conversation(spec)?,
                pinned: self.flags.remove("--pin"),
                text: self.file_place(spec)?.unwrap_or(FileFrom::Unsaid),
            }));
        }
        let artifact = self.id("ARTIFACT", spec)?;
        Ok(match word {
            "show" => ArtifactWish::Show(artifact),
            "remove" => ArtifactWish::Remove(artifact),
            word => ArtifactWish::Pin { artifact, pinned: word == "pin" },
        })
    }

    pub(in crate::cli::args) fn profiles(&mut self, word: &str, spec: &Spec) -> Result<Profiles, UsageError> {
        if word == "list" {
            return Ok(Profiles::List);
        }
        let name = self.text_place("NAME", spec)?;
        if word == "remove" {
            return Ok(Profiles::Remove(name));
        }
        let missing = || wrong("--engine is missing".into(), spec.usage);
        let modes = words(&Mode::ALL, Mode::label).to_lowercase();
        let supplies = words(&Supply::ALL, Supply::label).to_lowercase();
        Ok(Profiles::Add(ProfileNew {
            name,
            engine: self.value("--engine", spec)?.ok_or_else(missing)?,
            model: self.value("--model", spec)?,
            role: self.value("--role", spec)?,
            persona: self.value("--persona", spec)?,
            mode: self.one_of("--mode", Mode::parse, &modes, spec)?,
            supply: self.one_of("--supply", Supply::parse, &supplies, spec)?.unwrap_or_default(),
        }))
    }

    fn branch(&mut self, word: &str, spec: &Spec) -> Result<BranchWish, UsageError> {
        if word == "list" {
            return Ok(BranchWish::List(self.conversation(spec)?));
        }
        if word == "add" {
            let parent = self.text_place("CONVERSATION", spec)?;
            let at = self.id_value("--at", spec)?;
            let label = self.value("--label", spec)?;
            return Ok(BranchWish::Add { parent: conversation_id(&parent, spec)?, at, label });
        }
        if word == "worktree" {
            return self.worktree(spec);
        }
        let branch: ConversationId = self.id("BRANCH", spec)?;
        Ok(match word {
            "changes" => {
                let file = self.next_text("FILE", spec)?;
                BranchWish::Changes { branch, file, diff: self.flags.remove("--diff") }
            }
            "adopt" => {
                let draft = self.flags.remove("--draft");
                BranchWish::Adopt { branch, from: self.adopt_from(spec)?, draft }
            }
            "undo" => BranchWish::Undo(branch),
            "rename" => BranchWish::Rename { branch, label: self.text_place("LABEL", spec)? },
            "git" => {
                let name = self.text_place("NAME", spec)?;
                BranchWish::Git { branch, git_branch: (name != "none").then_some(name) }
            }
            "hint" => {
                let word = self.text_place("HINT", spec)?;
                if !["on", "off", "told"].contains(&word.as_str()) {
                    return Err(wrong(format!("{word} is none of on, off, told"), spec.usage));
                }
                BranchWish::Hint { branch, on: word != "off", told: word == "told" }
            }
            "share" => {
                let word = self.text_place("SHARED", spec)?;
                let shared = match word.as_str() {
                    "on" => Some(true),
                    "off" => Some(false),
                    "default" => None,
                    _ => return Err(wrong(format!("{word} is none of on, off, default"), spec.usage)),
                };
                BranchWish::Share { branch, shared }
            }
            "archive" | "reactivate" => BranchWish::Archive { branch, archived: word == "archive" },
            _ => BranchWish::Remove(branch),
        })
    }

    /// One source at most; without any an agent is asked.
    fn adopt_from(&mut self, spec: &Spec) -> Result<AdoptFrom, UsageError> {
        let (last, positions) = (self.flags.remove("--last"), self.flags.remove("--positions"));
        let engine = self.value("--engine", spec)?;
        let model = self.value("--model", spec)?;
        let text = self.text_from(spec)?;
        let asks = engine.is_some() || model.is_some();
        let sources = [last, positions, asks, text != TextFrom::Unsaid];
        if sources.iter().filter(|given| **given).count() > 1 {
            let line = "give one of --last, --positions, TEXT, or --engine and --model";
            return Err(wrong(line.into(), spec.usage));
        }
        Ok(match text {
            _ if last => AdoptFrom::LastAnswer,
            _ if positions => AdoptFrom::KeyPositions,
            TextFrom::Unsaid => AdoptFrom::Agent { engine, model },
            text => AdoptFrom::Words(text),
        })
    }

    fn worktree(&mut self, spec: &Spec) -> Result<BranchWish, UsageError> {
        let what = self.text_place("add, remove or forget", spec)?;
        let branch: ConversationId = self.id("BRANCH", spec)?;
        let git_branch = self.value("--git-branch", spec)?;
        let with_ignored = self.flags.remove("--with-ignored");
        let wish = match what.as_str() {
            "add" => WorktreeWish::Add { git_branch },
            "remove" => WorktreeWish::Remove { with_ignored },
            "forget" => WorktreeWish::Forget,
            other => return Err(wrong(format!("{other} is none of add, remove, forget"), spec.usage)),
        };
        Ok(BranchWish::Worktree { branch, wish })
    }

    fn conversation(&mut self, spec: &Spec) -> Result<Option<ConversationId>, UsageError> {
        self.value("--conversation", spec)?.map(|text| conversation_id(&text, spec)).transpose()
    }

    fn id<T: FromStr>(&mut self, name: &str, spec: &Spec) -> Result<T, UsageError> {
        let text = self.text_place(name, spec)?;
        id(&text, &name.to_lowercase(), spec)
    }

    fn id_value<T: FromStr>(&mut self, name: &str, spec: &Spec) -> Result<Option<T>, UsageError> {
        let what = name.trim_start_matches('-');
        self.value(name, spec)?.map(|text| id(&text, what, spec)).transpose()
    }

    fn count_value(&mut self, name: &str, what: &str, spec: &Spec) -> Result<Option<u32>, UsageError> {
        self.value(name, spec)?.map(|text| count(&text, what, spec)).transpose()
    }

    fn one_of<T>(
        &mut self,
        name: &str,
        parse: impl FnOnce(&str) -> Option<T>,
        known: &str,
        spec: &Spec,
    ) -> Result<Option<T>, UsageError> {
        let Some(word) = self.value(name, spec)? else { return Ok(None) };
        let read = parse(&word);
        read.map(Some).ok_or_else(|| wrong(format!("{name} {word} is none of {known}"), spec.usage))
    }

    /// All that was given under a name; empty ones do not count, so that one empty value clears a list.
    fn list(&mut self, name: &str, spec: &Spec) -> Result<Option<Vec<String>>, UsageError> {
        let Some(given) = self.values.remove(name) else { return Ok(None) };
        let texts = given.iter().map(|value| unicode(value, name, spec)).collect::<Result<Vec<_>, _>>()?;
        let texts = texts.iter().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        Ok(Some(texts.collect()))
    }
}

fn id<T: FromStr>(text: &str, what: &str, spec: &Spec) -> Result<T, UsageError> {
    let is_number = text.parse::<i64>().is_ok_and(|number| number > 0);
    let read = text.parse().ok().filter(|_| is_number);
    read.ok_or_else(|| {
        wrong(
            format!(
                "{text} is not the number of {} {what} (see tunaflow {what} list)",
                if what.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
            ),
            spec.usage,
        )
    })
}

fn count(text: &str, what: &str, spec: &Spec) -> Result<u32, UsageError> {
    let read = text.parse().ok().filter(|number| *number > 0);
    read.ok_or_else(|| wrong(format!("{text} is not {what}, which counts from 1"), spec.usage))
}

fn words<T: Copy>(all: &[T], word: impl Fn(T) -> &'static str) -> String {
    let words: Vec<&str> = all.iter().map(|one| word(*one)).collect();
    words.join(", ")
}

/// `TITLE: DETAILS`, or the details on the lines after the title.
fn step(text: &str) -> (String, String) {
    let found = [": ", "\n"].into_iter().filter_map(|mark| text.split_once(mark));
    let (title, details) = found.min_by_key(|(title, _)| title.len()).unwrap_or((text, ""));
    (title.trim().to_owned(), details.trim().to_owned())
}
