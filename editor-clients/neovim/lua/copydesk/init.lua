-- What a configuration may call: the client, the hunks, the decisions.
local M = {}
local say = require('copydesk.say').say

---@return vim.lsp.Client?
function M.client(bufnr)
  return vim.lsp.get_clients({ name = 'copydesk', bufnr = bufnr or 0 })[1] or vim.lsp.get_clients({ name = 'copydesk' })[1]
end

--- Runs a command of the server, such as `open-chat`; says so if there is no server.
---@param verb string
---@param arguments? any[]
function M.execute(verb, arguments)
  local client = M.client()
  if not client then
    say('Copydesk is not running here: see :checkhealth copydesk', vim.log.levels.ERROR)
    return
  end
  client:exec_cmd({ title = '', command = 'copydesk.' .. verb, arguments = arguments or {} })
end

--- Starts a task about these lines (one-based, inclusive; the cursor's by default). Without words it asks for them.
---@param words? string
---@param first? integer
---@param last? integer
function M.ask(words, first, last)
  local path = vim.api.nvim_buf_get_name(0)
  first = first or vim.fn.line('.')
  last = last or first
  local function send(text)
    if text and vim.trim(text) ~= '' then
      M.execute('ask', path == '' and { text } or { path, first, last, text })
    end
  end
  if words and vim.trim(words) ~= '' then
    send(words)
  else
    vim.ui.input({ prompt = 'Ask Copydesk: ' }, send)
  end
end

--- Accepts the hunk under the cursor.
function M.accept() M.execute('accept', { vim.api.nvim_buf_get_name(0), vim.fn.line('.') }) end

--- Rejects the hunk under the cursor.
function M.reject() M.execute('reject', { vim.api.nvim_buf_get_name(0), vim.fn.line('.') }) end

function M.next_hunk() require('copydesk.hunks').jump(1) end
function M.previous_hunk() require('copydesk.hunks').jump(-1) end

--- For a statusline: the number of pending hunks in this buffer, and whether a task runs or a question is open. Empty if there
--- is nothing of it.
function M.status()
  local parts = {}
  local hunks = #require('copydesk.hunks').pending(0)
  if hunks > 0 then table.insert(parts, hunks == 1 and '1 change' or hunks .. ' changes') end
  if require('copydesk.permission').waiting() then
    table.insert(parts, 'waits for you')
  elseif require('copydesk.answer').running() then
    table.insert(parts, 'working')
  end
  return #parts == 0 and '' or 'copydesk: ' .. table.concat(parts, ', ')
end

--- Called for each buffer the server takes: shows a hunk's diff under the cursor's line and sets the keys.
function M.attached(client, bufnr)
  -- From now on it is noted which text each report of problems is about.
  require('copydesk.language')
  if vim.g.copydesk_virtual_lines ~= false then
    -- In Copydesk's own namespace: other servers' diagnostics look as the user has them.
    vim.diagnostic.config({ virtual_lines = { current_line = true }, virtual_text = false }, vim.lsp.diagnostic.get_namespace(client.id))
  end
  if vim.g.copydesk_no_mappings then return end
  local function map(keys, run, description)
    vim.keymap.set('n', keys, run, { buffer = bufnr, desc = 'Copydesk: ' .. description })
  end
  map(']h', M.next_hunk, 'next hunk')
  map('[h', M.previous_hunk, 'previous hunk')
  map('gry', M.accept, 'accept the hunk under the cursor')
  map('grd', M.reject, 'reject the hunk under the cursor')
end

--- Attaches a file that has no filetype.
function M.attach_untyped(bufnr)
  local named = vim.api.nvim_buf_get_name(bufnr) ~= ''
  if not named or vim.bo[bufnr].buftype ~= '' or vim.bo[bufnr].filetype ~= '' or not vim.lsp.is_enabled('copydesk') then return end
  local config = vim.deepcopy(vim.lsp.config.copydesk)
  config.root_dir = vim.fs.root(bufnr, config.root_markers or {})
  vim.lsp.start(config, { bufnr = bufnr })
end

return M
