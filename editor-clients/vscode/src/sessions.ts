// The conversations as the server reports them: which one is current, what it is doing, which task can be cancelled.

import * as vscode from 'vscode';
import type { EditorContext, Event, SessionInfo } from '../../../protocol/generated/copydesk';
import type { Client } from './client';

export class Sessions implements vscode.Disposable {
  private latest: SessionInfo | undefined;
  private step = '';
  private readonly tasks = new Set<string>();
  private readonly changed = new vscode.EventEmitter<void>();

  readonly onChanged = this.changed.event;

  constructor(private readonly client: Client) {
    client.onNotification('copydesk/session/changed', (session) => {
      this.latest = session;
      this.changed.fire();
    });
    client.onNotification('copydesk/event', ({ taskId, event }) => {
      if (event.type === 'terminal') this.tasks.delete(taskId);
      else this.tasks.add(taskId);
      const step = describe(event);
      if (step === undefined || step === this.step) return;
      this.step = step;
      this.changed.fire();
    });
    client.onStateChanged(() => {
      if (client.running) return;
      this.latest = undefined;
      this.step = '';
      this.tasks.clear();
      this.changed.fire();
    });
  }

  /** The conversation that changed last. */
  get current(): SessionInfo | undefined {
    return this.latest;
  }

  /** What the running task is at, for people; empty when nothing runs. */
  get doing(): string {
    return this.step;
  }

  get busy(): boolean {
    return this.tasks.size > 0;
  }

  /** Goes on with the current conversation, or begins one, about what is selected in the active editor. */
  async ask(text: string): Promise<void> {
    const prompt = [{ type: 'text' as const, text }];
    const session = this.latest;
    if (session && session.state !== 'idle') {
      await this.client.request('copydesk/task/send', { sessionId: session.sessionId, prompt });
      return;
    }
    const context = selected();
    await this.client.request('copydesk/task/start', {
      ...(session && { sessionId: session.sessionId }),
      ...(context && { context }),
      prompt,
    });
  }

  async cancel(): Promise<void> {
    await Promise.all([...this.tasks].map((taskId) => this.client.request('copydesk/task/cancel', { taskId })));
  }

  dispose(): void {
    this.changed.dispose();
  }
}

function selected(): EditorContext | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.uri.scheme !== 'file') return undefined;
  const { start, end } = editor.selection;
  // Plain objects: a `vscode.Range` becomes a list in JSON.
  const range = {
    start: { line: start.line, character: start.character },
    end: { line: end.line, character: end.character },
  };
  return { uri: editor.document.uri.toString(), range };
}

/** The words for the status bar, if this event changes them. */
function describe(event: Event): string | undefined {
  switch (event.type) {
    case 'requestStart':
      return 'thinking';
    case 'toolCall':
      return event.status === 'pending' || event.status === 'in_progress' ? event.title : undefined;
    case 'retry':
      return `trying again (${event.attempt} of ${event.max})`;
    case 'compaction':
      return 'making room';
    case 'terminal':
      return '';
    case 'stream':
    case 'message':
    case 'tombstone':
    case 'toolUseSummary':
    case 'transition':
    case 'plan':
      return undefined;
  }
}
