//! OpenAI-style servers, and other agents that speak ACP.

use egui::Ui;

use crate::api::command::EngineCommand;
use crate::model::engine::EngineId;
use crate::model::settings::{AcpAgent, Endpoint};
use crate::ui::cx::UiCx;
use crate::ui::theme::{self, Text, Weight};
use crate::ui::widgets::icon;
use crate::ui::widgets::text_field::TextField;
use crate::ui::widgets::{Button, IconButton};

use super::{card, section};

/// The open forms.
#[derive(Default)]
pub struct ServersPage {
    endpoint: Option<EndpointForm>,
    agent: Option<AgentForm>,
}

#[derive(Default)]
struct EndpointForm {
    name: String,
    /// The name it is stored under; `None` while it is new.
    stored: Option<String>,
    base_url: String,
    model: String,
    has_key: bool,
    key: String,
    drop_key: bool,
}

#[derive(Default)]
struct AgentForm {
    name: String,
    stored: Option<String>,
    line: String,
}

impl ServersPage {
    pub fn ui(&mut self, cx: &UiCx<'_>, ui: &mut Ui) {
        section(ui, "Servers", "Anything that speaks the OpenAI-style API, on this computer or elsewhere.");
        for endpoint in &cx.snap.settings.endpoints {
            ui.push_id(("endpoint", endpoint.name.as_str()), |ui| self.endpoint_row(cx, ui, endpoint));
        }
        match &mut self.endpoint {
            None => {
                if Button::secondary("Add a server").icon(icon::PLUS).show(ui).clicked() {
                    self.endpoint = Some(EndpointForm::default());
                }
            }
            Some(form) => {
                if endpoint_form(cx, ui, form) {
                    self.endpoint = None;
                }
            }
        }
        section(ui, "Agents", "Programs that speak the Agent Client Protocol on standard input and output.");
        for agent in &cx.snap.settings.acp_agents {
            ui.push_id(("agent", agent.name.as_str()), |ui| self.agent_row(cx, ui, agent));
        }
        match &mut self.agent {
            None => {
                if Button::secondary("Add an agent").icon(icon::PLUS).show(ui).clicked() {
                    self.agent = Some(AgentForm::default());
                }
            }
            Some(form) => {
                if agent_form(cx, ui, form) {
                    self.agent = None;
                }
            }
        }
    }

    fn endpoint_row(&mut self, cx: &UiCx<'_>, ui: &mut Ui, endpoint: &Endpoint) {
        let key = if endpoint.has_key { ", with a key" } else { "" };
        let facts = format!("{} · {}{key}", endpoint.base_url, endpoint.model);
        let pressed = row(ui, &endpoint.name, &facts);
        match pressed {
            Pressed::Edit => {
                self.endpoint = Some(EndpointForm {
                    name: endpoint.name.clone(),
                    stored: Some(endpoint.name.clone()),
                    base_url: endpoint.base_url.clone(),
                    model: endpoint.model.clone(),
                    has_key: endpoint.has_key,
                    ..EndpointForm::default()
                });
            }
            Pressed::Remove => cx.send(EngineCommand::RemoveEndpoint { name: endpoint.name.clone() }),
            Pressed::Test => {
                cx.send(EngineCommand::Test { engine: EngineId::new(format!("openai:{}", endpoint.name)) });
            }
            Pressed::Nothing => {}
        }
    }

    fn agent_row(&mut self, cx: &UiCx<'_>, ui: &mut Ui, agent: &AcpAgent) {
        let line = join(&agent.command, &agent.args);
        match row(ui, &agent.name, &line) {
            Pressed::Edit => {
                let stored = Some(agent.name.clone());
                self.agent = Some(AgentForm { name: agent.name.clone(), stored, line });
            }
            Pressed::Remove => cx.send(EngineCommand::RemoveAcpAgent { name: agent.name.clone() }),
            Pressed::Test => {
                cx.send(EngineCommand::Test { engine: EngineId::new(format!("acp:{}", agent.name)) })
            }
            Pressed::Nothing => {}
        }
    }
}

