//! One client: lists the tools, and sends each tool call to what does it.

use std::borrow::Cow;
use std::sync::Arc;

use codemode_runtime::tool::Tool;
use codemode_runtime::{CodeError, Error, ErrorKind, ExecutionId};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ErrorData, Implementation, ListToolsResult,
    PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};

use crate::answer;
use crate::execution;
use crate::running::Running;
use crate::server::Shared;
use crate::stdio::Lost;
use crate::tools::{self, CODE, CODEMODE, DESCRIBE, QUERY, SEARCH, TARGET};

/// The newest revision in which a server may ask a person in the middle of a call; that is how approvals are asked for.
const NEWEST: ProtocolVersion = ProtocolVersion::V_2025_11_25;

const INSTRUCTIONS: &str = "\
Write one JavaScript function that composes the methods of connectors, and run it with `codemode`. Find methods with \
`search`, and their types with `describe`. A result with the status `paused` waits for a person: tell the user, and do not \
send the code again.";

/// One client.
pub(crate) struct Session {
    shared: Arc<Shared>,
    calls: Running,
    lost: Lost,
}

impl Session {
    pub(crate) fn new(shared: Arc<Shared>, lost: Lost) -> Self {
        Self { shared, calls: Running::new(), lost }
    }

    /// Its tool calls.
    pub(crate) fn calls(&self) -> Running {
        self.calls.clone()
    }

    async fn tool(&self) -> Result<Tool, Error> {
        let options = &self.shared.options;
        self.shared.runtime.tool(options.tool.clone().name(CODEMODE).budget(options.limits.result)).await
    }

    /// Answers one tool call.
    async fn answer(
        &self,
        tool: &Tool,
        request: &CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let (runtime, budget) = (&self.shared.runtime, self.shared.options.limits.result);
        let arguments = request.arguments.as_ref();
        let done = match &*request.name {
            CODEMODE => match CODE.of(arguments) {
                Ok(code) => return execution::run(&self.shared, &self.lost, tool, code.to_owned(), context).await,
                Err(error) => Err(error),
            },
            SEARCH => match QUERY.of(arguments) {
                Ok(query) => Ok(runtime.search(query).await.map(|found| answer::found(found, budget))),
                Err(error) => Err(error),
            },
            _ => match TARGET.of(arguments) {
                Ok(target) => Ok(self.describe(tool, target).await),
                Err(error) => Err(error),
            },
        };
        Ok(match done {
            Ok(Ok(result)) => result,
            Ok(Err(error)) => answer::host_failure(&error),
            Err(error) => answer::refusal(tool, error),
        })
    }

    async fn describe(&self, tool: &Tool, target: &str) -> Result<CallToolResult, Error> {
        let (runtime, options) = (&self.shared.runtime, &self.shared.options);
        if target.starts_with("exec_") {
            let id = ExecutionId::from_text(target);
            if let Some(record) = runtime.record(&id)? {
                return Ok(answer::standing(tool, options, record));
            }
        }
        Ok(answer::docs(runtime.describe(target).await?, options.limits.result))
    }
}

impl ServerHandler for Session {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("codemode", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(ProtocolVersion::known_up_to(&NEWEST))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tool = self.tool().await.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(ListToolsResult { tools: tools::all(&tool), ..ListToolsResult::default() })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if ![CODEMODE, SEARCH, DESCRIBE].contains(&&*request.name) {
            let name: String = request.name.chars().take(100).collect();
            let message = format!("unknown tool {name:?}: there are {CODEMODE}, {SEARCH} and {DESCRIBE}");
            return Err(ErrorData::invalid_params(message, None));
        }
        let tool = match self.tool().await {
            Ok(tool) => tool,
            Err(error) => return Ok(answer::host_failure(&error).into()),
        };
        let limit = self.shared.options.limits.calls;
        let Some(_call) = self.calls.enter(limit) else {
            let message = format!("{limit} tool calls of this client are being worked on (limit `calls at once`)");
            let error = CodeError::new(ErrorKind::Limit, message).with_hint("wait for one of them, then send it again");
            return Ok(answer::refusal(&tool, error).into());
        };
        let _running = self.shared.running.enter(usize::MAX);
        if self.shared.leaving.is_cancelled() {
            return Err(ErrorData::internal_error("the server is stopping", None));
        }
        self.answer(&tool, &request, context).await.map(Into::into)
    }
}
