-- The pending hunks, as the diagnostics that the server shows them by.
local M = {}
local say = require('copydesk.say').say

--- Copydesk's hunks in one buffer, or in all (nil), in the order of the files and lines.
---@param bufnr? integer
---@return vim.Diagnostic[]
function M.pending(bufnr)
  local hunks = vim.tbl_filter(function(diagnostic)
    -- A hunk's code is its place, such as 2/5; a question has none.
    return diagnostic.source == 'copydesk' and tostring(diagnostic.code):match('^%d+/%d+$') ~= nil
  end, vim.diagnostic.get(bufnr))
  table.sort(hunks, function(a, b)
    if a.bufnr ~= b.bufnr then return vim.api.nvim_buf_get_name(a.bufnr) < vim.api.nvim_buf_get_name(b.bufnr) end
    return a.lnum < b.lnum
  end)
  return hunks
end

--- Moves the cursor by `count` hunks, into the next file when this one has no more, and around at the end.
---@param count integer
function M.jump(count)
  local hunks = M.pending()
  if #hunks == 0 then
    say('Copydesk has no pending changes', vim.log.levels.INFO)
    return
  end
  local name, line = vim.api.nvim_buf_get_name(0), vim.fn.line('.') - 1
  local before, upto = 0, 0
  for _, hunk in ipairs(hunks) do
    local other = vim.api.nvim_buf_get_name(hunk.bufnr)
    if other < name or (other == name and hunk.lnum < line) then before = before + 1 end
    if other < name or (other == name and hunk.lnum <= line) then upto = upto + 1 end
  end
  local index = count > 0 and upto + count or before + count + 1
  local target = hunks[(index - 1) % #hunks + 1]
  vim.cmd("normal! m'")
  if target.bufnr ~= vim.api.nvim_get_current_buf() then
    vim.bo[target.bufnr].buflisted = true
    vim.api.nvim_win_set_buf(0, target.bufnr)
  end
  local last = vim.api.nvim_buf_line_count(0)
  vim.api.nvim_win_set_cursor(0, { math.min(target.lnum + 1, last), 0 })
  vim.cmd('normal! zv')
  M.reveal()
end

--- Scrolls so far that the diff below the cursor's line is in view too, or as much of it as the window has room for.
function M.reveal()
  if vim.g.copydesk_virtual_lines == false or vim.api.nvim_get_mode().mode ~= 'n' then return end
  local line = vim.fn.line('.') - 1
  local below = 0
  for _, hunk in ipairs(M.pending(0)) do
    if hunk.lnum == line then below = below + #vim.split(hunk.message, '\n') end
  end
  local window = vim.api.nvim_get_current_win()
  local height = vim.fn.getwininfo(window)[1].height
  local own = vim.api.nvim_win_text_height(window, { start_row = line, end_row = line })
  local rows = own.all - own.fill
  -- Above this row 'scrolloff' would take the cursor along.
  local top = math.min(vim.wo.scrolloff, math.floor((height - 1) / 2)) + 1
  local row = vim.fn.winline()
  while row > top and height - (row + rows - 1) < below do
    vim.cmd.normal({ vim.keycode('<C-e>'), bang = true })
    local after = vim.fn.winline()
    if after >= row then return end
    row = after
  end
end

--- `window/showDocument`, as Neovim does it, and the diff in view.
function M.show_document(...)
  local answer = vim.lsp.handlers['window/showDocument'](...)
  M.reveal()
  return answer
end

return M
