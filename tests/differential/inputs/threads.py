# Input of the differential suite: threads that take turns, a pool, a process and a pipe.
import concurrent.futures, queue, subprocess, threading

todo, done = queue.Queue(), []


def work():
    while (item := todo.get()) is not None:
        done.append(item * item)


threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads:
    thread.start()
for item in range(1000):
    todo.put(item)
for thread in threads:
    todo.put(None)
for thread in threads:
    thread.join()
print(sum(done))
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    print(list(pool.map(lambda n: n ** 3, range(10))))
print(subprocess.run(['sort', '-r'], input='a\nb\n', capture_output=True, text=True).stdout)
