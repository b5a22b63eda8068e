// The agent's questions, each with its buttons. A closed one is not answered: it stays open until a button is chosen.

import * as vscode from 'vscode';
import type { PermissionAskedParams } from '../../../protocol/generated/copydesk';
import type { Client } from './client';

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
    const what = toolCall.command === undefined ? toolCall.title : `${toolCall.title}: ${toolCall.command}`;
    const why = question.explanation === '' ? '' : ` ${question.explanation}`;
    const choice = await vscode.window.showWarningMessage(
      `Copydesk asks: ${what}?${why}`,
      { modal: false },
      ...options.map(({ id, name }) => ({ id, title: name })),
    );
    if (!choice) return;
    if (!this.open.has(question.requestId)) {
      void vscode.window.showInformationMessage('That question was answered elsewhere, or its task has ended.');
      return;
    }
    await this.client.request('copydesk/permission/answer', { requestId: question.requestId, optionId: choice.id });
  }
}
