// How likely a touch misses in the sets of a cache, as predict/metrics/miss_probability.c computes
// it: the probability that at least `ways` of `distance` other blocks fall into its set, if each
// falls into any set with equal probability, is I_{1/sets}(ways, distance - ways + 1).

/** Lanczos' approximation (g = 7, 9 terms), good to 1e-14. */
function logGamma(x) {
    const terms = [
        0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
        -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
        1.5056327351493116e-7,
    ];
    const shifted = x - 1 + 7.5;
    const sum = terms.reduce((all, term, i) => all + (i === 0 ? term : term / (x - 1 + i)), 0);
    return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(shifted) - shifted + Math.log(sum);
}

/** The continued fraction of the incomplete beta function, by Lentz's method. */
function betaFraction(x, a, b) {
    const TINY = 1e-300,
        STEPS_MAX = 20000;
    const kept = value => (Math.abs(value) < TINY ? TINY : value);
    let c = 1,
        d = 1 / kept(1 - ((a + b) * x) / (a + 1)),
        fraction = d;
    for (let m = 1; m <= STEPS_MAX; m++) {
        const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
        const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
        let step = 1;
        for (const term of [even, odd]) {
            d = 1 / kept(1 + term * d);
            c = kept(1 + term / c);
            step = c * d;
            fraction *= step;
        }
        if (Math.abs(step - 1) < 1e-12) break;
    }
    return fraction;
}

/** I_x(a, b), the regularised incomplete beta function. */
function regularisedBeta(x, a, b) {
    const front = Math.exp(
        logGamma(a + b) -
            logGamma(a) -
            logGamma(b) +
            a * Math.log(x) +
            b * Math.log1p(-x),
    );
    return x < (a + 1) / (a + b + 2)
        ? (front * betaFraction(x, a, b)) / a
        : 1 - (front * betaFraction(1 - x, b, a)) / b;
}

function missProbability(sets, ways, distance) {
    if (distance < ways) return 0;
    if (sets <= 1) return 1;
    const mean = distance / sets,
        deviation = Math.sqrt(mean * (1 - 1 / sets));
    // Where the tails are below 1e-20, the fraction takes many steps to say so.
    if (mean - ways > 10 * deviation + 10) return 1;
    const value = regularisedBeta(1 / sets, ways, distance - ways + 1);
    return Math.min(Math.max(value, 0), 1);
}

/** The touches of a histogram that miss in any fully associative cache of so many blocks; between
 * two capacities of the document on a line over the logarithm. */
function missesOfBlocks(histogram, capacities, blocks) {
    const above = capacities.findIndex(capacity => capacity >= blocks);
    if (above < 0) return histogram.cold;
    if (above === 0 || capacities[above] === blocks) return histogram.misses[above];
    const [low, high] = [capacities[above - 1], capacities[above]];
    const part = Math.log(blocks / low) / Math.log(high / low);
    return histogram.misses[above - 1] * (1 - part) + histogram.misses[above] * part;
}

/** The same in sets by chance: touches between two capacities have the mean of their distances. */
function missesInSets(histogram, capacities, sets, ways) {
    if (sets <= 1) return missesOfBlocks(histogram, capacities, ways);
    let sum = histogram.cold;
    capacities.forEach((_, k) => {
        const touches = histogram.misses[k] - (histogram.misses[k + 1] ?? histogram.cold);
        if (touches > 0 && histogram.distances[k] > 0)
            sum += touches * missProbability(sets, ways, histogram.distances[k] / touches);
    });
    return sum;
}
