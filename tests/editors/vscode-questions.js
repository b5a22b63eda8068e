// VS Code with the packaged extension: questions that come while somebody types. No key answers them and none is lost; their
// buttons do, and a closed one waits.
const fs = require('node:fs');
const path = require('node:path');
const { expected, file, read, run, until, work } = require('./vscode_window.js');

const told = () => read(path.join(work, 'told.log')).split('\n').filter((line) => line !== '');
const letGo = (name) => fs.writeFileSync(path.join(work, name), '');

async function asked(times) {
  await until(`the model is asked ${times} times`, () => told().length >= times);
}

/** Nothing was allowed: the model, asked that often, still waits for the result. */
function unanswered(times) {
  if (told().length !== times) throw new Error(`the model was told something before anybody answered: ${told().at(-1)}`);
}

/** What the model was told with that request. */
async function answered(times, pattern) {
  await asked(times);
  if (!pattern.test(told()[times - 1])) throw new Error(`request ${times} does not tell ${pattern}: ${told()[times - 1]}`);
}

async function flow(window) {
  const { page } = window;
  const question = (words) => page.locator('.notification-toast', { hasText: words }).first();
  const answer = async (words, choice) => {
    await question(words).getByRole('button', { name: choice, exact: true }).click();
    await question(words).waitFor({ state: 'hidden' });
  };
  const waits = page.locator('[id="copydesk.copydesk.copydesk"]', { hasText: 'waits for you' });

  await window.open('store.rs');
  await until('the document is open in the server', () => /didOpen/.test(read(path.join(work, 'to-server.log'))), 40);
  await window.focusText();
  await window.typeAtTop('// copydesk: check it');
  await window.goToLine(1);
  await window.choose('Do: check it');
  await asked(1);

  // In the middle of a line.
  await window.press('Control+End');
  await page.keyboard.type('let x = ', { delay: 5 });
  letGo('one');
  await question('check.sh one').waitFor();
  await page.keyboard.type('1\n1\nlet y = 2;', { delay: 5 });
  await window.picture('question');
  unanswered(1);
  // Closed by the key that closes everything, it waits, and can be had again.
  await window.press('Escape');
  await question('check.sh one').waitFor({ state: 'hidden' });
  await waits.waitFor();
  unanswered(1);
  await waits.click();
  await page.locator('.quick-input-list-entry', { hasText: 'Answer the open question' }).first().click();
  await answer('check.sh one', 'Once');
  await answered(2, /"is_error":false,"text":"checked one/);

  letGo('two');
  await question('check.sh two').waitFor();
  await window.focusText();
  await window.press('Control+End', 'Enter');
  unanswered(2);
  await answer('check.sh two', 'Deny');
  await answered(3, /"is_error":true.*rejected this call/);

  letGo('three');
  await answer('check.sh three', 'Session');
  await answered(4, /"is_error":false,"text":"checked three/);
  // A reason goes with the denial.
  letGo('four');
  await answer('check.sh four', 'Deny…');
  const box = page.locator('.quick-input-widget', { hasText: 'check.sh four' }).locator('.quick-input-box input');
  await box.waitFor();
  await box.fill('use three');
  await box.press('Enter');
  await answered(5, /"is_error":true.*They say: use three/);
  // Another command in the place of the one that was asked about.
  letGo('five');
  await answer('check.sh five', 'Edit…');
  const edited = page.locator('.quick-input-widget', { hasText: 'Run this instead' }).locator('.quick-input-box input');
  await edited.waitFor();
  await edited.fill('sh check.sh instead');
  await edited.press('Enter');
  await answered(6, /"is_error":false.*What ran: .*sh check.sh instead.*checked instead/);
  await answer('Which way?', 'Right');
  await answered(7, /answer: Right/);
  await waits.waitFor({ state: 'hidden' });

  await window.save();
  const typed = `// copydesk: check it\n${expected('before')}let x = 1\n1\nlet y = 2;\n`;
  await until('the text as typed on disk', () => read(file) === typed);
}

run(flow);
