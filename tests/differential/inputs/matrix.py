# Input of the differential suite: vector units and BLAS through numpy.
import numpy

values = (numpy.arange(160 * 160, dtype=numpy.float64) % 17).reshape(160, 160)
product = values @ values.T
print(product.sum(), numpy.sort(product.ravel())[::2500])
print(numpy.round(numpy.linalg.solve(values[:40, :40] + numpy.eye(40) * 99, numpy.ones(40))[:5], 9))
print(numpy.bitwise_xor.reduce((values * 3).astype(numpy.uint16), axis=0)[:10])
