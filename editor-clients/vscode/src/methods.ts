// The custom methods by name, with the generated types of what they carry.

import type {
  DecideParams,
  DiagnosticsGetParams,
  DiagnosticsGetResult,
  Empty,
  EventParams,
  HoverResult,
  LookUpParams,
  PermissionAnswerParams,
  PermissionAskedParams,
  PermissionResolvedParams,
  PlacesResult,
  PromptAskParams,
  ProposalDecideResult,
  SaveFilesParams,
  SaveFilesResult,
  SessionInfo,
  SessionListResult,
  TaskCancelParams,
  TaskSendParams,
  TaskSendResult,
  TaskStartParams,
  TaskStartResult,
} from '../../../protocol/generated/copydesk';

/** Requests to the server: what goes in and what comes back. */
export interface Requests {
  'copydesk/task/start': [TaskStartParams, TaskStartResult];
  'copydesk/task/send': [TaskSendParams, TaskSendResult];
  'copydesk/task/cancel': [TaskCancelParams, Empty];
  'copydesk/session/list': [Empty, SessionListResult];
  'copydesk/proposal/decide': [DecideParams, ProposalDecideResult];
  'copydesk/permission/answer': [PermissionAnswerParams, Empty];
}

/** Notifications from the server. */
export interface Notifications {
  'copydesk/event': EventParams;
  'copydesk/session/changed': SessionInfo;
  'copydesk/permission/asked': PermissionAskedParams;
  'copydesk/permission/resolved': PermissionResolvedParams;
}

/** Requests from the server. */
export interface Questions {
  'copydesk/prompt/ask': [PromptAskParams, string | null];
  'copydesk/file/save': [SaveFilesParams, SaveFilesResult];
  'copydesk/diagnostics/get': [DiagnosticsGetParams, DiagnosticsGetResult];
  'copydesk/definition': [LookUpParams, PlacesResult];
  'copydesk/references': [LookUpParams, PlacesResult];
  'copydesk/hover': [LookUpParams, HoverResult];
}
