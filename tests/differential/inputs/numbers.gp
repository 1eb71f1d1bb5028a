print(factor(2^101 - 1))
print(polroots(x^3 - 2))
print(matdet(mathilbert(12)))
