-- The steps of a Neovim flow: waits with a deadline, and what a person does by hand.
local M = {}

local work = assert(vim.env.WORK)
M.project = work .. '/project'
M.file = M.project .. '/store.rs'

function M.expected(name) return vim.fn.readfile(work .. '/expected/' .. name, 'b') end
function M.on_disk() return vim.fn.readfile(M.file, 'b') end

--- Waits until `ready` holds; what it waited for is in the failure.
function M.wait(what, ready)
  assert(vim.wait(20000, function() return ready() end, 20), 'waited in vain: ' .. what .. '\n' .. M.text())
end

function M.text() return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n') end

function M.hunks()
  return vim.tbl_filter(function(diagnostic) return diagnostic.source == 'copydesk' end, vim.diagnostic.get(0))
end

function M.wait_hunks(count)
  M.wait(count .. ' hunks', function() return #M.hunks() == count end)
end

function M.wait_cursor(line)
  M.wait('the cursor in line ' .. line, function() return vim.fn.line('.') == line end)
end

--- Adds a line at the end, typed.
function M.type_at_end(text) M.type('Go' .. text) end

--- Adds a line at the top, typed.
function M.type_at_top(text) M.type('ggO' .. text) end

function M.type(keys)
  vim.api.nvim_feedkeys(vim.keycode(keys .. '<Esc>'), 'tx', false)
  M.close_undo_step()
end

--- A key typed in the main loop begins a new undo step; a script that never gets there has to say so.
function M.close_undo_step() vim.cmd('let &g:undolevels = &g:undolevels') end

--- Opens the code action menu in this line and takes the entry with this title.
function M.choose(line, title)
  vim.api.nvim_win_set_cursor(0, { line, 0 })
  local titles
  ---@diagnostic disable-next-line: duplicate-set-field
  vim.ui.select = function(items, options, on_choice)
    titles = vim.tbl_map(options.format_item, items)
    for index, shown in ipairs(titles) do
      if shown == title then return on_choice(items[index], index) end
    end
    on_choice(nil, nil)
  end
  vim.lsp.buf.code_action()
  M.wait('a code action menu', function() return titles end)
  assert(vim.list_contains(titles, title), title .. ' is not in the menu: ' .. vim.inspect(titles))
end

function M.client()
  M.wait('a client', function()
    local client = vim.lsp.get_clients({ name = 'copydesk', bufnr = 0 })[1]
    return client and client.initialized
  end)
  return vim.lsp.get_clients({ name = 'copydesk' })[1]
end

function M.check_text(name)
  local text = vim.list_extend(vim.api.nvim_buf_get_lines(0, 0, -1, false), { '' })
  assert(vim.deep_equal(text, M.expected(name)), 'the buffer is not as expected (' .. name .. '):\n' .. M.text())
end

function M.check_disk(name)
  assert(vim.deep_equal(M.on_disk(), M.expected(name)), 'the file is not as expected: ' .. name)
end

--- Runs a flow; a failure goes to stderr and sets the exit code.
function M.run(flow)
  local done, failure = xpcall(flow, debug.traceback)
  if not done then
    io.stderr:write(tostring(failure), '\n')
    os.exit(1)
  end
end

return M