enum Pressed {
    Nothing,
    Edit,
    Remove,
    Test,
}

fn row(ui: &mut Ui, name: &str, facts: &str) -> Pressed {
    let p = theme::palette(ui);
    card(ui, 8, |ui| {
        ui.horizontal(|ui| {
            let room = (ui.available_width() - 150.0).max(80.0);
            ui.allocate_ui(egui::vec2(room, 40.0), |ui| {
                ui.vertical(|ui| {
                    ui.spacing_mut().item_spacing.y = 0.0;
                    ui.set_width(room);
                    ui.add(
                        egui::Label::new(Text::Ui.rich_weighted(Weight::Medium, name, p.text_1)).truncate(),
                    );
                    ui.add(egui::Label::new(Text::MonoSmall.rich(facts, p.text_3)).truncate());
                });
            });
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                if IconButton::small(icon::TRASH, "Remove").show(ui).clicked() {
                    return Pressed::Remove;
                }
                if IconButton::small(icon::PENCIL_SIMPLE, "Edit").show(ui).clicked() {
                    return Pressed::Edit;
                }
                if Button::quiet("Test").show(ui).clicked() { Pressed::Test } else { Pressed::Nothing }
            })
            .inner
        })
        .inner
    })
}

fn labelled(ui: &mut Ui, label: &str, field: TextField<'_>, text: &mut String) -> bool {
    ui.label(Text::Caption.rich(label, theme::palette(ui).text_3));
    field.show(ui, text).submitted
}

/// `true` when the form is to close.
fn endpoint_form(cx: &UiCx<'_>, ui: &mut Ui, form: &mut EndpointForm) -> bool {
    card(ui, 14, |ui| {
        ui.spacing_mut().item_spacing.y = 4.0;
        let taken = cx.snap.settings.endpoints.iter().any(|other| other.name == form.name.trim());
        let clash = taken && form.stored.as_deref() != Some(form.name.trim());
        let url_bad = !form.base_url.trim().is_empty() && !is_http(form.base_url.trim());
        let mut enter = false;
        if form.stored.is_none() {
            let invalid = clash.then_some("A server of this name is there already.");
            let field = TextField::single("endpoint name", "Name of the server").hint("local").max_chars(40);
            enter |= labelled(ui, "Name", field.invalid(invalid), &mut form.name);
        } else {
            ui.label(Text::Ui.rich_weighted(Weight::Semibold, &form.name, theme::palette(ui).text_1));
        }
        let invalid = url_bad.then_some("It begins with http:// or https://.");
        let field = TextField::single("endpoint url", "Address of the server")
            .hint("http://127.0.0.1:11434/v1")
            .step(Text::Mono);
        enter |= labelled(ui, "Address", field.invalid(invalid), &mut form.base_url);
        let field = TextField::single("endpoint model", "Model of the server").step(Text::Mono);
        enter |= labelled(ui, "Model", field, &mut form.model);
        let hint = if form.has_key { "Stored. Type to replace it." } else { "None" };
        let field = TextField::single("endpoint key", "API key of the server").hint(hint).secret();
        enter |= labelled(ui, "API key", field, &mut form.key);
        if form.has_key {
            crate::ui::widgets::choice::check(ui, &mut form.drop_key, "Remove the stored key");
        }
        ui.add_space(4.0);
        let blank = form.name.trim().is_empty() || form.base_url.trim().is_empty();
        let why = (blank || clash || url_bad).then_some("Name and address are needed.");
        buttons(ui, why, enter).is_some_and(|save| {
            if save {
                save_endpoint(cx, form);
            }
            true
        })
    })
}

fn is_http(url: &str) -> bool {
    url.starts_with("http://") || url.starts_with("https://")
}

