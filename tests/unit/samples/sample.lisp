; a comment
(defun f (a &optional b)
  "a string"
  (let ((x '(1 2)))
    (if a (marker x b) nil)))
