-- Neovim with our plug-in: :Copydesk, the keys over hunks, edits answered truly, health.
package.path = vim.fs.dirname(arg[0]) .. '/?.lua;' .. package.path
local steps = require('neovim_steps')
local unsaved, meanwhile = 'fn later() { load("b.db"); }', '// typed while it works'

local function press(keys) vim.api.nvim_feedkeys(vim.keycode(keys), 'mtx', false) end

steps.run(function()
  vim.cmd('filetype on')
  vim.cmd.edit(steps.file)
  local client = steps.client()

  steps.type_at_end(unsaved)
  -- Without words the command asks for them.
  vim.ui.input = function(options, answer)
    assert(options.prompt == 'Ask Copydesk: ', options.prompt)
    answer('rename load to open in store.rs')
  end
  vim.cmd('Copydesk ask')
  steps.type_at_end(meanwhile)
  steps.wait_hunks(3)
  steps.check_text('without-comment')
  steps.wait('what is left', function()
    return vim.fn.execute('messages'):find('Copydesk: 3 changes to review in store.rs; ]h goes to the next', 1, true)
  end)
  assert(vim.fn.execute('messages'):find('Copydesk: working…', 1, true), vim.fn.execute('messages'))

  -- The window has room for the text up to the hunk: it scrolls for the diff below the cursor.
  vim.cmd('6split')
  press('gg]h')
  steps.wait_cursor(6)
  local below = vim.api.nvim_win_get_height(0) - vim.fn.winline()
  assert(below == 3, 'rows below the cursor: ' .. below)
  vim.cmd.close()
  press('gg]h')
  steps.wait_cursor(6)
  press('[h')
  steps.wait_cursor(1)
  press('gry')
  steps.wait_hunks(2)
  assert(steps.text():find('fn open', 1, true), steps.text())
  steps.wait_cursor(6)
  press('grd')
  steps.wait_hunks(1)
  steps.wait_cursor(9)

  vim.cmd.undo()
  steps.wait_hunks(2)
  steps.check_text('without-comment')
  vim.cmd('silent write')
  steps.check_disk('without-comment')

  -- Undo left the cursor in the hunk that came back; past the last one it goes round.
  steps.wait_cursor(1)
  press(']h')
  steps.wait_cursor(9)
  press(']h')
  steps.wait_cursor(1)
  press('[h')
  steps.wait_cursor(9)
  press('[h')
  steps.wait_cursor(1)
  press('gry')
  steps.wait_hunks(1)
  steps.wait_cursor(9)
  steps.check_text('accepted')
  vim.cmd('silent write')
  steps.check_disk('accepted')
  assert(require('copydesk').status() == 'copydesk: 1 change', require('copydesk').status())

  -- An edit for another version of the text is refused, and nothing of it is applied.
  local handle = require('copydesk.apply_edit').handle
  local start = { line = 0, character = 0 }
  local stale = { documentChanges = { {
    textDocument = { uri = vim.uri_from_bufnr(0), version = 0 },
    edits = { { range = { start = start, ['end'] = start }, newText = 'stale' } },
  } } }
  local answer = handle(nil, { edit = stale }, { client_id = client.id })
  assert(answer.applied == false and answer.failureReason:find('has changed', 1, true), vim.inspect(answer))
  steps.check_text('accepted')

  -- Questions are announced, and asked only on demand; a closed prompt is no answer.
  local asked = {}
  local choice
  vim.ui.select = function(items, options, on_choice)
    table.insert(asked, options.prompt)
    on_choice(choice and items[choice] or nil, choice)
  end
  vim.notify = function() end
  local permission, context = require('copydesk.permission'), { client_id = client.id }
  permission.asked(nil, {
    requestId = 'p_1', options = {}, explanation = '', toolCall = { id = 't', title = 'Run cargo test', kind = 'execute' },
  }, context)
  assert(#asked == 0 and permission.waiting())
  vim.cmd('Copydesk answer')
  assert(#asked == 1 and permission.waiting(), vim.inspect(asked))
  permission.resolved(nil, { requestId = 'p_1' })
  assert(not permission.waiting())

  local answered
  coroutine.wrap(function()
    answered = permission.message_request(nil, { message = 'Which?', actions = { { title = 'This' }, { title = 'That' } } }, context)
  end)()
  assert(#asked == 1 and permission.waiting() and answered == nil)
  choice = 2
  vim.cmd('Copydesk answer')
  steps.wait('the answer', function() return answered end)
  assert(answered.title == 'That' and not permission.waiting(), vim.inspect(answered))

  -- An answer that changes nothing opens beside the cursor, which stays where it is.
  local function answer()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.w[window]['copydesk.answer'] then
        return table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), '\n')
      end
    end
  end
  local window = vim.api.nvim_get_current_win()
  vim.cmd('1Copydesk explain')
  steps.wait('an answer', answer)
  assert(answer():find('open', 1, true), answer())
  assert(vim.api.nvim_get_current_win() == window)
  steps.check_text('accepted')
  vim.cmd('normal! j')
  vim.cmd('doautocmd CursorMoved')
  steps.wait('the end of the answer', function() return not answer() end)
  vim.cmd('Copydesk show-answer')
  steps.wait('the answer once more', answer)
  vim.cmd('normal! k')
  vim.cmd('doautocmd CursorMoved')

  vim.cmd('checkhealth copydesk')
  local report = steps.text()
  assert(report:find('A server runs for', 1, true) and not report:find('ERROR', 1, true), report)

  -- As many names as one line has room for.
  local function told(changes, ...)
    local uris = vim.tbl_map(function(name) return vim.uri_from_fname(vim.fs.joinpath(steps.project, name)) end, { ... })
    return require('copydesk.answer').to_review({ changes = changes, uris = uris })
  end
  assert(told(1, 'a.rs') == 'Copydesk: 1 change to review in a.rs; ]h goes to the next', told(1, 'a.rs'))
  vim.o.columns = 120
  local four = told(5, 'a.rs', 'b.rs', 'c.rs', 'd.rs')
  assert(four == 'Copydesk: 5 changes to review in 4 files: a.rs, b.rs, c.rs and 1 more; ]h goes to the next', four)
  vim.o.columns = 80
  local narrow = told(5, 'a.rs', 'b.rs', 'c.rs', 'd.rs')
  assert(narrow == 'Copydesk: 5 changes to review in 4 files: a.rs and 3 more; ]h goes to the next', narrow)

  client:stop()
  steps.wait('the end of the server', function() return client:is_stopped() end)
end)
