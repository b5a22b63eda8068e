// VS Code (code-server in headless Chromium) with the packaged extension, in the project of WORK: the steps a person takes in its
// window, for the flows beside this file. Screenshots are left in WORK.
const { spawn, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const http = require('node:http');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');

const [codeServer, browser, extension, copydesk] = process.argv.slice(2);
const work = process.env.WORK;
const project = path.join(work, 'project');
const file = path.join(project, 'store.rs');
const { chromium } = require(path.join(path.dirname(fs.realpathSync(codeServer)), 'node_modules/playwright-core'));

const read = (name) => (fs.existsSync(name) ? fs.readFileSync(name, 'utf8') : '');
const expected = (name) => read(path.join(work, 'expected', name));
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Polls until `ready` holds. */
async function until(what, ready, seconds = 20) {
  const deadline = Date.now() + seconds * 1000;
  while (!(await ready())) {
    if (Date.now() > deadline) throw new Error(`waited in vain: ${what}`);
    await pause(50);
  }
}

const settings = {
  'copydesk.path': copydesk,
  'editor.autoClosingBrackets': 'never',
  'editor.autoClosingQuotes': 'never',
  'editor.autoIndent': 'none',
  'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' },
  'extensions.autoCheckUpdates': false,
  'files.autoSave': 'off',
  'chat.commandCenter.enabled': false,
  'security.workspace.trust.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
};

/** The steps a person takes in the window. */
class Window {
  constructor(page) {
    this.page = page;
    this.pictures = 0;
  }

  async open(name) {
    const entry = this.page.locator('.explorer-folders-view .monaco-list-row', { hasText: name });
    await entry.waitFor({ timeout: 60_000 });
    await entry.dblclick();
    await this.page.locator('.monaco-editor .view-line').first().waitFor();
  }

  async text() {
    const lines = await this.page.locator('.editor-instance .view-lines').first().innerText();
    return lines.replace(/\u00a0/g, ' ');
  }

  async press(...keys) {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  async focusText() {
    await this.page.locator('.editor-instance .view-line', { hasText: 'fn main' }).first().click();
  }

  async typeAtTop(line) {
    await this.press('Control+Home');
    await this.page.keyboard.type(line, { delay: 5 });
    await this.press('Enter');
  }

  async typeAtEnd(line) {
    await this.press('Control+End');
    await this.page.keyboard.type(line, { delay: 5 });
    await this.press('Enter');
  }

  async goToLine(number) {
    await this.press('Control+Home');
    for (let line = 1; line < number; line++) await this.press('ArrowDown');
  }

  /** Opens the menu of code actions at the cursor and takes the entry. */
  async choose(title, picture) {
    const entry = this.page.locator('.action-widget .action', { hasText: title }).first();
    // Before the client has registered its provider the menu says that there is nothing.
    for (let attempt = 1; ; attempt++) {
      await this.press('Control+.');
      const shown = await entry.waitFor({ timeout: 2000 }).then(() => true, () => false);
      if (shown) break;
      if (attempt === 10) throw new Error(`no entry “${title}” in the menu`);
      await this.press('Escape');
    }
    if (picture) await this.picture(picture);
    // An invisible sheet above the menu takes the clicks; its keys work.
    const focused = this.page.locator('.action-widget .action.focused', { hasText: title });
    for (let row = 0; (await focused.count()) === 0; row++) {
      if (row === 20) throw new Error(`“${title}” can't be reached in the menu`);
      await this.press('ArrowDown');
      await pause(50);
    }
    await this.press('Enter');
    await this.page.locator('.action-widget').first().waitFor({ state: 'hidden' });
  }

  /** Shows what is said about the cursor's place. */
  async hover(text) {
    await this.press('Control+k', 'Control+i');
    await this.page.locator('.monaco-hover-content', { hasText: text }).first().waitFor();
  }

  lens(title) {
    return this.page.locator('.codelens-decoration a', { hasText: title }).first();
  }

  async seeLens(title) {
    await this.lens(title).waitFor({ timeout: 20_000 });
  }

  async seeCursorIn(line) {
    await this.page.locator('.statusbar-item', { hasText: `Ln ${line},` }).waitFor();
  }

  async save() {
    await this.press('Control+s');
  }

  async picture(name) {
    await pause(400); // animations
    await this.page.screenshot({ path: path.join(work, `${name}.png`) });
  }
}

/** Opens the window and goes through `flow`; a failure is told with what the window shows, and sets the exit code. */
async function drive(flow) {
  // Sockets lie here, and their paths must be short.
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'vs-'));
  const data = path.join(scratch, 'data');
  fs.mkdirSync(path.join(data, 'User'), { recursive: true });
  fs.writeFileSync(path.join(data, 'User/settings.json'), JSON.stringify(settings));
  const places = ['--user-data-dir', data, '--extensions-dir', path.join(scratch, 'extensions'), '--config', path.join(scratch, 'config.yaml')];
  const environment = { ...process.env, HOME: scratch, TMPDIR: scratch, XDG_RUNTIME_DIR: scratch };
  const log = fs.openSync(path.join(work, 'code-server.log'), 'w');

  const installed = spawnSync(codeServer, [...places, '--install-extension', extension], { env: environment, encoding: 'utf8' });
  if (installed.status !== 0) throw new Error(`the extension can't be installed:\n${installed.stdout}${installed.stderr}`);

  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const quiet = ['--auth', 'none', '--disable-telemetry', '--disable-update-check', '--disable-workspace-trust', '--disable-getting-started-override'];
  const server = spawn(codeServer, ['--bind-addr', address, ...quiet, ...places, project], {
    detached: true,
    stdio: ['ignore', log, log],
    env: environment,
  });
  let context;
  let window;
  try {
    await until('code-server answers', () => answers(`http://${address}/healthz`), 60);
    context = await chromium.launchPersistentContext(path.join(scratch, 'browser'), {
      executablePath: browser,
      headless: true,
      viewport: { width: 1280, height: 760 },
      env: environment,
      // A container's root can have no sandbox; only the local page is opened.
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    });
    const page = context.pages()[0] ?? (await context.newPage());
    await page.goto(`http://${address}/?folder=${encodeURIComponent(project)}`);
    window = new Window(page);
    await flow(window);
  } catch (failure) {
    console.error(failure.message);
    if (window) {
      console.error('--- the text in the editor');
      console.error(await window.text().catch(() => ''));
      await window.picture('failed').catch(() => {});
    }
    process.exitCode = 1;
  } finally {
    await context?.close().catch(() => {});
    await end(server);
    fs.rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}

function freePort() {
  return new Promise((done) => {
    const probe = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => done(port));
    });
  });
}

function answers(address) {
  return new Promise((done) => {
    http.get(address, (answer) => done(answer.resume().statusCode === 200)).on('error', () => done(false));
  });
}

/** Ends the server with all it started. */
async function end(server) {
  for (const signal of ['SIGTERM', 'SIGKILL']) {
    try {
      process.kill(-server.pid, signal);
      await until('the end', () => server.exitCode !== null || server.signalCode !== null, 3);
      return;
    } catch {
      // Gone already, or to be asked harder.
    }
  }
}

/** `drive`, with what fails outside of the window told too. */
const run = (flow) =>
  drive(flow).catch((failure) => {
    console.error(failure.message);
    process.exitCode = 1;
  });

module.exports = { expected, file, read, run, until, work };