fn save_endpoint(cx: &UiCx<'_>, form: &EndpointForm) {
    let key = match (form.drop_key, form.key.is_empty()) {
        (_, false) => Some(form.key.clone()),
        (true, true) => Some(String::new()),
        (false, true) => None,
    };
    let has_key = key.as_ref().map_or(form.has_key, |key| !key.is_empty());
    let endpoint = Endpoint {
        name: form.name.trim().to_owned(),
        base_url: form.base_url.trim().to_owned(),
        model: form.model.trim().to_owned(),
        has_key,
    };
    cx.send(EngineCommand::PutEndpoint { endpoint, key });
}

/// `Some(true)` = save, `Some(false)` = cancel.
fn buttons(ui: &mut Ui, why: Option<&str>, enter: bool) -> Option<bool> {
    ui.horizontal(|ui| {
        let save = Button::primary("Save").disabled(why).show(ui).clicked() || (enter && why.is_none());
        let cancel = Button::quiet("Cancel").show(ui).clicked();
        if save { Some(true) } else { cancel.then_some(false) }
    })
    .inner
}

fn agent_form(cx: &UiCx<'_>, ui: &mut Ui, form: &mut AgentForm) -> bool {
    card(ui, 14, |ui| {
        ui.spacing_mut().item_spacing.y = 4.0;
        let taken = cx.snap.settings.acp_agents.iter().any(|other| other.name == form.name.trim());
        let clash = taken && form.stored.as_deref() != Some(form.name.trim());
        let mut enter = false;
        if form.stored.is_none() {
            let invalid = clash.then_some("An agent of this name is there already.");
            let field = TextField::single("agent name", "Name of the agent").max_chars(40);
            enter |= labelled(ui, "Name", field.invalid(invalid), &mut form.name);
        }
        let field =
            TextField::single("agent line", "Program and arguments").hint("my-agent --acp").step(Text::Mono);
        enter |= labelled(ui, "Program and arguments", field, &mut form.line);
        let parts = split(&form.line);
        let blank = form.name.trim().is_empty() || parts.is_empty();
        let why = (blank || clash).then_some("Name and program are needed.");
        buttons(ui, why, enter).is_some_and(|save| {
            if let (true, Some((command, args))) = (save, parts.split_first()) {
                let name = form.name.trim().to_owned();
                let agent = AcpAgent { name, command: command.clone(), args: args.to_vec() };
                cx.send(EngineCommand::PutAcpAgent { agent });
            }
            true
        })
    })
}

/// Words apart by spaces; double quotes hold a word together. No shell is involved.
fn split(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quoted = false;
    let mut any = false;
    for letter in line.chars() {
        match letter {
            '"' => {
                quoted = !quoted;
                any = true;
            }
            letter if letter.is_whitespace() && !quoted => {
                if any {
                    words.push(std::mem::take(&mut word));
                }
                any = false;
            }
            letter => {
                word.push(letter);
                any = true;
            }
        }
    }
    if any {
        words.push(word);
    }
    words
}

fn join(command: &str, args: &[String]) -> String {
    let quote = |word: &str| {
        if word.is_empty() || word.contains(char::is_whitespace) {
            format!("\"{word}\"")
        } else {
            word.to_owned()
        }
    };
    std::iter::once(command).chain(args.iter().map(String::as_str)).map(quote).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_is_words_and_comes_back() {
        let cases: [(&str, &[&str]); 4] = [
            ("agent --acp", &["agent", "--acp"]),
            ("  \"/opt/my agent\" -x ", &["/opt/my agent", "-x"]),
            ("", &[]),
            ("a \"\" b", &["a", "", "b"]),
        ];
        for (line, words) in cases {
            let found = split(line);
            assert_eq!(found, words, "{line}");
            if let Some((command, args)) = found.split_first() {
                assert_eq!(split(&join(command, args)), found);
            }
        }
    }
}
