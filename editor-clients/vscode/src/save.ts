// Answers `copydesk/file/save`: writes the open documents that the agent needs on disk.

import * as vscode from 'vscode';
import type { SaveFilesParams, SaveFilesResult } from '../../../protocol/generated/copydesk';

export async function saveFiles({ uris }: SaveFilesParams): Promise<SaveFilesResult> {
  const saved: string[] = [];
  for (const uri of uris) {
    const wanted = vscode.Uri.parse(uri).toString();
    const document = vscode.workspace.textDocuments.find((open) => open.uri.toString() === wanted);
    if (document && (!document.isDirty || (await document.save()))) saved.push(uri);
  }
  return { saved };
}
