// The commands of the palette and of the status bar item.

import * as vscode from 'vscode';
import type { Client } from './client';
import type { Permissions } from './permissions';
import type { Sessions } from './sessions';

export function registerCommands(
  context: vscode.ExtensionContext,
  client: Client,
  sessions: Sessions,
  permissions: Permissions,
): void {
  const commands: Record<string, (...args: unknown[]) => Promise<void>> = {
    ask: (text) => ask(sessions, typeof text === 'string' ? text : undefined),
    cancel: () => sessions.cancel(),
    acceptAll: () => client.execute('accept-all'),
    rejectAll: () => client.execute('reject-all'),
    showDiff: () => client.execute('show-diff'),
    openChat: () => client.execute('open-chat'),
    answer: () => permissions.askAgain(),
    menu: () => menu(client, sessions, permissions),
    restart: () => client.restart(),
    showLog: async () => client.showLog(),
  };
  for (const [name, run] of Object.entries(commands)) {
    const guarded = async (...args: unknown[]) => {
      try {
        await run(...args);
      } catch (error) {
        void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
      }
    };
    context.subscriptions.push(vscode.commands.registerCommand(`copydesk.${name}`, guarded));
  }
}

/** Starts a task with `text`, or asks for one; keyboard shortcuts can carry it as their argument. */
async function ask(sessions: Sessions, text?: string): Promise<void> {
  const words =
    text ??
    (await vscode.window.showInputBox({
      title: 'Ask Copydesk',
      placeHolder: 'What should change, or what do you want to know?',
      ignoreFocusOut: true,
    }));
  if (words !== undefined && words.trim() !== '') await sessions.ask(words);
}

async function menu(client: Client, sessions: Sessions, permissions: Permissions): Promise<void> {
  const entries: [string, string][] = client.running
    ? [
        ...(permissions.waiting > 0 ? [['$(bell-dot) Answer the open question', 'answer'] as [string, string]] : []),
        ...(sessions.busy ? [['$(debug-stop) Cancel the task', 'cancel'] as [string, string]] : []),
        ['$(comment) Ask…', 'ask'],
        ['$(check-all) Accept all changes', 'acceptAll'],
        ['$(discard) Reject all changes', 'rejectAll'],
        ['$(diff) Show all changes as a diff', 'showDiff'],
        ['$(comment-discussion) Open the conversation', 'openChat'],
        ['$(output) Show the log', 'showLog'],
      ]
    : [
        ['$(debug-restart) Start the server', 'restart'],
        ['$(output) Show the log', 'showLog'],
      ];
  const choice = await vscode.window.showQuickPick(
    entries.map(([label, command]) => ({ label, command })),
    { title: 'Copydesk' },
  );
  if (choice) await vscode.commands.executeCommand(`copydesk.${choice.command}`);
}
