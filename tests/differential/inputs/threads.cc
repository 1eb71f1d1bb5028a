// Input of the differential suite: C++ threads that are born, talk, throw and die.
#include <atomic>
#include <condition_variable>
#include <deque>
#include <future>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

class Queue {
    std::mutex mutex;
    std::condition_variable filled;
    std::deque<int> items;

public:
    void push(int item)
    {
        std::lock_guard<std::mutex> lock(mutex);
        items.push_back(item);
        filled.notify_one();
    }
    int pop()
    {
        std::unique_lock<std::mutex> lock(mutex);
        filled.wait(lock, [this] { return !items.empty(); });
        int item = items.front();
        items.pop_front();
        return item;
    }
};

int main()
{
    Queue queue;
    std::atomic<long> total{0};
    std::vector<std::thread> workers;
    for (int i = 0; i < 4; i++)
        workers.emplace_back([&] {
            for (int item; (item = queue.pop()) != 0;)
                total += (long)item * item;
        });
    for (int item = 1; item <= 5000; item++)
        queue.push(item);
    for (int i = 0; i < 4; i++)
        queue.push(0);
    for (auto &worker : workers)
        worker.join();
    int caught = 0;
    for (int i = 0; i < 50; i++) {
        auto result = std::async(std::launch::async, [i]() -> int {
            if (i % 5 == 0)
                throw std::runtime_error("five");
            return i;
        });
        try {
            total += result.get();
        } catch (const std::runtime_error &) {
            caught++;
        }
    }
    std::cout << total << ' ' << caught << '\n';
}
