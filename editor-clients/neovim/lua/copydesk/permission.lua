-- The agent's questions. They are announced by a message and asked only when the user says so: a prompt that opens by itself
-- would take keys that were meant for the text, and could be answered by them.
local M = {}

---@type table[] open questions, oldest first
local open = {}

--- `copydesk/permission/asked`.
function M.asked(_, question, context)
  table.insert(open, { question = question, client_id = context.client_id })
  vim.notify(('Copydesk waits for you: %s? Answer with :Copydesk answer'):format(question.toolCall.title), vim.log.levels.WARN)
  vim.cmd.redrawstatus()
end

--- `copydesk/permission/resolved`.
function M.resolved(_, params)
  open = vim.tbl_filter(function(entry) return entry.question.requestId ~= params.requestId end, open)
  vim.cmd.redrawstatus()
end

function M.waiting()
  open = vim.tbl_filter(function(entry) return vim.lsp.get_client_by_id(entry.client_id) ~= nil end, open)
  return #open > 0
end

--- Asks the oldest open question. A closed prompt leaves it open.
function M.answer()
  if not M.waiting() then
    vim.notify('Copydesk has no open question', vim.log.levels.INFO)
    return
  end
  local question, client = open[1].question, assert(vim.lsp.get_client_by_id(open[1].client_id))
  local what = question.toolCall.command or question.toolCall.title
  vim.ui.select(question.options, {
    prompt = ('Copydesk asks: %s? %s'):format(what, question.explanation),
    format_item = function(option) return option.name end,
  }, function(option)
    if not option then return end
    local answer = { requestId = question.requestId, optionId = option.id }
    client:request('copydesk/permission/answer', answer, function(failure)
      if failure then vim.notify(failure.message, vim.log.levels.ERROR) end
    end)
  end)
end

return M
