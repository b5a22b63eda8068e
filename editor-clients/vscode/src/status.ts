// The status bar item: what the agent is doing, on which model, and whether it waits for the person.

import * as vscode from 'vscode';
import type { Client } from './client';
import type { Permissions } from './permissions';
import type { Sessions } from './sessions';

export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('copydesk', vscode.StatusBarAlignment.Left, 0);

  constructor(
    private readonly client: Client,
    private readonly sessions: Sessions,
    private readonly permissions: Permissions,
  ) {
    this.item.name = 'Copydesk';
    this.item.command = 'copydesk.menu';
    client.onStateChanged(() => this.draw());
    sessions.onChanged(() => this.draw());
    permissions.onChanged(() => this.draw());
    this.draw();
    this.item.show();
  }

  dispose(): void {
    this.item.dispose();
  }

  private draw(): void {
    const session = this.sessions.current;
    const waiting = this.permissions.waiting > 0 || session?.state === 'waiting';
    const label = session?.offline ? 'Copydesk (offline model)' : 'Copydesk';
    this.item.backgroundColor = waiting ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    if (!this.client.running) this.item.text = '$(circle-slash) Copydesk';
    else if (waiting) this.item.text = `$(bell-dot) ${label} waits for you`;
    else if (this.sessions.busy) this.item.text = `$(loading~spin) ${label}: ${short(this.sessions.doing || 'working')}`;
    else this.item.text = `$(comment-discussion) ${label}`;
    this.item.tooltip = this.tooltip();
  }

  private tooltip(): string {
    if (!this.client.running) return 'Copydesk is not running';
    const session = this.sessions.current;
    if (!session) return 'Copydesk is ready';
    const { inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens } = session.usage;
    const read = inputTokens + cacheReadInputTokens + cacheCreationInputTokens;
    const model = session.offline ? 'The offline model: no language model answers' : `Model: ${session.model}`;
    return [session.title, model, `${read} tokens read, ${outputTokens} written`].filter((line) => line !== '').join('\n');
  }
}

function short(text: string): string {
  return text.length <= 40 ? text : `${text.slice(0, 39)}…`;
}
