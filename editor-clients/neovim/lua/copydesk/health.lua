-- :checkhealth copydesk
local M = {}

function M.check()
  local health = vim.health
  health.start('copydesk')

  if vim.fn.has('nvim-0.11') == 0 then
    health.error('Neovim 0.11 or newer is needed')
    return
  end
  health.ok('Neovim ' .. tostring(vim.version()))

  local config = vim.lsp.config.copydesk
  local program = type(config.cmd) == 'table' and config.cmd[1] or nil
  if program and vim.fn.executable(program) == 0 then
    health.error(('The program %s is not on the PATH'):format(program), {
      'Install copydesk, or name it: vim.lsp.config("copydesk", { cmd = { "/path/to/copydesk", "--stdio" } })',
    })
    return
  end
  if program then
    local version = vim.system({ program, '--version' }, { text = true, timeout = 5000 }):wait()
    if version.code == 0 then
      health.ok(('%s: %s'):format(vim.fn.exepath(program), vim.trim(version.stdout)))
    else
      health.error(('%s --version fails: %s'):format(program, vim.trim(version.stderr)))
    end
  end

  if not vim.lsp.is_enabled('copydesk') then
    health.warn('Copydesk is not enabled', { 'Call vim.lsp.enable("copydesk")' })
  end
  local clients = vim.lsp.get_clients({ name = 'copydesk' })
  if #clients == 0 then health.info('No server runs: open a file, then look again') end
  for _, client in ipairs(clients) do
    local buffers = #vim.tbl_keys(client.attached_buffers)
    health.ok(('A server runs for %s with %d buffer(s)'):format(client.root_dir or 'single files', buffers))
    if not vim.tbl_get(client.server_capabilities, 'experimental', 'copydesk') then
      health.warn('It does not speak this plugin\'s protocol', { 'Bring program and plugin to the same version' })
    end
    if vim.tbl_get(client.config, 'handlers', 'workspace/applyEdit') == nil then
      health.warn('Edits are answered by Neovim\'s own handler, which says “applied” also for edits it dropped', {
        'Something has replaced the handlers of vim.lsp.config.copydesk',
      })
    end
  end
end

return M
