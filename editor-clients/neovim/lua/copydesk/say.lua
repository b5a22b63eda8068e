-- Messages for the person, one line each on the screen whatever their length: Neovim's own way to show a longer one waits for a
-- key and eats it. `:messages` has all of their lines.
local M = {}

local colours = { [vim.log.levels.ERROR] = 'ErrorMsg', [vim.log.levels.WARN] = 'WarningMsg' }

--- Whoever has a way of their own to show messages, such as a plug-in for it, keeps it.
local function is_replaced()
  return not vim.startswith(debug.getinfo(vim.notify, 'S').source, '@vim/')
end

local function echo(line, colour, keep)
  vim.cmd.redraw()
  vim.api.nvim_echo({ { line, colour } }, keep, {})
end

---@param text string
---@param level integer one of vim.log.levels
function M.say(text, level)
  if is_replaced() then return vim.notify(text, level) end
  -- A command line or a prompt that is open keeps its place.
  if vim.fn.mode():find('^[cr]') then return vim.defer_fn(function() M.say(text, level) end, 500) end
  local first
  for _, rest in ipairs(vim.split(text, '\n', { trimempty = true })) do
    repeat
      local line = vim.fn.printf('%.' .. vim.v.echospace .. 'S', (rest:gsub('%c', ' ')))
      first, rest = first or line, rest:sub(#line + 1)
      echo(line, colours[level], true)
    until line == '' or rest == ''
  end
  echo(first or '', colours[level], false)
end

return M
