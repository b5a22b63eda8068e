// Answers what the agent asks of the editor's own language servers: problems, definitions, references, hovers.

import * as vscode from 'vscode';
import type {
  DiagnosticsGetParams,
  DiagnosticsGetResult,
  HoverResult,
  LookUpParams,
  PlacesResult,
} from '../../../protocol/generated/copydesk';

/** Ours are about proposals, not about the text. */
const OWN = 'copydesk';
/** After so long without a report the servers have nothing new to say: an unchanged report is not sent again. */
const QUIET = 3000;

/** Which text of a document the last report was about. */
export class Reports implements vscode.Disposable {
  private readonly reported = new Map<string, number>();
  private readonly changed = new Map<string, number>();
  private readonly listeners: vscode.Disposable[];

  constructor() {
    this.listeners = [
      vscode.languages.onDidChangeDiagnostics(({ uris }) => {
        for (const uri of uris) {
          const document = opened(uri);
          if (document) this.reported.set(uri.toString(), document.version);
        }
      }),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        this.changed.set(document.uri.toString(), Date.now());
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        this.reported.delete(uri.toString());
        this.changed.delete(uri.toString());
      }),
    ];
  }

  diagnostics = async ({ uri }: DiagnosticsGetParams): Promise<DiagnosticsGetResult> => {
    const one = uri === undefined ? undefined : vscode.Uri.parse(uri);
    const known = one ? [[one, vscode.languages.getDiagnostics(one)] as const] : vscode.languages.getDiagnostics();
    const files = known.map(([of, all]) => ({
      uri: one && uri !== undefined ? uri : of.toString(),
      version: this.version(of),
      diagnostics: all.filter(({ source }) => source?.toLowerCase() !== OWN).map(problem),
    }));
    return { files: one ? files : files.filter(({ diagnostics }) => diagnostics.length > 0) };
  };

  dispose(): void {
    for (const listener of this.listeners) listener.dispose();
  }

  private version(uri: vscode.Uri): number | null {
    const document = opened(uri);
    if (!document) return null;
    const quiet = Date.now() - (this.changed.get(uri.toString()) ?? 0) > QUIET;
    return quiet ? document.version : (this.reported.get(uri.toString()) ?? null);
  }
}

export async function definition(params: LookUpParams): Promise<PlacesResult> {
  return await places('vscode.executeDefinitionProvider', params);
}

export async function references(params: LookUpParams): Promise<PlacesResult> {
  return await places('vscode.executeReferenceProvider', params);
}

export async function hover(params: LookUpParams): Promise<HoverResult> {
  const { uri, at, version } = asked(params);
  const hovers = await vscode.commands.executeCommand<vscode.Hover[] | undefined>('vscode.executeHoverProvider', uri, at);
  const texts = (hovers ?? []).flatMap(({ contents }) =>
    contents.map((part) => {
      if (typeof part === 'string') return part;
      return 'language' in part ? `\`\`\`${part.language}\n${part.value}\n\`\`\`` : part.value;
    }),
  );
  const text = texts.filter((part) => part.trim() !== '').join('\n\n');
  return { version, text: text === '' ? null : text };
}

async function places(command: string, params: LookUpParams): Promise<PlacesResult> {
  const { uri, at, version } = asked(params);
  const found = await vscode.commands.executeCommand<(vscode.Location | vscode.LocationLink)[] | undefined>(command, uri, at);
  const place = (of: vscode.Location | vscode.LocationLink) =>
    'targetUri' in of
      ? { uri: of.targetUri.toString(), range: range(of.targetSelectionRange ?? of.targetRange) }
      : { uri: of.uri.toString(), range: range(of.range) };
  return { version, places: (found ?? []).map(place) };
}

/** The version is that of before: what the servers then say may be about a later text, which the agent takes for unknown. */
function asked({ uri: written, position }: LookUpParams) {
  const uri = vscode.Uri.parse(written);
  return {
    uri,
    at: new vscode.Position(position.line, position.character),
    version: opened(uri)?.version ?? null,
  };
}

function opened(uri: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((open) => open.uri.toString() === uri.toString());
}

function problem(diagnostic: vscode.Diagnostic) {
  return {
    range: range(diagnostic.range),
    // VS Code counts severities from 0, LSP from 1.
    severity: diagnostic.severity + 1,
    message: diagnostic.message,
    ...(diagnostic.source !== undefined && { source: diagnostic.source }),
  };
}

function range({ start, end }: vscode.Range) {
  const place = ({ line, character }: vscode.Position) => ({ line, character });
  return { start: place(start), end: place(end) };
}
