-- A line in the corner for as long as the server waits: it is seen while one types, too, and no key goes into it.
local M = {}

local window, buffer

function M.hide()
  if window and vim.api.nvim_win_is_valid(window) then vim.api.nvim_win_close(window, true) end
  window = nil
end

---@param text string
function M.show(text)
  M.hide()
  if not (buffer and vim.api.nvim_buf_is_valid(buffer)) then buffer = vim.api.nvim_create_buf(false, true) end
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, { (' %s '):format(text:gsub('%s+', ' ')) })
  local room = math.max(vim.o.columns - 4, 1)
  -- A command-line window lets none be opened; the message is there all the same.
  local opened, made = pcall(vim.api.nvim_open_win, buffer, false, {
    relative = 'editor',
    anchor = 'NE',
    row = 1,
    col = vim.o.columns - 1,
    width = math.min(vim.api.nvim_strwidth(text) + 2, room),
    height = 1,
    style = 'minimal',
    focusable = false,
    noautocmd = true,
    zindex = 60,
  })
  if not opened then return end
  window = made
  vim.wo[window].winhighlight = 'Normal:WarningMsg,NormalFloat:WarningMsg'
end

return M
