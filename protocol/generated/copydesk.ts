// The wire types of Copydesk's custom LSP methods. Generated from the Rust types: do not edit.

/**
 * A place in a document, counted in the position encoding negotiated at `initialize` (LSP `Position`).
 */
export type Position = { 
/**
 * Zero-based.
 */
line: number, character: number, };

/**
 * A half-open stretch of a document (LSP `Range`).
 */
export type Range = { start: Position, end: Position, };

/**
 * `data` of a JSON-RPC error of ours; `message` beside it is for people.
 */
export type ErrorData = { 
/**
 * Such as `unknownSession`, `staleHunk`, `notAvailable`.
 */
kind: string, 
/**
 * What to do next.
 */
hint: string, };

/**
 * What a client can do, in `initialize.capabilities.experimental.copydesk`.
 */
export type ClientCapability = { 
/**
 * Of this protocol: 1.
 */
version: number, 
/**
 * Takes `copydesk/event` and `copydesk/session/changed`.
 */
events: boolean, 
/**
 * Takes `copydesk/proposal/changed` and draws hunks itself.
 */
review: boolean, 
/**
 * Takes `copydesk/permission/asked` and answers by `copydesk/permission/answer`.
 */
permissions: boolean, 
/**
 * Answers `copydesk/prompt/ask`.
 */
prompts: boolean, 
/**
 * Answers `copydesk/file/save`.
 */
saveFiles: boolean, 
/**
 * Answers `copydesk/diagnostics/get`.
 */
diagnostics: boolean, 
/**
 * Answers `copydesk/definition`, `copydesk/references` and `copydesk/hover`.
 */
navigation: boolean, };

/**
 * What the server offers, in the result's `capabilities.experimental.copydesk`.
 */
export type ServerCapability = { version: number, 
/**
 * The client-to-server methods that this server answers.
 */
methods: Array<string>, };

/**
 * One piece of a prompt.
 */
export type ContentBlock = { "type": "text", text: string, } | { "type": "resource_link", uri: string, range?: Range, } | { "type": "image", 
/**
 * Such as `image/png`.
 */
mimeType: string, 
/**
 * Base64.
 */
data: string, };

export type TaskStartParams = { 
/**
 * Absent: a new session.
 */
sessionId?: string, prompt: Array<ContentBlock>, context?: EditorContext, 
/**
 * How much is asked in the session from now on; absent: as it is, or as new sessions begin.
 */
mode?: PermissionMode, 
/**
 * Which model is asked. Not available yet: refused where it is there.
 */
model?: string, 
/**
 * Tokens to spend on the task: the agent goes on until they are nearly used, or until nothing more comes of it.
 */
budgetTokens?: number, };

/**
 * Where the user stands.
 */
export type EditorContext = { uri: string, range?: Range, 
/**
 * LSP `Diagnostic`s the task is about.
 */
diagnostics?: Array<unknown>, };

/**
 * Answered at once; what happens follows as events.
 */
export type TaskStartResult = { sessionId: string, taskId: string, };

export type TaskCancelParams = { taskId: string, };

export type TaskSendParams = { sessionId: string, prompt: Array<ContentBlock>, };

export type TaskSendResult = { taskId: string, 
/**
 * Put into the running task rather than started.
 */
queued: boolean, };

/**
 * `{}`.
 */
export type Empty = Record<symbol, never>;

export type EventParams = { sessionId: string, taskId: string, 
/**
 * Rises by one with each event of a session.
 */
seq: number, 
/**
 * The call that started the sub-agent this event comes from.
 */
parentToolUseId?: string, event: Event, };

/**
 * The query loop's five kinds and its end, and what the session adds.
 */
