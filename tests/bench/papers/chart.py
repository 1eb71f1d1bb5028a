"""Line charts as SVG: of each series a list of points, on linear or logarithmic axes."""
import math

COLOURS = ['#1b6ca8', '#c8553d', '#588157', '#7b2d8b', '#b8860b', '#444444', '#2a9d8f', '#e76f51']
WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 640, 360, 70, 50, 30, 190


def scale(values, logarithmic):
    """A function from values to 0..1, and the values to label."""
    low, high = min(values), max(values)
    if logarithmic:
        first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
        last = max(last, first + 1)
        return (lambda value: (math.log10(value) - first) / (last - first),
                [10.0 ** power for power in range(first, last + 1)])
    low = min(low, 0)
    step = 10 ** math.floor(math.log10((high - low) or 1))
    step = next(step * factor for factor in (0.2, 0.5, 1, 2) if (high - low) / step / factor <= 8)
    last = step * math.ceil(high / step) or 1
    return lambda value: (value - low) / (last - low), \
        [low + step * tick for tick in range(round((last - low) / step) + 1)]


def draw(path, title, x_title, y_title, series, log_x=False, log_y=False):
    """series: of each name its points (x, y). Those that a logarithm does not have are left out."""
    series = {name: [(x, y) for x, y in points if (x > 0 or not log_x) and (y > 0 or not log_y)]
              for name, points in series.items()}
    points = [point for of_one in series.values() for point in of_one]
    if not points:
        return
    x_of, x_labels = scale([x for x, _ in points], log_x)
    y_of, y_labels = scale([y for _, y in points], log_y)
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM

    def place(x, y):
        return LEFT + x_of(x) * (right - LEFT), bottom - y_of(y) * (bottom - TOP)
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
             f'font-family="sans-serif" font-size="11">',
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
             f'<text x="{LEFT}" y="18" font-size="13">{title}</text>',
             f'<text x="{(LEFT + right) / 2}" y="{HEIGHT - 12}" text-anchor="middle">'
             f'{x_title}</text>',
             f'<text x="14" y="{(TOP + bottom) / 2}" text-anchor="middle" '
             f'transform="rotate(-90 14 {(TOP + bottom) / 2})">{y_title}</text>',
             f'<path d="M{LEFT} {TOP}V{bottom}H{right}" fill="none" stroke="black"/>']
    for value in x_labels:
        x = place(value, points[0][1])[0]
        lines.append(f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{value:g}</text>')
    for value in y_labels:
        y = place(points[0][0], value)[1]
        lines.append(f'<path d="M{LEFT} {y:.1f}H{right}" stroke="#ddd"/>'
                     f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
    for number, (name, of_one) in enumerate(series.items()):
        colour = COLOURS[number % len(COLOURS)]
        dash = ' stroke-dasharray="5 3"' if name.startswith('predicted') else ''
        path_of = ' '.join(f'{x:.1f},{y:.1f}' for x, y in (place(*point) for point in of_one))
        lines.append(f'<polyline points="{path_of}" fill="none" stroke="{colour}"{dash}/>')
        lines += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2" fill="{colour}"/>'
                  for x, y in (place(*point) for point in of_one)]
        y = TOP + 14 * number + 10
        lines.append(f'<path d="M{right + 8} {y - 4}h16" stroke="{colour}"{dash}/>'
                     f'<text x="{right + 28}" y="{y}">{name}</text>')
    with open(path, 'w') as file:
        file.write('\n'.join(lines + ['</svg>\n']))
