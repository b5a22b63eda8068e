-- ~/.config/nvim/init.lua   (Neovim 0.11 or newer; no plugin is needed)

-- Without `filetypes` it is there in every file that has one.
vim.lsp.config('copydesk', { cmd = { 'copydesk' }, root_markers = { '.git' } })
vim.lsp.enable('copydesk')

-- The rest is comfort. Each pending change is shown as a diff under its line:
vim.diagnostic.config({ virtual_lines = { current_line = true } })

-- Messages in one line: Neovim's own way to show them waits for a key each time. `:messages` has all their lines.
local function say(text, level)
  if vim.fn.mode():find('^[cr]') then return vim.defer_fn(function() say(text, level) end, 500) end
  local colour = ({ 'ErrorMsg', 'WarningMsg' })[level]
  local first
  local function show(line, keep)
    vim.cmd.redraw()
    vim.api.nvim_echo({ { line, colour } }, keep, {})
  end
  for _, rest in ipairs(vim.split(text, '\n', { trimempty = true })) do
    repeat
      local line = vim.fn.printf('%.' .. vim.v.echospace .. 'S', (rest:gsub('%c', ' ')))
      first, rest = first or line, rest:sub(#line + 1)
      show(line, true)
    until line == '' or rest == ''
  end
  show(first or '', false)
end
vim.lsp.config('copydesk', { handlers = {
  ['window/showMessage'] = function(_, shown) say(shown.message, shown.type) end,
} })
-- How a task ended; an answer without a change is in the chat, which gra opens.
vim.api.nvim_create_autocmd('LspProgress', { pattern = 'end', callback = function(event)
  local client, ended = vim.lsp.get_client_by_id(event.data.client_id), event.data.params.value.message
  if client and client.name == 'copydesk' and ended then say('Copydesk: ' .. ended) end
end })

-- ]d goes to the next change of this file, ]h to the next one of all files; gra opens the menu, and gry accepts the change under the
-- cursor and goes on to the next one. `:lua vim.diagnostic.setqflist()` lists all of them in the quickfix list.
local function choose(title)
  return function()
    vim.lsp.buf.code_action({ apply = true, filter = function(a) return vim.startswith(a.title, title) end })
  end
end
vim.keymap.set('n', ']h', choose('Review: go to the next change'))
vim.keymap.set('n', 'gry', choose('Accept hunk'))

-- :Copydesk rename load to open      (with a range: about those lines)
vim.api.nvim_create_user_command('Copydesk', function(o)
  local client = vim.lsp.get_clients({ name = 'copydesk' })[1]
  if not client then return vim.notify('Copydesk starts with the first file: open one', vim.log.levels.ERROR) end
  client:exec_cmd({ title = '', command = 'copydesk.ask',
    arguments = { vim.api.nvim_buf_get_name(0), o.line1, o.line2, o.args } })
end, { nargs = '+', range = true })
