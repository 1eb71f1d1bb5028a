; In how many ways `size` queens stand on a board of size x size without threatening each other.
; A file before this one defines it: (define size 8)
(define safe
  (lambda (column distance placed)
    (if (null? placed)
        true
        (if (= column (car placed))
            nil
            (if (= column (+ (car placed) distance))
                nil
                (if (= column (- (car placed) distance))
                    nil
                    (safe column (+ distance 1) (cdr placed))))))))
(define ways
  (lambda (row column placed)
    (if (= row size)
        1
        (if (= column size)
            0
            (+ (if (safe column 1 placed)
                   (ways (+ row 1) 0 (cons column placed))
                   0)
               (ways row (+ column 1) placed))))))
(ways 0 0 nil)
