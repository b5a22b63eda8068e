-- `copydesk/file/save`: writes the buffers that the agent needs on disk.
local M = {}

function M.handle(_, params)
  local saved = {}
  for _, uri in ipairs(params.uris) do
    local bufnr = vim.uri_to_bufnr(uri)
    if vim.api.nvim_buf_is_loaded(bufnr) then
      local written = pcall(vim.api.nvim_buf_call, bufnr, function() vim.cmd('silent update') end)
      if written and not vim.bo[bufnr].modified then table.insert(saved, uri) end
    end
  end
  return { saved = saved }
end

return M
