-- What the agent asks of the editor's own language servers: problems, definitions, references, hovers.
local M = {}

-- By buffer: which text the last report of problems was about.
local reported = {}

--- The version of the document that the servers have; nil if they have none.
local function version(bufnr) return vim.lsp.util.buf_versions[bufnr] end

vim.api.nvim_create_autocmd({ 'DiagnosticChanged', 'BufUnload' }, {
  group = vim.api.nvim_create_augroup('copydesk.language', {}),
  callback = function(event)
    reported[event.buf] = event.event == 'DiagnosticChanged' and version(event.buf) or nil
  end,
})

--- The servers of a buffer that answer `method`, ours left out.
local function servers(bufnr, method)
  return vim.tbl_filter(
    function(client) return client.name ~= 'copydesk' end,
    vim.lsp.get_clients({ bufnr = bufnr, method = method })
  )
end

local function problem(found)
  local sent = vim.tbl_get(found, 'user_data', 'lsp') or {}
  local first = { line = found.lnum, character = found.col }
  return {
    -- A server's own range counts as LSP does; Neovim's counts bytes.
    range = sent.range or { start = first, ['end'] = { line = found.end_lnum or found.lnum, character = found.end_col or found.col } },
    severity = found.severity,
    message = found.message,
    source = found.source,
  }
end

function M.diagnostics(_, params)
  local bufnr = params.uri and vim.uri_to_bufnr(params.uri) or nil
  local files = {}
  if bufnr then files[bufnr] = {} end
  for _, found in ipairs(vim.diagnostic.get(bufnr)) do
    if (found.source or ''):lower() ~= 'copydesk' then
      files[found.bufnr] = files[found.bufnr] or {}
      table.insert(files[found.bufnr], problem(found))
    end
  end
  local answer = {}
  for of, problems in pairs(files) do
    table.insert(answer, {
      uri = of == bufnr and params.uri or vim.uri_from_bufnr(of),
      version = reported[of] or vim.NIL,
      diagnostics = problems,
    })
  end
  return { files = answer }
end

--- `position` as another server of the buffer counts it.
local function recounted(bufnr, position, from, to)
  if from == to then return position end
  local line = vim.api.nvim_buf_get_lines(bufnr, position.line, position.line + 1, false)[1] or ''
  local byte = vim.str_byteindex(line, from, position.character, false)
  return { line = position.line, character = vim.str_utfindex(line, to, byte, false) }
end

--- Asks all servers of the buffer, and gives their answers and the version of the text that they were asked about. Neovim
--- goes on meanwhile. nil: there is nobody to ask.
local function ask(method, params, context, more)
  local bufnr = vim.uri_to_bufnr(params.uri)
  local asked = vim.api.nvim_buf_is_loaded(bufnr) and servers(bufnr, method) or {}
  if #asked == 0 then return nil end
  local ours = assert(vim.lsp.get_client_by_id(context.client_id)).offset_encoding
  local routine, left, answers, before = assert(coroutine.running()), #asked, {}, version(bufnr)
  for _, client in ipairs(asked) do
    local request = vim.tbl_extend('force', {
      textDocument = { uri = params.uri },
      position = recounted(bufnr, params.position, ours, client.offset_encoding),
    }, more or {})
    local function answered(_, answer)
      if answer then table.insert(answers, answer) end
      left = left - 1
      -- Scheduled, because a server may answer before the yield below.
      if left == 0 then vim.schedule(function() coroutine.resume(routine) end) end
    end
    if not client:request(method, request, answered, bufnr) then answered() end
  end
  coroutine.yield()
  return answers, before
end

local function places(method, params, context, more)
  local answers, before = ask(method, params, context, more)
  if not answers then return vim.NIL end
  local found = {}
  for _, answer in ipairs(answers) do
    for _, place in ipairs(vim.islist(answer) and answer or { answer }) do
      table.insert(found, { uri = place.uri or place.targetUri, range = place.range or place.targetSelectionRange })
    end
  end
  return { version = before or vim.NIL, places = found }
end

function M.definition(_, params, context) return places('textDocument/definition', params, context) end

function M.references(_, params, context)
  return places('textDocument/references', params, context, { context = { includeDeclaration = true } })
end

function M.hover(_, params, context)
  local answers, before = ask('textDocument/hover', params, context)
  if not answers then return vim.NIL end
  local texts = {}
  for _, answer in ipairs(answers) do
    table.insert(texts, table.concat(vim.lsp.util.convert_input_to_markdown_lines(answer.contents), '\n'))
  end
  local text = vim.trim(table.concat(texts, '\n\n'))
  return { version = before or vim.NIL, text = text ~= '' and text or vim.NIL }
end

return M
