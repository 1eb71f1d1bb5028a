; Sorts `size` scattered numbers by merging and sums up those at even places.
; A file before this one defines it: (define size 500)
(define scattered
  (lambda (count seed list)
    (if (= count 0)
        list
        (scattered (- count 1) (remainder (+ (* seed 137) 71) 9973) (cons seed list)))))
(define remainder
  (lambda (number divisor)
    (if (< number divisor) number (reduce number divisor divisor))))
(define reduce
  (lambda (number divisor step)
    (if (< number (* 2 step))
        (remainder (- number step) divisor)
        (reduce number divisor (* 2 step)))))
(define even
  (lambda (list)
    (if (null? list) nil (cons (car list) (odd (cdr list))))))
(define odd
  (lambda (list)
    (if (null? list) nil (even (cdr list)))))
(define merge
  (lambda (left right)
    (if (null? left)
        right
        (if (null? right)
            left
            (if (< (car left) (car right))
                (cons (car left) (merge (cdr left) right))
                (cons (car right) (merge left (cdr right))))))))
(define sort
  (lambda (list)
    (if (null? list)
        nil
        (if (null? (cdr list))
            list
            (merge (sort (even list)) (sort (odd list)))))))
(define sum
  (lambda (list total)
    (if (null? list) total (sum (cdr list) (+ total (car list))))))
(sum (even (sort (scattered size 1 nil))) 0)
