-- `copydesk/prompt/ask`: the server asks for words or a choice, always because the user has just chosen an action.
local M = {}

function M.handle(_, params)
  local routine = assert(coroutine.running())
  local function answer(text)
    -- Scheduled, because Neovim's own vim.ui functions answer before the yield below.
    vim.schedule(function() coroutine.resume(routine, text and vim.trim(text) ~= '' and text or vim.NIL) end)
  end
  if params.options and #params.options > 0 then
    vim.ui.select(params.options, { prompt = params.title }, answer)
  else
    vim.ui.input({ prompt = params.title .. ': ' }, answer)
  end
  return coroutine.yield()
end

return M