export type Event = { "type": "requestStart", model: string, turn: number, 
/**
 * No language model answers.
 */
offline: boolean, } | { "type": "stream", delta: Delta, } | { "type": "message", message: MessageRecord, } | { "type": "tombstone", messageId: string, } | { "type": "toolUseSummary", summary: string, toolUseIds: Array<string>, } | { "type": "transition", reason: string, } | { "type": "toolCall", id: string, title: string, kind: ToolKind, status: ToolCallStatus, locations: Array<Location>, content: Array<ToolCallContent>, group?: string, } | { "type": "plan", entries: Array<PlanEntry>, } | { "type": "compaction", 
/**
 * `started`, `done` or `failed`.
 */
status: string, 
/**
 * Why it failed, for the person, where the end of the task does not say it.
 */
reason?: string, } | { "type": "retry", attempt: number, max: number, delayMs: number, reason: string, } | { "type": "terminal", 
/**
 * `completed`, `aborted_streaming`, `model_error`, `max_turns`, …
 */
reason: string, turns: number, usage: Usage, cost?: Cost, 
/**
 * For the person, if it was no plain end: what happened and what to do.
 */
message?: string, 
/**
 * The calls that a rule or the person did not let through.
 */
permissionDenials?: Array<PermissionDenial>, account: TaskAccount, 
/**
 * What waits for a decision by then, if the task has left something of it.
 */
toReview?: ToReview, };

/**
 * How the asking of models went in a task.
 */
export type TaskAccount = { 
/**
 * Milliseconds that were waited for them.
 */
modelMs: number, 
/**
 * Tokens of each, by name.
 */
models: Array<ModelUsage>, 
/**
 * Why the last one stopped that answered: `end_turn`, `max_tokens`, `refusal`, …
 */
stopReason?: string, 
/**
 * What went wrong, for the person, in the order in which it did.
 */
errors?: Array<string>, };

/**
 * All that waits for a decision.
 */
export type ToReview = { changes: number, 
/**
 * The files they are in, in the order of the review.
 */
uris: Array<string>, };

export type Delta = { "type": "text", text: string, } | { "type": "thinking", text: string, } | { "type": "toolInput", id: string, json: string, };

/**
 * A message of the conversation, for display.
 */
export type MessageRecord = { id: string, role: MessageRole, text: string, };

export type MessageRole = "user" | "assistant" | "system" | "attachment" | "progress";

/**
 * ACP tool kinds.
 */
export type ToolKind = "read" | "edit" | "delete" | "move" | "search" | "execute" | "think" | "fetch" | "other";

/**
 * ACP tool call statuses, and `rejected`: the person said no.
 */
export type ToolCallStatus = "pending" | "in_progress" | "completed" | "failed" | "rejected";

export type Location = { uri: string, range?: Range, };

/**
 * What a call has to show.
 */
export type ToolCallContent = { "type": "text", text: string, } | { "type": "data", data: unknown, };

export type PlanEntry = { content: string, 
/**
 * `pending`, `in_progress`, `completed`.
 */
status: string, };

/**
 * Tokens.
 */
export type Usage = { inputTokens: number, outputTokens: number, cacheCreationInputTokens: number, cacheReadInputTokens: number, };

export type Cost = { amount: number, 
/**
 * ISO 4217.
 */
currency: string, 
/**
 * Models whose price is not known: what they took is not in the amount.
 */
unknownModels?: Array<string>, };

export type PermissionAskedParams = { requestId: string, sessionId: string, 
/**
 * The sub-agent that asks.
 */
agent?: string, toolCall: PermissionToolCall, options: Array<PermissionOption>, 
/**
 * Why it is asked. Hidden characters are shown escaped.
 */
explanation: string, 
/**
 * The rules that let such a call through, as they are written in settings or behind `--allow`; none: no rule does.
 */
rules?: Array<string>, };

export type PermissionToolCall = { id: string, title: string, kind: ToolKind, command?: string, 
/**
 * As the model sent it: what `updatedInput` of the answer may stand for.
 */
input?: unknown, };

/**
 * A call that a rule or the person did not let through.
 */
export type PermissionDenial = { toolName: string, toolUseId: string, toolInput: unknown, };

export type PermissionOption = { id: string, kind: PermissionOptionKind, name: string, };

/**
 * A change of what is asked.
 */
