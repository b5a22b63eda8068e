;;; copydesk.el --- Copydesk under eglot -*- lexical-binding: t -*-

;; Eglot starts one server for a buffer: in these modes it is Copydesk.  Add the modes you want it in.
;; Review is `next-error' (M-n, bound below), C-c a, RET: the preferred action accepts the hunk.  C-/ takes it back.

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               '((rust-ts-mode rust-mode python-base-mode js-base-mode go-ts-mode diff-mode markdown-mode)
                 . ("copydesk" "--stdio")))
  (define-key eglot-mode-map (kbd "C-c a") #'eglot-code-actions))

(with-eval-after-load 'flymake
  (define-key flymake-mode-map (kbd "M-n") #'flymake-goto-next-error)
  (define-key flymake-mode-map (kbd "M-p") #'flymake-goto-prev-error))

(defun copydesk-ask (words)
  "Ask Copydesk WORDS about the line or the active region."
  (interactive "sAsk Copydesk: ")
  (let ((first (line-number-at-pos (if (use-region-p) (region-beginning) (point))))
        (last (line-number-at-pos (if (use-region-p) (region-end) (point)))))
    (eglot-execute (eglot-current-server)
                   (list :title "Ask" :command "copydesk.ask"
                         :arguments (vector (buffer-file-name) first last words)))))

(provide 'copydesk)
;;; copydesk.el ends here
