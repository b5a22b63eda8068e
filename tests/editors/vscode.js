// VS Code with the packaged extension: a task by code action on a dirty buffer, typing while it works, accept by lens, reject by
// code action, undo, save.
const path = require('node:path');
const { expected, file, read, run, until, work } = require('./vscode_window.js');

const marker = '// copydesk: rename load to open in store.rs';
const unsaved = 'fn later() { load("b.db"); }';
const meanwhile = '// typed while it works';

async function flow(window) {
  await window.open('store.rs');
  await until('the document is open in the server', () => /didOpen/.test(read(path.join(work, 'to-server.log'))), 40);
  await window.focusText();
  await window.typeAtEnd(unsaved);
  await window.typeAtTop(marker);

  await window.goToLine(1);
  await window.choose('Do: rename load to open in store.rs', 'menu');
  await window.typeAtEnd(meanwhile);
  await window.seeLens('Accept 1/3');
  await window.goToLine(2);
  await window.hover('fn open');
  await window.picture('review');
  await window.press('Escape');

  await window.lens('Accept 1/3').click();
  await until('the first hunk in the text', async () => (await window.text()).includes('fn open'));
  if (read(file) !== expected('before')) throw new Error('the file was written before it was saved');
  await window.seeLens('Accept 1/2');
  // The cursor goes on to the next hunk.
  await window.seeCursorIn(6);
  await window.choose('Reject hunk 1/2');
  await window.seeLens('Accept 1/1');
  await window.picture('rejected');

  await window.press('Control+z');
  await until('the first hunk out of the text', async () => (await window.text()).includes('fn load'));
  await window.seeLens('Accept 1/2');
  await window.save();
  await until('the text as typed on disk', () => read(file) === expected('typed'));

  await window.goToLine(2);
  await window.choose('Accept hunk 1/2');
  await window.seeLens('Accept 1/1');
  await window.save();
  await until('the accepted hunk on disk', () => read(file) === expected('accepted'));
  await window.page.locator('.statusbar-item', { hasText: 'Copydesk (offline model)' }).waitFor();

  // Free text, by the extension's own key and input box.
  await window.press('Control+Alt+k');
  const box = window.page.locator('.quick-input-widget', { hasText: 'Ask Copydesk' });
  await box.waitFor();
  // Into the box itself: it is on the screen a moment before it takes the keys.
  const input = box.locator('.quick-input-box input');
  await input.fill('rename text to words in store.rs');
  await window.picture('ask');
  await input.press('Enter');
  await window.seeLens('Accept 1/2');
  await window.picture('asked');
}

run(flow);
