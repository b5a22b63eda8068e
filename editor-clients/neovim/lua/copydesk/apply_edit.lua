-- `workspace/applyEdit`, told truly: all of an edit is applied and `applied` is true, or none of it and the reason is given.
--
-- Neovim's own handler says `applied` also for edits it dropped, checks no version 0 and none but the first document's, and
-- lets the changes follow its answer.
local M = {}

function M.handle(_, params, context)
  local client = assert(vim.lsp.get_client_by_id(context.client_id))
  local problem = M.problem(params.edit)
  if problem then return { applied = false, failureReason = problem } end
  local done, failure = pcall(vim.lsp.util.apply_workspace_edit, params.edit, client.offset_encoding)
  -- Any notification first sends the changes that wait in Neovim's queue, so the server sees the new text before the answer.
  client:notify('$/setTrace', { value = 'off' })
  return { applied = done, failureReason = not done and tostring(failure) or nil }
end

--- Why this edit must not be applied, if so.
---@param edit lsp.WorkspaceEdit
---@return string?
function M.problem(edit)
  for _, change in ipairs(edit.documentChanges or {}) do
    if not change.kind then
      local stale = M.stale(change.textDocument)
      if stale then return stale end
    end
  end
  local uris = vim.tbl_keys(edit.changes or {})
  for _, change in ipairs(edit.documentChanges or {}) do
    if change.textDocument then table.insert(uris, change.textDocument.uri) end
  end
  for _, uri in ipairs(uris) do
    local bufnr = vim.uri_to_bufnr(uri)
    if vim.api.nvim_buf_is_loaded(bufnr) and not vim.bo[bufnr].modifiable then
      return ('%s is not modifiable'):format(vim.uri_to_fname(uri))
    end
  end
end

---@param document lsp.OptionalVersionedTextDocumentIdentifier
---@return string?
function M.stale(document)
  local version = document.version
  if version == nil or version == vim.NIL then return end
  local bufnr = vim.uri_to_bufnr(document.uri)
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    return ('%s is not open'):format(vim.uri_to_fname(document.uri))
  end
  local current = vim.lsp.util.buf_versions[bufnr]
  if current ~= version then
    return ('%s has changed: the edit is for version %s, the buffer is at %s'):format(
      vim.uri_to_fname(document.uri), version, tostring(current))
  end
end

return M
