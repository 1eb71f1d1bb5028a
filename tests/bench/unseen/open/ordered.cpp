// ordered [N [ROUNDS]]: a std::map of N random keys is filled, looked up in another order, walked,
// and half of it erased and put back.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

static unsigned long next_random(unsigned long &state)
{
    state = state * 6364136223846793005UL + 1442695040888963407UL;
    return state >> 24;
}

int main(int argc, char **argv)
{
    std::size_t n = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 10000;
    int rounds = argc > 2 ? std::atoi(argv[2]) : 2;
    unsigned long random = 2011;
    std::vector<unsigned long> keys(n);
    std::map<unsigned long, double> table;
    for (auto &key : keys) {
        key = next_random(random);
        table[key] += 1;
    }
    double sum = 0;
    for (int round = 0; round < rounds; round++) {
        for (std::size_t i = 0; i < n; i++) {
            auto found = table.find(keys[next_random(random) % n]);
            if (found != table.end())
                sum += found->second;
        }
        for (const auto &item : table)
            sum += item.second;
        for (std::size_t i = 0; i < n; i += 2)
            table.erase(keys[i]);
        for (std::size_t i = 0; i < n; i += 2)
            table[keys[i]] = 2;
    }
    std::printf("ordered: %g\n", sum);
}
