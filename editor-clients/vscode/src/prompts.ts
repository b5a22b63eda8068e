// Answers `copydesk/prompt/ask`: an input box, or a list to choose from.

import * as vscode from 'vscode';
import type { PromptAskParams } from '../../../protocol/generated/copydesk';

export async function answerPrompts(
  { title, placeholder, options }: PromptAskParams,
  token: vscode.CancellationToken,
): Promise<string | null> {
  const box = { title, ignoreFocusOut: true, ...(placeholder !== undefined && { placeHolder: placeholder }) };
  const answer =
    options && options.length > 0
      ? await vscode.window.showQuickPick(options, box, token)
      : await vscode.window.showInputBox(box, token);
  return answer === undefined || answer.trim() === '' ? null : answer;
}
