-- :Copydesk and its subcommands.
local M = {}
local say = require('copydesk.say').say

local function copydesk() return require('copydesk') end

---@type table<string, fun(words: string, call: table)>
local subcommands = {
  ask = function(words, call) copydesk().ask(words, call.line1, call.line2) end,
  explain = function(words, call) copydesk().ask(vim.trim('explain ' .. words), call.line1, call.line2) end,
  ['show-answer'] = function() require('copydesk.answer').show() end,
  accept = function() copydesk().accept() end,
  reject = function() copydesk().reject() end,
  ['accept-all'] = function() copydesk().execute('accept-all') end,
  ['reject-all'] = function() copydesk().execute('reject-all') end,
  ['show-diff'] = function() copydesk().execute('show-diff') end,
  ['open-chat'] = function() copydesk().execute('open-chat') end,
  cancel = function() copydesk().execute('cancel') end,
  answer = function() require('copydesk.permission').answer() end,
}

function M.run(call)
  local name, words = call.args:match('^(%S*)%s*(.-)%s*$')
  if name == '' then name = 'ask' end
  local run = subcommands[name]
  if run then
    run(words, call)
  else
    say((':Copydesk has no %s; there are: %s'):format(name, table.concat(M.names(), ', ')), vim.log.levels.ERROR)
  end
end

function M.complete(lead, line)
  if line:match('^%S*Copydesk%s+%S*$') == nil then return {} end
  return vim.tbl_filter(function(name) return vim.startswith(name, lead) end, M.names())
end

function M.names()
  local names = vim.tbl_keys(subcommands)
  table.sort(names)
  return names
end

return M
