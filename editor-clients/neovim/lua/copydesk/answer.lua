-- What a task comes to: a line when it begins and one when it ends; and what one answered that proposed no change, in a window at
-- the cursor that takes no keys: it goes when the cursor moves.
local M = {}
local say = require('copydesk.say').say

---@class copydesk.Task
---@field messages { id: string, text: string }[]
---@field proposed boolean

---@type table<string, copydesk.Task> running tasks
local tasks = {}

-- The last answer, for :Copydesk show-answer.
local last

local levels = {
  completed = vim.log.levels.INFO,
  aborted_streaming = vim.log.levels.INFO,
  aborted_tools = vim.log.levels.INFO,
  max_turns = vim.log.levels.WARN,
  budget_exhausted = vim.log.levels.WARN,
  stop_hook_prevented = vim.log.levels.WARN,
  hook_stopped = vim.log.levels.WARN,
}

--- The chat is on the screen, and the answer in it.
local function chat_is_seen()
  return vim.iter(vim.api.nvim_list_wins()):any(function(window)
    return vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(window)):match('/%.copydesk/chat%.md$') ~= nil
  end)
end

--- Opens the last answer once nothing is being typed. `focus`: go into its window if it is open.
---@param focus boolean
local function open(focus)
  if vim.api.nvim_get_mode().mode:sub(1, 1) ~= 'n' then
    vim.api.nvim_create_autocmd('ModeChanged', {
      group = vim.api.nvim_create_augroup('copydesk.answer', {}),
      pattern = '*:n',
      once = true,
      callback = function() vim.schedule(function() open(focus) end) end,
    })
    return
  end
  vim.lsp.util.open_floating_preview(vim.split(last, '\n'), 'markdown', {
    focus = focus,
    focus_id = 'copydesk.answer',
    max_width = 90,
    max_height = math.max(math.floor(vim.o.lines / 2), 5),
  })
end

--- Some task runs.
function M.running() return next(tasks) ~= nil end

--- `3 changes to review in 2 files: a.rs, b.rs; ]h goes to the next`, with as many names as one line has room for.
---@param left { changes: integer, uris: string[] }
function M.to_review(left)
  local names = vim.tbl_map(function(uri) return vim.fn.fnamemodify(vim.uri_to_fname(uri), ':~:.') end, left.uris)
  local count = left.changes == 1 and '1 change' or left.changes .. ' changes'
  local files = #names == 1 and '' or #names .. ' files: '
  local way = vim.g.copydesk_no_mappings and '' or '; ]h goes to the next'
  local line
  for named = math.min(#names, 3), 1, -1 do
    local more = #names > named and (' and %d more'):format(#names - named) or ''
    line = ('Copydesk: %s to review in %s%s%s%s'):format(count, files, table.concat(names, ', ', 1, named), more, way)
    if vim.api.nvim_strwidth(line) <= vim.v.echospace then break end
  end
  return line
end

--- `copydesk/event`.
function M.event(_, params)
  local event = params.event
  local task = tasks[params.taskId]
  if not task then
    task = { messages = {}, proposed = false }
    tasks[params.taskId] = task
    if event.type ~= 'terminal' then
      say('Copydesk: working…', vim.log.levels.INFO)
      vim.cmd.redrawstatus()
    end
  end
  -- What a sub-agent says is said to the agent.
  if event.type == 'message' and event.message.role == 'assistant' and not params.parentToolUseId then
    if vim.trim(event.message.text) ~= '' then table.insert(task.messages, event.message) end
  elseif event.type == 'tombstone' then
    task.messages = vim.tbl_filter(function(message) return message.id ~= event.messageId end, task.messages)
  elseif event.type == 'toolCall' then
    task.proposed = task.proposed or (event.kind == 'edit' and event.status == 'completed')
  elseif event.type == 'terminal' then
    tasks[params.taskId] = nil
    local left = event.toReview and M.to_review(event.toReview)
    if event.message then
      -- The first line is the one that stays on the screen.
      local both = left and event.message .. '\n' .. left or event.message
      say('Copydesk: ' .. both, levels[event.reason] or vim.log.levels.ERROR)
    else
      say(left or 'Copydesk: done', vim.log.levels.INFO)
    end
    vim.cmd.redrawstatus()
    local final = task.messages[#task.messages]
    if final then last = final.text end
    if final and not task.proposed and event.reason == 'completed' and not chat_is_seen() then open(false) end
  end
end

--- The last answer once more; a second time goes into its window.
function M.show()
  if not last then
    say('Copydesk has not answered anything yet', vim.log.levels.INFO)
    return
  end
  open(true)
end

return M
