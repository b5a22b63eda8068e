-- Starts Copydesk for every file and defines :Copydesk.
if vim.g.loaded_copydesk then return end
vim.g.loaded_copydesk = true

if vim.fn.has('nvim-0.11') == 0 then
  vim.notify('copydesk needs Neovim 0.11 or newer', vim.log.levels.ERROR)
  return
end

vim.lsp.enable('copydesk')

-- vim.lsp.enable() goes by the FileType event, which a file of no known type never gets.
vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile' }, {
  group = vim.api.nvim_create_augroup('copydesk', {}),
  callback = function(event)
    vim.schedule(function()
      if vim.api.nvim_buf_is_valid(event.buf) then require('copydesk').attach_untyped(event.buf) end
    end)
  end,
})

vim.api.nvim_create_user_command('Copydesk', function(call) require('copydesk.command').run(call) end, {
  nargs = '*',
  range = true,
  complete = function(...) return require('copydesk.command').complete(...) end,
  desc = 'Ask Copydesk, and decide about its changes',
})
