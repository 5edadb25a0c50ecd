//! Any other agent that the user set up by its command, and what every agent of this protocol can do.

use std::sync::Arc;

use crate::engine::acp::{AcpDialect, AcpProfile, AcpResume, no_tool_name};
use crate::engine::{Dialect, Engine, Launch};
use crate::model::engine::{EngineCaps, EngineId, EngineInfo, EngineLook, ForkCap, PermissionCap};
use crate::model::settings::AcpAgent;
use crate::model::turn::{SeatSpec, TurnFailure};

/// Any other agent: command and arguments come from the settings.
#[derive(Debug)]
struct AcpEngine {
    info: EngineInfo,
    args: Vec<String>,
}

/// The engine for an agent that the user set up; its id is `acp:<name>`.
pub fn agent(agent: &AcpAgent) -> Arc<dyn Engine> {
    let info = EngineInfo {
        id: EngineId::new(format!("acp:{}", agent.name)),
        name: agent.name.clone(),
        look: EngineLook::Local,
        caps: caps(true),
        programs: vec![agent.command.clone()],
        home_dirs: Vec::new(),
        models: Vec::new(),
        key_variables: Vec::new(),
        install_hint: format!("Install `{}`, or correct its command in the settings.", agent.command),
        login_hint: "Log in with the agent's own program in a terminal.".to_owned(),
        resume_command: String::new(),
    };
    Arc::new(AcpEngine { info, args: agent.args.clone() })
}

/// What every agent behind this protocol can do; `resume` differs.
pub fn caps(resume: bool) -> EngineCaps {
    EngineCaps {
        stream: true,
        tools: true,
        permissions: PermissionCap::Asks,
        resume,
        fork: ForkCap::None,
        system_apart: false,
        images: false,
        usage: true,
        cost: false,
        mcp: false,
        warm: true,
    }
}

impl Engine for AcpEngine {
    fn info(&self) -> &EngineInfo {
        &self.info
    }

    fn launch(&self, _seat: &SeatSpec) -> Result<Launch, TurnFailure> {
        Ok(Launch::Process { args: self.args.clone(), env: Vec::new() })
    }

    fn dialect(&self, seat: &SeatSpec) -> Box<dyn Dialect> {
        let profile = AcpProfile {
            resume: AcpResume::LoadIfOffered,
            fork: false,
            model_by_launch: false,
            tool_name_of_id: no_tool_name,
        };
        Box::new(AcpDialect::new(self.info.clone(), profile, seat))
    }
}