export type PermissionUpdate = { "type": "addRules", rules: Array<PermissionRule>, behavior: PermissionBehavior, destination: PermissionDestination, } | { "type": "replaceRules", rules: Array<PermissionRule>, behavior: PermissionBehavior, destination: PermissionDestination, } | { "type": "removeRules", rules: Array<PermissionRule>, behavior: PermissionBehavior, destination: PermissionDestination, } | { "type": "setMode", mode: PermissionMode, destination: PermissionDestination, } | { "type": "addDirectories", directories: Array<string>, destination: PermissionDestination, } | { "type": "removeDirectories", directories: Array<string>, destination: PermissionDestination, };

/**
 * `Tool`, or `Tool(content)`.
 */
export type PermissionRule = { toolName: string, ruleContent?: string, };

/**
 * What a rule says of the calls that it matches.
 */
export type PermissionBehavior = "allow" | "deny" | "ask";

/**
 * Where a change is kept. Files take new rules; anything else is for the session.
 */
export type PermissionDestination = "userSettings" | "projectSettings" | "localSettings" | "session" | "cliArg";

/**
 * ACP permission option kinds.
 */
export type PermissionOptionKind = "allow_once" | "allow_always" | "reject_once" | "reject_always";

export type PermissionAnswerParams = { requestId: string, optionId: string, 
/**
 * Told to the model with a denial.
 */
feedback?: string, 
/**
 * Runs in the stead of what was asked about, once it is checked.
 */
updatedInput?: unknown, 
/**
 * A denial ends the whole task.
 */
interrupt?: boolean, 
/**
 * What else is changed with leave to run: what is asked from now on. What can't be done of it is told as a warning.
 */
updatedPermissions?: Array<PermissionUpdate>, 
/**
 * Nobody was there to be asked, so this is no word of the user's: the model is told so.
 */
unattended?: boolean, };

export type PermissionResolvedParams = { requestId: string, 
/**
 * Absent: the task ended before anybody answered.
 */
optionId?: string, };

/**
 * `copydesk/prompt/ask`: an input box.
 */
export type PromptAskParams = { title: string, placeholder?: string, 
/**
 * Choices instead of free text.
 */
options?: Array<string>, };

/**
 * `copydesk/file/save`.
 */
export type SaveFilesParams = { uris: Array<string>, };

export type SaveFilesResult = { 
/**
 * Those that were saved.
 */
saved: Array<string>, };

/**
 * `copydesk/diagnostics/get`: what all of the editor's language servers say, ours left out.
 */
export type DiagnosticsGetParams = { 
/**
 * Absent: of every file.
 */
uri?: string, };

export type DiagnosticsGetResult = { files: Array<FileDiagnostics>, };

export type FileDiagnostics = { uri: string, 
/**
 * Of the document that they were made for; null if nobody knows.
 */
version: number | null, 
/**
 * LSP `Diagnostic`s.
 */
diagnostics: Array<unknown>, };

/**
 * `copydesk/definition`, `copydesk/references` and `copydesk/hover`: a place that the editor's own language servers are
 * asked about.
 */
export type LookUpParams = { uri: string, position: Position, };

/**
 * Where the name at that place is defined, or used.
 */
export type PlacesResult = { 
/**
 * Of the asked document when the servers answered; null: nobody knows.
 */
version: number | null, places: Array<Location>, };

/**
 * What is shown of that place.
 */
export type HoverResult = { 
/**
 * Of the asked document when the servers answered; null: nobody knows.
 */
version: number | null, 
/**
 * Markdown; null: there is nothing to show.
 */
text: string | null, };

/**
 * A file with pending changes.
 */
