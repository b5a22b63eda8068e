-- ~/.config/nvim/init.lua   (Neovim 0.11 or newer; no plugin is needed)

-- Without `filetypes` it is there in every file that has one.
vim.lsp.config('copydesk', { cmd = { 'copydesk' }, root_markers = { '.git' } })
vim.lsp.enable('copydesk')

-- The rest is comfort. Each pending change is shown as a diff under its line:
vim.diagnostic.config({ virtual_lines = { current_line = true } })

-- Messages in one line: Neovim's own way to show them waits for a key each time.
vim.lsp.config('copydesk', { handlers = {
  ['window/showMessage'] = function(_, shown) vim.notify(shown.message, 5 - shown.type) end,
} })

-- ]d goes to the next change, gra opens its menu, and gry accepts it and goes on to the next one.
vim.keymap.set('n', 'gry', function()
  vim.lsp.buf.code_action({ apply = true, filter = function(a) return a.title:match('^Accept hunk') end })
end)

-- :Copydesk rename load to open      (with a range: about those lines)
vim.api.nvim_create_user_command('Copydesk', function(o)
  local client = vim.lsp.get_clients({ name = 'copydesk' })[1]
  if not client then return vim.notify('Copydesk starts with the first file: open one', vim.log.levels.ERROR) end
  client:exec_cmd({ title = '', command = 'copydesk.ask',
    arguments = { vim.api.nvim_buf_get_name(0), o.line1, o.line2, o.args } })
end, { nargs = '+', range = true })
