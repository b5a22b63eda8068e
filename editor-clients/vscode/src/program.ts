// Where the `copydesk` program is: the setting, else the PATH.

import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';

export type Program = { found: true; path: string } | { found: false; problem: string };

export async function findProgram(): Promise<Program> {
  const setting = vscode.workspace.getConfiguration('copydesk').get<string>('path', '').trim();
  if (setting === '') return await onPath('copydesk');
  const file = setting.startsWith('~/') ? path.join(homedir(), setting.slice(2)) : setting;
  if (!file.includes(path.sep) && !file.includes('/')) return await onPath(file);
  if (await runs(file)) return { found: true, path: file };
  return { found: false, problem: `The setting copydesk.path names “${setting}”, which is no program.` };
}

/** Says what is missing and offers the next step. */
export async function tellMissing(problem: string, retry: () => Promise<void>): Promise<void> {
  const settings = 'Open the setting';
  const again = 'Try again';
  const choice = await vscode.window.showErrorMessage(problem, settings, again);
  if (choice === settings) await vscode.commands.executeCommand('workbench.action.openSettings', 'copydesk.path');
  if (choice === again) await retry();
}

async function onPath(name: string): Promise<Program> {
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', ''] : [''];
  for (const folder of (process.env['PATH'] ?? '').split(path.delimiter)) {
    for (const ending of endings) {
      const file = path.join(folder, name + ending);
      if (folder !== '' && (await runs(file))) return { found: true, path: file };
    }
  }
  return {
    found: false,
    problem: `There is no “${name}” on the PATH of VS Code. Install it, or name the program in the setting copydesk.path.`,
  };
}

async function runs(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
