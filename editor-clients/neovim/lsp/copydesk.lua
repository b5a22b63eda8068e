-- The `copydesk` entry of |vim.lsp.config|; what a user's own vim.lsp.config('copydesk', …) says is laid over it.
return {
  cmd = { 'copydesk', '--stdio' },
  root_markers = { '.git' },
  -- No filetypes: the server is for every file.
  capabilities = {
    experimental = {
      copydesk = {
        version = 1,
        events = true,
        review = false,
        permissions = true,
        prompts = true,
        saveFiles = true,
        diagnostics = true,
        navigation = true,
      },
    },
  },
  handlers = {
    ['workspace/applyEdit'] = function(...) return require('copydesk.apply_edit').handle(...) end,
    ['window/showMessageRequest'] = function(...) return require('copydesk.permission').message_request(...) end,
    -- Neovim's own way to show a message waits for a key each time.
    ['window/showMessage'] = function(_, shown) require('copydesk.say').say(shown.message, 5 - shown.type) end,
    ['window/showDocument'] = function(...) return require('copydesk.hunks').show_document(...) end,
    ['copydesk/event'] = function(...) require('copydesk.answer').event(...) end,
    ['copydesk/prompt/ask'] = function(...) return require('copydesk.prompt').handle(...) end,
    ['copydesk/file/save'] = function(...) return require('copydesk.save').handle(...) end,
    ['copydesk/diagnostics/get'] = function(...) return require('copydesk.language').diagnostics(...) end,
    ['copydesk/definition'] = function(...) return require('copydesk.language').definition(...) end,
    ['copydesk/references'] = function(...) return require('copydesk.language').references(...) end,
    ['copydesk/hover'] = function(...) return require('copydesk.language').hover(...) end,
    ['copydesk/permission/asked'] = function(...) return require('copydesk.permission').asked(...) end,
    ['copydesk/permission/resolved'] = function(...) return require('copydesk.permission').resolved(...) end,
  },
  on_attach = function(...) require('copydesk').attached(...) end,
}
