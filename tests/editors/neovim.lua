-- Neovim as it comes, set up by the two lines of `copydesk setup nvim`: a task by code action on a dirty buffer, typing while it
-- works, accept, reject, undo, save.
package.path = vim.fs.dirname(arg[0]) .. '/?.lua;' .. package.path
local steps = require('neovim_steps')
local marker = '// copydesk: rename load to open in store.rs'
local unsaved, meanwhile = 'fn later() { load("b.db"); }', '// typed while it works'

steps.run(function()
  vim.cmd('filetype on')
  vim.lsp.config('copydesk', { cmd = { vim.env.WORK .. '/copydesk', '--stdio' }, root_markers = { '.git' } })
  vim.lsp.enable('copydesk')
  vim.cmd.edit(steps.file)
  local client = steps.client()
  local ended
  vim.api.nvim_create_autocmd('LspProgress', { pattern = 'end', callback = function(event)
    ended = event.data.params.value.message
  end })

  steps.type_at_end(unsaved)
  steps.type_at_top(marker)
  steps.choose(1, 'Do: rename load to open in store.rs')
  steps.type_at_end(meanwhile)
  steps.wait_hunks(3)
  steps.check_text('typed')

  -- From any other file the way leads there.
  steps.wait('the end of the task', function() return ended end)
  assert(ended == '3 changes to review in store.rs; code action "Review: …"', ended)
  vim.cmd.edit(steps.project .. '/notes.txt')
  steps.wait('a client', function() return vim.lsp.get_clients({ name = 'copydesk', bufnr = 0 })[1] end)
  steps.choose(1, 'Review: go to the next change')
  steps.wait('the file with the change', function() return vim.api.nvim_buf_get_name(0) == steps.file end)
  steps.wait_cursor(1)

  steps.choose(2, 'Accept hunk 1/3')
  steps.wait('fn open', function() return steps.text():find('fn open', 1, true) end)
  steps.wait_hunks(2)
  steps.check_disk('before')
  steps.wait_cursor(6)
  steps.choose(6, 'Reject hunk 1/2')
  steps.wait_hunks(1)
  steps.wait_cursor(9)

  vim.cmd.undo()
  steps.wait_hunks(2)
  steps.check_text('typed')
  vim.cmd('silent write')
  steps.check_disk('typed')

  steps.choose(2, 'Accept hunk 1/2')
  steps.wait_hunks(1)
  steps.wait_cursor(9)
  steps.check_text('accepted')
  vim.cmd('silent write')
  steps.check_disk('accepted')

  client:stop()
  steps.wait('the end of the server', function() return client:is_stopped() end)
end)
