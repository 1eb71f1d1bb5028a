// counter [N [REPEATS]]: counts keys in a hash table, then ranks them in an ordered map.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <unordered_map>
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000, reps = argc > 2 ? atoi(argv[2]) : 2;
    std::mt19937_64 random(42);
    std::unordered_map<unsigned, int> counts;
    for (int r = 0; r < reps; r++)
        for (int i = 0; i < 2 * n; i++)
            counts[random() % n * 2654435761u]++;
    std::map<int, int> ranks;
    std::map<unsigned, int> ordered;
    for (const auto &[key, count] : counts) {
        ranks[count]++;
        ordered[key] = count;
    }
    long sum = 0;
    for (const auto &[key, count] : ordered)
        sum += count * (key & 15);
    std::printf("%ld %zu\n", sum, ranks.size());
}
