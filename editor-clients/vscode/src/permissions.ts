// The agent's questions, each with its buttons. A closed one is not answered: it stays open until a button is chosen.

import * as vscode from 'vscode';
import type { PermissionAnswerParams, PermissionAskedParams, PermissionOption } from '../../../protocol/generated/copydesk';
import type { Client } from './client';

/** What adds a rule, as the question explains it. */
const RULES: Partial<Record<string, string>> = { session: 'Session', save: 'Always' };

export class Permissions implements vscode.Disposable {
  private readonly open = new Map<string, PermissionAskedParams>();
  private readonly changed = new vscode.EventEmitter<void>();

  readonly onChanged = this.changed.event;

  constructor(private readonly client: Client) {
    client.onNotification('copydesk/permission/asked', (question) => {
      this.open.set(question.requestId, question);
      this.changed.fire();
      void this.ask(question);
    });
    client.onNotification('copydesk/permission/resolved', ({ requestId }) => {
      this.open.delete(requestId);
      this.changed.fire();
    });
    client.onStateChanged(() => {
      if (client.running) return;
      this.open.clear();
      this.changed.fire();
    });
  }

  get waiting(): number {
    return this.open.size;
  }

  /** Shows the oldest open question again. */
  async askAgain(): Promise<void> {
    const [question] = this.open.values();
    if (question) await this.ask(question);
    else void vscode.window.showInformationMessage('Copydesk has no open question.');
  }

  dispose(): void {
    this.changed.dispose();
  }

  private async ask(question: PermissionAskedParams): Promise<void> {
    const { toolCall, options } = question;
    const buttons: Button[] = options.map((option) => ({ id: option.id, title: button(option) }));
    const once = options.find(({ kind }) => kind === 'allow_once');
    const command = commandOf(toolCall);
    if (once && command !== undefined) buttons.push({ id: once.id, title: 'Edit…', edits: command });
    const choice = await vscode.window.showWarningMessage(words(question), { modal: false }, ...buttons);
    if (!choice) return;
    const answer: PermissionAnswerParams = { requestId: question.requestId, optionId: choice.id };
    if (choice.edits !== undefined) {
      const edited = await vscode.window.showInputBox({ title: 'Run this instead, once', value: choice.edits });
      // A box that is closed answers nothing.
      if (edited === undefined || edited.trim() === '') return;
      answer.updatedInput = { ...(toolCall.input as object), command: edited };
    }
    if (!this.open.has(question.requestId)) {
      void vscode.window.showInformationMessage('That question was answered elsewhere, or its task has ended.');
      return;
    }
    await this.client.request('copydesk/permission/answer', answer);
  }
}

interface Button extends vscode.MessageItem {
  /** Of the answer. */
  id: string;
  /** The text that is changed before it is allowed. */
  edits?: string;
}

/** The command line as the model sent it: what is shown may have hidden characters written out. */
function commandOf({ command, input }: PermissionAskedParams['toolCall']): string | undefined {
  if (command === undefined || typeof input !== 'object' || input === null || !('command' in input)) return undefined;
  return typeof input.command === 'string' ? input.command : undefined;
}

/** The buttons have room for a word each. */
function button({ id, kind, name }: PermissionOption): string {
  if (id === 'once') return 'Once';
  if (id === 'words' && kind === 'reject_once') return 'Deny…';
  return RULES[id] ?? name;
}

/** What is asked, why, and the rules that two of the buttons would add. */
function words({ toolCall, options, explanation }: PermissionAskedParams): string {
  const { title, command } = toolCall;
  // A title can be shorter than the command.
  const what = command === undefined || title.includes(command) ? title : `${title}: ${command}`;
  const rules = options.filter(({ id }) => RULES[id] !== undefined).map(({ id, name }) => `“${RULES[id]}”: ${name}.`);
  return [`Copydesk asks: ${what.endsWith('?') ? what : `${what}?`}`, explanation, ...rules].filter((part) => part !== '').join(' ');
}