export type File = { uri: string, 
/**
 * The editor's version; null if the file is not open.
 */
version: number | null, kind: FileKind, 
/**
 * Where a renamed file goes.
 */
newUri?: string, 
/**
 * Its bytes change, and are no text: it has no hunks, and is decided as a whole.
 */
binary: boolean, 
/**
 * Of a binary file.
 */
size?: SizeChange, 
/**
 * A decision of its own, which may stand beside hunks; those about the whole file take it along.
 */
mode?: ModeChange, 
/**
 * The file on disk is not the one that `binary` or `mode` began from: these can't be accepted.
 */
conflicted: boolean, 
/**
 * Open with unsaved text while the disk has something else.
 */
diskDiffers: boolean, sessionId: string, 
/**
 * Why the person should decide on this by itself, and not with everything else: it changes what programs run, or a rule
 * says to ask.
 */
mustAsk?: string, 
/**
 * Why it did not go in as it came, in a session where changes do.
 */
heldBack?: string, hunks: Array<Hunk>, };

export type FileKind = "modify" | "create" | "delete" | "rename";

/**
 * A place where buffer and draft differ.
 */
export type Hunk = { id: string, 
/**
 * Rises with every change of the agent's side; a decision names the revision it saw.
 */
revision: number, 
/**
 * One-based place among all pending hunks, and their number.
 */
index: number, count: number, 
/**
 * The stretch of the buffer it replaces; empty for an insertion. All hunks of a file, applied together, make the draft.
 */
range: Range, 
/**
 * The text of `range`, and what comes in its place: whole lines with their breaks. Where lines come or go at the end of
 * a text, the break before them goes with them, so both may begin with one.
 */
removed: string, added: string, inline: Array<InlineMark>, state: HunkState, 
/**
 * Accepted once and taken back by the user.
 */
undone: boolean, 
/**
 * Adds characters that can't be seen.
 */
hiddenCharacters: boolean, 
/**
 * The other half of a moved block.
 */
moved?: string, reason: string, sessionId: string, agent: string | null, };

/**
 * A stretch of changed words, in UTF-16 units of `removed` or `added`.
 */
export type InlineMark = { side: InlineSide, start: number, end: number, };

export type InlineSide = "removed" | "added";

/**
 * Permissions in octal digits, as `chmod` takes them: `755`.
 */
export type ModeChange = { 
/**
 * Absent: a file that is made; it gets them with its text.
 */
from?: string, to: string, };

/**
 * Bytes before and after; absent: there is no file on that side.
 */
export type SizeChange = { from?: number, to?: number, };

export type HunkState = "pending" | "applying" | "conflicted";

/**
 * After every change of what is proposed of a file; no hunks, not `binary` and no `mode` means settled. The last three are as
 * in `File`.
 */
export type ProposalChangedParams = { uri: string, version: number | null, binary: boolean, size?: SizeChange, mode?: ModeChange, conflicted: boolean, hunks: Array<Hunk>, };

export type ProposalListParams = { uri?: string, sessionId?: string, };

export type ProposalListResult = { files: Array<File>, };

export type ProposalShowParams = { uri: string, sessionId?: string, };

/**
 * Both texts of a file. Null: there is no file on that side.
 */
export type ProposalShowResult = { 
/**
 * Null if nothing is pending in it.
 */
file: File | null, buffer: string | null, draft: string | null, };

export type ProposalAcceptedParams = { sessionId: string, };

/**
 * What was written to files that are not open without asking, as the session's mode says: `buffer` is what was there,
 * `draft` what is there since. In the order it was written; a file that somebody else changed in between comes again.
 */
export type ProposalAcceptedResult = { files: Array<ProposalShowResult>, };

export type DecideParams = { decision: Decision, target: DecideTarget, 
/**
 * Why it was rejected: told to the agent.
 */
reason?: string, };

export type Decision = "accept" | "reject" | "takeMine" | "takeAgents" | "redo";

/**
 * What is decided about. The most particular field wins: `hunkId` (with `lines`), then `uri`, then `all`.
 *
 * Nothing is decided that was not shown: where no `revision` says what was, it is what this client was sent last, by
 * `proposal/changed`, `list`, `show` or diagnostics. Anything else that is pending there by now makes the outcome `stale`.
 */
export type DecideTarget = { all: boolean, uri?: string, 
/**
 * Of the file at `uri` only what is beside its hunks: `binary` or `mode`.
 */
whole: boolean, hunkId?: string, 
/**
 * The revision that was shown; absent: the one that this client was sent last.
 */
revision?: number, lines?: HunkLines, };

