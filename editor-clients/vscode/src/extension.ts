// Starts the Copydesk server and joins the parts that make it at home in VS Code.

import * as vscode from 'vscode';
import { Client } from './client';
import { registerCommands } from './commands';
import { definition, hover, references, Reports } from './language';
import { Permissions } from './permissions';
import { answerPrompts } from './prompts';
import { saveFiles } from './save';
import { Sessions } from './sessions';
import { StatusItem } from './status';

let client: Client | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  client = new Client();
  const sessions = new Sessions(client);
  const permissions = new Permissions(client);
  context.subscriptions.push(client, sessions, permissions, new StatusItem(client, sessions, permissions));
  client.onRequest('copydesk/prompt/ask', answerPrompts);
  client.onRequest('copydesk/file/save', saveFiles);
  const reports = new Reports();
  context.subscriptions.push(reports);
  client.onRequest('copydesk/diagnostics/get', reports.diagnostics);
  client.onRequest('copydesk/definition', definition);
  client.onRequest('copydesk/references', references);
  client.onRequest('copydesk/hover', hover);
  registerCommands(context, client, sessions, permissions);
  await client.start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}
