-- The server's questions. They are announced by a message and asked only when the user says so: a prompt that opens by itself
-- would take keys that were meant for the text, and could be answered by them.
local M = {}
local say = require('copydesk.say').say
local notice = require('copydesk.notice')

---@class copydesk.Question
---@field id string?          of a permission question
---@field client_id integer
---@field title string        for the announcement
---@field prompt string       for the prompt
---@field options { name: string, value: any }[]
---@field answer fun(value: any)

---@type copydesk.Question[] open questions, oldest first
local open = {}

local function announcement(question)
  return ('Copydesk waits for you: %s Answer with :Copydesk answer'):format(question.title)
end

--- The oldest question stands in the corner until nobody waits for an answer any more.
local function draw()
  if open[1] then notice.show(announcement(open[1])) else notice.hide() end
  vim.cmd.redrawstatus()
end

---@param question copydesk.Question
local function add(question)
  table.insert(open, question)
  draw()
  say(announcement(question), vim.log.levels.WARN)
end

---@param keep fun(question: copydesk.Question): boolean
local function retain(keep)
  open = vim.tbl_filter(keep, open)
  draw()
end

--- What the menu calls the way to change a command before it runs, once.
local EDIT = 'Edit and allow once…'

--- The command line as the model sent it: what is shown may have hidden characters written out.
local function command_of(call)
  local input = call.command and type(call.input) == 'table' and call.input or {}
  return type(input.command) == 'string' and input.command or nil
end

--- `copydesk/permission/asked`.
function M.asked(_, params, context)
  local client = assert(vim.lsp.get_client_by_id(context.client_id))
  local what = params.toolCall.command or params.toolCall.title
  local options = vim.tbl_map(function(option) return { name = option.name, value = { id = option.id } } end, params.options)
  local once = vim.iter(params.options):find(function(option) return option.kind == 'allow_once' end)
  local command = command_of(params.toolCall)
  if once and command then table.insert(options, { name = EDIT, value = { id = once.id, edits = command } }) end
  local function send(option, input)
    local answer = { requestId = params.requestId, optionId = option, updatedInput = input }
    client:request('copydesk/permission/answer', answer, function(failure)
      if failure then say(failure.message, vim.log.levels.ERROR) end
    end)
  end
  add({
    id = params.requestId,
    client_id = client.id,
    title = params.toolCall.title .. '?',
    prompt = ('Copydesk asks: %s? %s'):format(what, params.explanation),
    options = options,
    answer = function(option)
      if not option.edits then return send(option.id) end
      vim.ui.input({ prompt = 'Run this instead, once: ', default = option.edits }, function(edited)
        -- A prompt that is closed answers nothing.
        if not edited or edited:match('^%s*$') then return end
        send(option.id, vim.tbl_extend('force', params.toolCall.input, { command = edited }))
      end)
    end,
  })
end

--- `copydesk/permission/resolved`.
function M.resolved(_, params)
  retain(function(question) return question.id ~= params.requestId end)
end

--- `window/showMessageRequest`: a question of another kind; the answer goes out when there is one.
function M.message_request(_, params, context)
  local routine = assert(coroutine.running())
  local question
  question = {
    client_id = context.client_id,
    title = params.message,
    prompt = params.message,
    options = vim.tbl_map(function(action) return { name = action.title, value = action } end, params.actions or {}),
    answer = function(action)
      retain(function(other) return other ~= question end)
      vim.schedule(function() coroutine.resume(routine, action) end)
    end,
  }
  add(question)
  return coroutine.yield()
end

function M.waiting()
  local before = #open
  open = vim.tbl_filter(function(question) return vim.lsp.get_client_by_id(question.client_id) ~= nil end, open)
  if #open < before and #open == 0 then vim.schedule(notice.hide) end
  return #open > 0
end

--- Asks the oldest open question. A closed prompt leaves it open.
function M.answer()
  if not M.waiting() then
    say('Copydesk has no open question', vim.log.levels.INFO)
    return
  end
  local question = open[1]
  vim.ui.select(question.options, {
    prompt = question.prompt,
    format_item = function(option) return option.name end,
  }, function(option)
    if option then question.answer(option.value) end
  end)
end

return M