/**
 * Some lines of a hunk: indexes into its old and its new lines.
 */
export type HunkLines = { removed: Array<number>, added: Array<number>, };

export type ProposalDecideResult = { results: Array<DecideResult>, 
/**
 * An accept ended at a file that failed, after it had changed others: the way back from there.
 */
halfDone?: HalfDone, };

/**
 * The one action that takes back what was accepted before a file failed, until the next decision. The server tells the
 * person of it by `window/showMessageRequest`, or by `window/showMessage` where questions are not safe: this is for clients
 * that show neither.
 */
export type HalfDone = { 
/**
 * As in the menu: `Undo what was accepted in a.rs and b.rs`.
 */
title: string, 
/**
 * For `workspace/executeCommand`.
 */
command: string, arguments: Array<unknown>, };

export type DecideResult = { uri: string, 
/**
 * Absent for a file as a whole.
 */
hunkId?: string, outcome: DecideOutcome, 
/**
 * Why not, and what to do.
 */
message?: string, };

export type DecideOutcome = "accepted" | "rejected" | "amended" | "pending" | "conflicted" | "stale";

/**
 * The user changes the agent's side.
 */
export type ProposalAmendParams = { uri: string, 
/**
 * Of the hunk as shown.
 */
revision: number, hunkId: string, 
/**
 * Whole lines in the place of the hunk's added ones, with the line break before them if `added` begins with one.
 */
text: string, };

/**
 * LSP `TextEdit`.
 */
export type TextEdit = { range: Range, newText: string, };

export type SessionInfo = { sessionId: string, title: string, state: SessionState, model: string, 
/**
 * No language model answers.
 */
offline: boolean, mode: PermissionMode, usage: Usage, 
/**
 * Absent where nothing was spent.
 */
cost?: Cost, };

/**
 * How calls are judged that no deny and no ask rule speaks of.
 */
export type PermissionMode = "default" | "acceptEdits" | "plan" | "dontAsk" | "bypassPermissions";

export type SessionSetModeParams = { sessionId: string, mode: PermissionMode, };

export type SessionState = "idle" | "running" | "waiting";

export type SessionListResult = { sessions: Array<SessionInfo>, };

export type SessionUsageParams = { sessionId: string, };

/**
 * What a session has spent so far.
 */
export type SessionUsageResult = { usage: Usage, cost?: Cost, 
/**
 * The same of each model, by name.
 */
models: Array<ModelUsage>, };

export type ModelUsage = { model: string, usage: Usage, };

/**
 * `copydesk/session/compact`: a summary takes the place of the conversation, as after `/compact`. The answer is that of
 * `copydesk/task/send`; the end follows as events.
 */
export type SessionCompactParams = { sessionId: string, 
/**
 * What matters in the summary.
 */
instructions?: string, };

/**
 * `copydesk/session/endCommands`: ends the commands of the session that still run in the background. When the answer comes,
 * what they had changed by then is proposed, and waits for the person whatever the permission mode.
 */
export type SessionEndCommandsParams = { sessionId: string, };

export type SessionEndCommandsResult = { 
/**
 * Those that still ran.
 */
commands: Array<EndedCommand>, };

/**
 * A command that was ended.
 */
export type EndedCommand = { 
/**
 * As the model knows it.
 */
id: string, 
/**
 * The command line.
 */
command: string, 
/**
 * How many files it had changed by then.
 */
changed: number, };

export type DoctorResult = { sections: Array<DoctorSection>, 
/**
 * What to do next, the most pressing first.
 */
next: Array<string>, 
/**
 * Nothing is broken and a model can answer.
 */
fine: boolean, };

export type DoctorSection = { title: string, findings: Array<DoctorFinding>, };

/**
 * One line for a person.
 */
export type DoctorFinding = { mark: DoctorMark, text: string, };

export type DoctorMark = "good" | "bad" | "note";
