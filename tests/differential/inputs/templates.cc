// Input of the differential suite: templates, overloads and exceptions for a compiler to chew on.
#include <cstddef>
#include <utility>

template <unsigned N> struct Fibonacci {
    static constexpr unsigned long value = Fibonacci<N - 1>::value + Fibonacci<N - 2>::value;
};
template <> struct Fibonacci<0> {
    static constexpr unsigned long value = 0;
};
template <> struct Fibonacci<1> {
    static constexpr unsigned long value = 1;
};

template <class T, std::size_t N> class Heap
{
    T items[N];
    std::size_t count = 0;

  public:
    void push(T item)
    {
        if (count == N)
            throw N;
        std::size_t at = count++;
        for (; at && items[(at - 1) / 2] < item; at = (at - 1) / 2)
            items[at] = std::move(items[(at - 1) / 2]);
        items[at] = std::move(item);
    }
    T pop()
    {
        T top = std::move(items[0]), last = std::move(items[--count]);
        std::size_t at = 0;
        for (std::size_t child; (child = 2 * at + 1) < count; at = child) {
            if (child + 1 < count && items[child] < items[child + 1])
                child++;
            if (!(last < items[child]))
                break;
            items[at] = std::move(items[child]);
        }
        items[at] = std::move(last);
        return top;
    }
};

template <class... Numbers> constexpr auto sum(Numbers... numbers)
{
    return (numbers + ... + 0);
}

struct Pair {
    int key;
    double value;
    bool operator<(const Pair &other) const
    {
        return key < other.key;
    }
};

double sorted(const int *keys, std::size_t count)
{
    Heap<Pair, 40> pairs;
    Heap<unsigned long, Fibonacci<10>::value> numbers;
    try {
        for (std::size_t i = 0; i < count; i++) {
            pairs.push({keys[i], 1.0 / (1 + keys[i])});
            numbers.push(Fibonacci<80>::value >> (keys[i] & 63));
        }
    } catch (std::size_t full) {
        return -double(full);
    }
    double total = sum(1, 2, 3.5);
    auto add = [&](auto item) { total += item; };
    for (std::size_t i = 0; i < count; i++) {
        add(pairs.pop().value);
        add(numbers.pop());
    }
    return total;
}
