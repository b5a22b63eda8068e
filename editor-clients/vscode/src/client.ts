// The connection to the server, typed by its methods; it can be stopped and started again without losing a listener.

import * as vscode from 'vscode';
import {
  type ClientCapabilities,
  type FeatureState,
  LanguageClient,
  State,
  type StaticFeature,
} from 'vscode-languageclient/node';
import type { ClientCapability } from '../../../protocol/generated/copydesk';
import type { Notifications, Questions, Requests } from './methods';
import { findProgram, tellMissing } from './program';

/** VS Code keeps one table of command ids for all extensions: the server's own go under a name of their own. */
const SERVER_COMMANDS = 'copydesk-server';

type Listener = (client: LanguageClient) => vscode.Disposable;

export class Client implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private readonly listeners: Listener[] = [];
  private readonly output = vscode.window.createOutputChannel('Copydesk', { log: true });
  private readonly changed = new vscode.EventEmitter<void>();

  /** The server came up or went away. */
  readonly onStateChanged = this.changed.event;

  get running(): boolean {
    return this.client?.state === State.Running;
  }

  onNotification<M extends keyof Notifications>(method: M, handler: (params: Notifications[M]) => void): void {
    this.listeners.push((client) => client.onNotification(method, handler));
  }

  onRequest<M extends keyof Questions>(
    method: M,
    handler: (params: Questions[M][0], token: vscode.CancellationToken) => Promise<Questions[M][1]>,
  ): void {
    this.listeners.push((client) => client.onRequest(method, handler));
  }

  async request<M extends keyof Requests>(method: M, params: Requests[M][0]): Promise<Requests[M][1]> {
    return await this.live().sendRequest<Requests[M][1]>(method, params);
  }

  /** Runs one of the server's commands, such as `open-chat`. */
  async execute(verb: string, ...args: unknown[]): Promise<void> {
    await this.live().sendRequest('workspace/executeCommand', {
      command: `${SERVER_COMMANDS}.${verb}`,
      arguments: args,
    });
  }

  async start(): Promise<void> {
    const program = await findProgram();
    if (!program.found) {
      this.output.error(program.problem);
      await tellMissing(program.problem, () => this.start());
      return;
    }
    this.output.info(`Starting ${program.path}`);
    const client = new LanguageClient(
      'copydesk',
      'Copydesk',
      { command: program.path, args: ['--stdio'] },
      {
        // Named schemes only: a selector without one would also take output panels and commit messages.
        documentSelector: [{ scheme: 'file' }],
        initializationOptions: { commandPrefix: SERVER_COMMANDS },
        outputChannel: this.output,
        middleware: { handleDiagnostics: (uri, diagnostics, next) => next(uri, diagnostics.map(summary)) },
      },
    );
    client.registerFeature(announcement);
    for (const listen of this.listeners) listen(client);
    client.onDidChangeState(() => {
      void vscode.commands.executeCommand('setContext', 'copydesk.running', this.running);
      this.changed.fire();
    });
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      const choice = await vscode.window.showErrorMessage(
        `Copydesk did not start: ${String(error)}. Run \`${program.path} doctor\` in a terminal to see why.`,
        'Show the log',
      );
      if (choice) this.output.show();
    }
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client?.needsStop()) await client.stop();
    this.changed.fire();
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  showLog(): void {
    this.output.show();
  }

  dispose(): void {
    this.changed.dispose();
    this.output.dispose();
  }

  private live(): LanguageClient {
    if (!this.client || !this.running) throw new Error('Copydesk is not running: use “Copydesk: Restart the Server”');
    return this.client;
  }
}

/**
 * A hunk's problem without its small diff, which VS Code would show in the hover above the coloured one. A hunk is known by
 * its code, such as 2/5.
 */
function summary(diagnostic: vscode.Diagnostic): vscode.Diagnostic {
  const [first] = diagnostic.message.split('\n', 1);
  if (first !== undefined && /^\d+\/\d+$/.test(String(diagnostic.code))) diagnostic.message = first;
  return diagnostic;
}

/** Tells the server what this extension can do beyond plain LSP. */
const announcement: StaticFeature = {
  fillClientCapabilities(capabilities: ClientCapabilities): void {
    const copydesk: ClientCapability = {
      version: 1,
      events: true,
      review: false,
      permissions: true,
      prompts: true,
      saveFiles: true,
      diagnostics: true,
      navigation: true,
    };
    const experimental = capabilities.experimental as Record<string, unknown> | undefined;
    capabilities.experimental = { ...experimental, copydesk };
  },
  initialize(): void {},
  getState(): FeatureState {
    return { kind: 'static' };
  },
  clear(): void {},
};
