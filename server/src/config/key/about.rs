//! What each setting is, in a line for a person.

use super::Key;

impl Key {
    pub const fn about(self) -> &'static str {
        match self {
            Self::ModelProvider => {
                "who answers: anthropic, openai, local or offline; \"auto\" or unset, the first of them that can"
            }
            Self::ModelName => "the model's name at its provider; unset, the provider's usual one",
            Self::ModelMaxTokens => "tokens of one answer, at most",
            Self::ModelContextWindow => {
                "tokens that the model takes in; unset, the server is asked, else 200000 are assumed"
            }
            Self::ModelServer => "which chat-completions server is asked; unset, its address tells",
            Self::ModelToolCalls => {
                "how the model calls tools: \"native\", or \"prompt\", where they are described in the text"
            }
            Self::ModelDetectLocal => {
                "whether a model server on this machine is looked for where no key is set"
            }
            Self::ModelThinking => {
                "how much the model thinks before it answers: \"off\", \"adaptive\", or tokens"
            }
            Self::ModelEffort => "how hard the model tries, from \"low\" to \"max\"",
            Self::ModelAttempts => "how often a request to the model is made before it is given up",
            Self::ModelRetryWait => {
                "milliseconds before a request is made again; each next attempt waits longer"
            }
            Self::ModelUnattended => "nobody is there to ask again: throttles and overloads are waited out",
            Self::ModelFallback => {
                "models that are asked in turn where the chosen one is overloaded or declines"
            }
            Self::ModelSmall => "a model for titles and short summaries",
            Self::ModelPrices => "dollars for a million tokens: \"model = input/output\"",
            Self::AnthropicBaseUrl => "another address of Anthropic's API",
            Self::AnthropicApiKey => "the key for Anthropic's API",
            Self::OpenAiApiKey => "the key for OpenAI, or for the chat-completions server",
            Self::AnthropicAuthToken => "a token in the place of the key for Anthropic's API, for gateways",
            Self::AnthropicIdleTimeout => {
                "milliseconds of silence that end a stream of Anthropic's; 0: none do"
            }
            Self::OpenAiIdleTimeout => {
                "milliseconds of silence that end a stream of a chat-completions server; 0: none do"
            }
            Self::OpenAiBaseUrl => "the address of a chat-completions server",
            Self::MaxTurns => "rounds of tool calls in one task, at most",
            Self::MaxBudget => "dollars that one task may cost, by `model.prices`",
            Self::Actions => "your own entries in the menu of code actions",
            Self::PermissionsMode => {
                "how much is asked: default, acceptEdits, plan, dontAsk or bypassPermissions"
            }
            Self::PermissionsAllow => "rules for calls that run unasked, such as \"Bash(cargo test:*)\"",
            Self::PermissionsAsk => "rules for calls that are always asked about",
            Self::PermissionsDeny => "rules for calls that never run",
            Self::PermissionsFolders => "folders that count as if they were in the workspace",
            Self::PermissionsTrusted => "folders whose own settings may allow something",
            Self::ReviewAdvance => "whether a decision moves the cursor to the next pending change",
            Self::ReviewInlayHints => "whether pending changes are shown as inlay hints too",
            Self::ReviewEchoTimeout => "milliseconds in which the editor has to show an accepted change",
            Self::FilesEditLimit => {
                "bytes of a file that is edited, at most; longer ones can be read in parts"
            }
            Self::ToolsMode => "which tools there are: \"all\", or \"simple\" for Bash, Read and Edit",
            Self::ToolsSearch => {
                "whether some tools wait until asked for: \"on\", \"off\", \"auto:10\" (% of the window)"
            }
            Self::ToolsWebSearch => {
                "whether the model's service searches the web; unset: at Anthropic's own address it does"
            }
            Self::ShellTrialTree => {
                "what commands are tried on: \"auto\", \"overlay\" or nothing, \"copy\", or \"direct\" for the files themselves"
            }
            Self::ShellNetwork => "what of the network commands reach: \"none\", or \"host\" for all of it",
            Self::ShellEnvironment => {
                "variables that commands get though they sound secret, such as \"NPM_TOKEN\""
            }
            Self::ShellPassThrough => {
                "folders that git ignores of which commands have the real ones, such as \"target\""
            }
            Self::Shell(number) => number.about(),
            Self::LogLevel => "how much is written to the log",
            Self::ContextAutoCompact => "whether a conversation that grows too long is summarised",
            Self::ContextCollapse => "whether old rounds are folded before a long conversation is summarised",
            Self::ContextSnip => "whether old tool results that something later replaces are left out",
            Self::Task(number) => number.about(),
            Self::Context(number) => number.about(),
        }
    }
}
