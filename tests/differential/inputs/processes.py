# Input of the differential suite: worker processes, and one that dies of a signal.
import multiprocessing, os, signal


def cube(n):
    return n ** 3


if __name__ == '__main__':
    with multiprocessing.Pool(2) as pool:
        print(pool.map(cube, range(20)))
    child = os.fork()
    if child == 0:
        signal.pause()
    os.kill(child, signal.SIGUSR1)
    print(os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGUSR1)
