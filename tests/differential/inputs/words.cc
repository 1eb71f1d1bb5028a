// Input of the differential suite: the C++ library, exceptions, virtual calls, iostreams.
#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

struct Shape {
    virtual ~Shape() = default;
    virtual double area() const = 0;
};
struct Square : Shape {
    double side;
    explicit Square(double side) : side(side) {}
    double area() const override { return side * side; }
};
struct Circle : Shape {
    double radius;
    explicit Circle(double radius) : radius(radius) {}
    double area() const override { return 3.14159 * radius * radius; }
};

static int check(int value)
{
    if (value % 7 == 0)
        throw std::out_of_range("seven: " + std::to_string(value));
    return value;
}

int main()
{
    std::map<std::string, int> counts;
    std::string word;
    while (std::cin >> word)
        counts[word]++;
    std::vector<std::pair<std::string, int>> sorted(counts.begin(), counts.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto &a, const auto &b) { return a.second > b.second; });
    for (size_t i = 0; i < sorted.size() && i < 10; i++)
        std::cout << sorted[i].first << ' ' << sorted[i].second << '\n';
    std::vector<std::unique_ptr<Shape>> shapes;
    for (int i = 1; i < 100; i++)
        if (i % 2)
            shapes.push_back(std::make_unique<Square>(i));
        else
            shapes.push_back(std::make_unique<Circle>(i));
    double area = 0;
    for (const auto &shape : shapes)
        area += shape->area();
    int caught = 0;
    for (int i = 0; i < 1000; i++)
        try {
            check(i);
        } catch (const std::out_of_range &error) {
            caught += (int)std::string(error.what()).size();
        }
    std::smatch match;
    std::string text = "line 123, line 456";
    std::regex_search(text, match, std::regex("([0-9]+), line ([0-9]+)"));
    std::cout << area << ' ' << caught << ' ' << match[1] << ' ' << match[2] << '\n';
}
